import { TaskboardApiError, type TaskboardErrorCode } from '@taskboard/client'
import { CliError } from './cli-error.js'

/** A response, as it is. */
export interface RawResponse {
  readonly text: string
  /** Its JSON; undefined when it is none. */
  readonly value: unknown
}

interface RawRequest {
  readonly method: string
  readonly key: string
  readonly body: string | undefined
  readonly deadlineMs: number
}

/** Sends one request. Rejects for a status of 300 and more. */
export async function sendRequest(
  address: string,
  { method, key, body, deadlineMs }: RawRequest,
): Promise<RawResponse> {
  const headers = {
    authorization: `Bearer ${key}`,
    accept: 'application/json',
    ...(body !== undefined && { 'content-type': 'application/json' }),
  }
  const signal = AbortSignal.timeout(deadlineMs)
  let response: Response
  let text: string
  try {
    response = await fetch(address, {
      method,
      headers,
      redirect: 'manual',
      signal,
      ...(body !== undefined && { body }),
    })
    text = await response.text()
  } catch (error) {
    throw new CliError('unavailable', 'the server is unreachable, or did not respond in time', {
      cause: error,
    })
  }
  const value = jsonOf(text)
  if (response.status >= 300) throw errorOf(response.status, value)
  return { text, value }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

/** Of the envelope of API v2, or of the Board API. */
function errorOf(status: number, value: unknown): TaskboardApiError {
  const { error, code } = Object(value) as { readonly error?: unknown; readonly code?: unknown }
  const inner = Object(typeof error === 'string' ? { message: error, code } : error) as {
    readonly message?: string
    readonly code?: TaskboardErrorCode
    readonly request_id?: string
    readonly details?: { readonly field?: string }
  }
  return new TaskboardApiError(`${status} ${inner.message ?? 'without a readable response'}`, {
    status,
    code: inner.code ?? 'INVALID_ANSWER',
    field: inner.details?.field ?? null,
    requestId: inner.request_id ?? null,
  })
}
