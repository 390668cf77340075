import { RetryLater, TaskFailure } from '@taskboard/core'
import {
  APICallError,
  InvalidResponseDataError,
  InvalidPromptError,
  JSONParseError,
  LoadAPIKeyError,
  LoadSettingError,
  NoSuchModelError,
  RetryError,
  TypeValidationError,
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

/** Of an answer that isn't what the provider's protocol says. */
const UNREADABLE = [InvalidResponseDataError, JSONParseError, TypeValidationError]

/** The errors that Node.js and its `fetch` report for a connection that wasn't made, or broke. */
const CONNECTION_CODE =
  /^(ECONN(REFUSED|RESET|ABORTED)|EPIPE|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|E(HOST|NET)(UNREACH|DOWN)|UND_ERR_(SOCKET|CONNECT_TIMEOUT|HEADERS_TIMEOUT|BODY_TIMEOUT))$/
const MOST_CAUSES = 5

/**
 * The error of a call, for the task's attempts and the log. It contains no text of the prompt, which the SDK's errors carry along, and no
 * provider message about requests and credentials. A `RetryLater` when the provider is down or overloaded, and a `TaskFailure` when another
 * attempt would fail as well.
 */
export function modelFailure(error: unknown): Error {
  const last: unknown = RetryError.isInstance(error) ? error.lastError : error
  if (APICallError.isInstance(last) && !brokeOff(last)) return callFailure(last)
  if (isConnectionFault(last)) return new RetryLater('the connection to the provider of the model broke off')
  if (FINAL.some((kind) => kind.isInstance(last)))
    return new TaskFailure(`the model cannot be called: ${nameOf(last)}`)
  if (UNREADABLE.some((kind) => kind.isInstance(last)))
    return new Error(`the provider of the model returned something that cannot be read: ${nameOf(last)}`)
  return new Error(`the call of the model failed: ${nameOf(last)}`)
}

function callFailure({ statusCode, isRetryable, message, data, responseHeaders = {} }: APICallError): Error {
  const failure = (text: string): Error =>
    isRetryable
      ? new RetryLater(text, { retryAfterMs: retryAfterMs(responseHeaders) })
      : new TaskFailure(text)
  if (statusCode === undefined) return failure('the provider of the model cannot be reached')
  const quote = mayQuote(statusCode) ? `: ${message.slice(0, LONGEST_QUOTE).toWellFormed()}` : reasonOf(data)
  return failure(`the provider of the model returned ${statusCode}${quote}`)
}

/** Names that a provider gives to reasons and parameters. A text, which may quote the request, is none. */
const PROVIDER_NAME = /^[\w.[\]-]{1,100}$/

const isName = (value: unknown): value is string => typeof value === 'string' && PROVIDER_NAME.test(value)

/** The reason of a rejected request as OpenAI, Anthropic and servers like theirs name it: ` (unsupported_parameter: temperature)`. */
function reasonOf(data: unknown): string {
  const { error } = (data ?? {}) as { readonly error?: Readonly<Record<string, unknown>> | null }
  const { code, type, param } = error ?? {}
  const names = [[code, type].find(isName), param].filter(isName)
  return names.length === 0 ? '' : ` (${names.join(': ')})`
}

/** The provider had begun an answer, so its status says nothing. */
function brokeOff(error: APICallError): boolean {
  return error.statusCode !== undefined && error.statusCode < 300 && isConnectionFault(error)
}

function isConnectionFault(error: unknown): boolean {
  let cause: unknown = error
  for (let depth = 0; cause instanceof Error && depth < MOST_CAUSES; depth++) {
    if ('code' in cause && typeof cause.code === 'string' && CONNECTION_CODE.test(cause.code)) return true
    cause = cause.cause
  }
  return false
}

/** Responses to a request as such may quote it, and those about credentials may contain a part of them. */
function mayQuote(statusCode: number): boolean {
  return statusCode === 404 || statusCode === 408 || statusCode === 429 || statusCode >= 500
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error
}

type Headers = Readonly<Record<string, string>>

const SECONDS = /^\d+(\.\d+)?$/
/** `Date.parse` alone takes almost anything. */
const HTTP_DATE = /^[a-z]{3,9},? .* GMT$/i

/**
 * How long a provider asks to wait: `retry-after-ms`, or `Retry-After` in seconds or as a date. Null when it doesn't say, or says nothing
 * that makes sense. A date is compared with the `Date` of the same response, so that clocks need not agree.
 */
export function retryAfterMs(headers: Headers): number | null {
  const inMs = headers['retry-after-ms']?.trim()
  if (inMs !== undefined && SECONDS.test(inMs)) return Number(inMs)
  const given = headers['retry-after']?.trim()
  if (given === undefined) return null
  if (SECONDS.test(given)) return 1_000 * Number(given)
  const at = HTTP_DATE.test(given) ? Date.parse(given) : NaN
  if (Number.isNaN(at)) return null
  const sent = Date.parse(headers['date'] ?? '')
  return Math.max(0, at - (Number.isNaN(sent) ? Date.now() : sent))
}
