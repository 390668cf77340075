import { TaskFailure } from '@taskboard/core'
import {
  APICallError,
  InvalidPromptError,
  LoadAPIKeyError,
  LoadSettingError,
  NoSuchModelError,
  RetryError,
  UnsupportedFunctionalityError,
} from 'ai'

const LONGEST_QUOTE = 300
/** Errors of the host's settings: another attempt meets them as well. */
const FINAL = [
  InvalidPromptError,
  LoadAPIKeyError,
  LoadSettingError,
  NoSuchModelError,
  UnsupportedFunctionalityError,
]

/**
 * The error of a call, for the task's attempts and the log. It has no text of the prompt, which the SDK's errors carry along, nor what
 * a provider says about requests and credentials. A `TaskFailure` when another attempt would fail as well.
 */
export function modelFailure(error: unknown): Error {
  const last: unknown = RetryError.isInstance(error) ? error.lastError : error
  if (APICallError.isInstance(last)) return callFailure(last)
  if (FINAL.some((kind) => kind.isInstance(last)))
    return new TaskFailure(`the model cannot be called: ${nameOf(last)}`)
  return new Error(`the call of the model failed: ${nameOf(last)}`)
}

function callFailure({ statusCode, isRetryable, message }: APICallError): Error {
  if (statusCode === undefined) {
    const text = 'the provider of the model cannot be reached'
    return isRetryable ? new Error(text) : new TaskFailure(text)
  }
  const quote = mayQuote(statusCode) ? `: ${message.slice(0, LONGEST_QUOTE).toWellFormed()}` : ''
  const text = `the provider of the model answered ${statusCode}${quote}`
  return isRetryable ? new Error(text) : new TaskFailure(text)
}

/** Answers to a request as such may quote it, and those about credentials may contain a part of them. */
function mayQuote(statusCode: number): boolean {
  return statusCode === 404 || statusCode === 408 || statusCode === 429 || statusCode >= 500
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error
}
