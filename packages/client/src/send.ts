import { errorOf, TaskboardApiError } from './api-error.js'
import type { CallOptions, ClientPaths, Fetch, WebSocketConstructor } from './client-options.js'
import type { CredentialSource } from './credential.js'
import { delayMs, type RetryPolicy, retryPolicy, withinTime } from './retry.js'

/** A request, with what makes it safe to send again. */
export interface ApiRequest {
  readonly method: string
  /** Below the base URL, with the query. */
  readonly path: string
  readonly body?: unknown
  readonly accept?: string
  /** Without the credential. */
  readonly isPublic?: boolean
  /** A second one changes nothing. */
  readonly isRepeatable: boolean
  /** `made`: the server knows a retry by its Idempotency-Key, and the call gets one. `given`: only if the caller gives one. */
  readonly key?: 'made' | 'given' | undefined
}

/** An answer that isn't a rejection. */
export interface ApiAnswer {
  readonly status: number
  readonly headers: Headers
  /** The parsed JSON, the text of another media type, undefined for none. */
  readonly body: unknown
}

/** What every call needs. */
export interface Connection {
  /** Without a slash at its end. */
  readonly baseUrl: string
  readonly paths: ClientPaths
  /** Undefined where there is none. */
  readonly WebSocket: WebSocketConstructor | undefined
  readonly fetch: Fetch
  readonly retry: RetryPolicy
  readonly credential: CredentialSource
}

/** A call on its way. */
interface Call {
  readonly title: string
  readonly url: string
  readonly init: RequestInit
  readonly headers: Readonly<Record<string, string>>
  readonly policy: RetryPolicy
  /** How long one attempt can take. */
  readonly attemptMs: number
  readonly endsAt: number
  readonly signal: AbortSignal | undefined
  readonly isRepeatable: boolean
}

/**
 * Sends a request until it gets a response, is rejected, or is out of time. 429 rejects before anything is done, so every call waits and is sent
 * again. After a lost response, or a 502, 503 or 504, the server may have done it. Only calls that change nothing a second time are then retried.
 * @throws TaskboardApiError; the reason of the signal.
 */
export async function send(
  connection: Connection,
  request: ApiRequest,
  options: CallOptions = {},
): Promise<ApiAnswer> {
  options.signal?.throwIfAborted()
  const call = toCall(connection, request, options)
  let rejected: string | null = null
  let isUncertain = false
  for (let failures = 0; ; failures += 1) {
    const sent: Sent = await sendOnce(connection, request, call, rejected).catch((error: unknown) => {
      const isLost = error instanceof TaskboardApiError && error.status === 0 && call.isRepeatable
      if (!isLost || call.signal?.aborted === true) throw error
      return { token: null, answer: null, error }
    })
    if (sent.error === null) return sent.answer
    const { error } = sent
    if (error.status === 401 && sent.token !== null && rejected === null && connection.credential.renews) {
      rejected = sent.token
      failures -= 1
      continue
    }
    // The repeat of a delete that was carried out.
    if (error.status === 404 && request.method === 'DELETE' && isUncertain) {
      return { status: 204, headers: new Headers(), body: undefined }
    }
    const isLost = call.isRepeatable && uncertain.has(error.status) && error.code !== 'INVALID_ANSWER'
    if (error.status !== 429 && !isLost) throw error
    isUncertain ||= error.status !== 429
    await waitToRepeat(call, failures + 1, error)
  }
}

/** Without an answer, or with one that may be about a connection behind the server. A redirect in a browser has 0 as well. */
const uncertain: ReadonlySet<number> = new Set([0, 502, 503, 504])

function toCall(connection: Connection, request: ApiRequest, options: CallOptions): Call {
  const { method, path, body, key: keyed, isPublic = false } = request
  const policy = retryPolicy(connection.retry, { deadlineMs: options.timeoutMs }, options.retry)
  const key = options.idempotencyKey ?? (keyed === 'made' ? randomKey() : undefined)
  if (key !== undefined && !/^[!-~]{1,255}$/.test(key)) {
    throw new TypeError('idempotencyKey must be 1 to 255 visible ASCII characters')
  }
  return {
    title: `${method} ${path.split('?')[0]}`,
    url: connection.baseUrl + path,
    init: {
      method,
      // Followed, a create would become a read, and a password would reach another server.
      redirect: 'manual',
      ...(body !== undefined && { body: JSON.stringify(body) }),
      // The cookies of the host's own login, also from a page of another origin that the host allows.
      ...(connection.credential.usesCookies && !isPublic && { credentials: 'include' as const }),
    },
    headers: {
      accept: request.accept ?? 'application/json',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(key !== undefined && { 'idempotency-key': key }),
    },
    policy,
    // The server waits for the reply of an agent, and a chat is not repeated.
    attemptMs: /^POST.*\bchat$/.test(method + path) ? policy.deadlineMs : policy.attemptTimeoutMs,
    endsAt: policy.now() + policy.deadlineMs,
    signal: options.signal,
    isRepeatable: request.isRepeatable || (keyed !== undefined && key !== undefined),
  }
}

type Sent =
  | { readonly token: string | null; readonly answer: ApiAnswer; readonly error: null }
  | { readonly token: string | null; readonly answer: null; readonly error: TaskboardApiError }

async function sendOnce(
  { fetch, credential }: Connection,
  { isPublic = false }: ApiRequest,
  call: Call,
  rejected: string | null,
): Promise<Sent> {
  const { title, url, init, headers, policy, attemptMs, endsAt, signal } = call
  const token = isPublic
    ? null
    : await withinTime(title, endsAt - policy.now(), signal, () => credential.token(rejected))
  const authorization = token === null ? {} : { authorization: `Bearer ${token}` }
  const timeoutMs = Math.min(attemptMs, endsAt - policy.now())
  const [response, text] = await withinTime(title, timeoutMs, signal, async (attemptSignal) => {
    try {
      const answer = await fetch(url, {
        ...init,
        headers: { ...headers, ...authorization },
        signal: attemptSignal,
      })
      return [answer, await answer.text()] as const
    } catch (cause) {
      // The reason of `fetch` quotes the header.
      if (/[^\t -~\x80-\xff]/.test(token?.trim() ?? '')) throw unsendable(title)
      throw new TaskboardApiError(`${title}: the server cannot be reached`, {
        status: 0,
        code: 'NETWORK_ERROR',
        cause,
      })
    }
  })
  const body = bodyOf(response, text)
  if (!response.ok) return { token, answer: null, error: errorOf(title, response, body) }
  if (body === null) throw notTaskboard(title, response)
  const { status, headers: sent } = response
  return { token, answer: { status, headers: sent, body }, error: null }
}

function unsendable(title: string): TaskboardApiError {
  return new TaskboardApiError(`${title}: the credential has a character that no header can have`, {
    status: 401,
    code: 'AUTHENTICATION_FAILED',
  })
}

/** Null for broken JSON as well: no response of the API is null. */
function bodyOf({ headers }: Response, text: string): unknown {
  if (text === '') return undefined
  if (!/\bjson\b/.test(headers.get('content-type') ?? '')) return text
  try {
    return JSON.parse(text) as unknown
  } catch {
    return null
  }
}

export function notTaskboard(title: string, { status }: { readonly status: number }): TaskboardApiError {
  return new TaskboardApiError(`${title}: ${status}, but the answer is not from a task board`, {
    status,
    code: 'INVALID_ANSWER',
  })
}

async function waitToRepeat(call: Call, failures: number, error: TaskboardApiError): Promise<void> {
  const { policy, endsAt, signal } = call
  const waitMs = delayMs(policy, failures, error.retryAfter)
  if (failures >= policy.attempts || policy.now() + waitMs >= endsAt) throw error
  await policy.sleep(waitMs, signal)
  signal?.throwIfAborted()
}

/** Pages that aren't served over https have no `randomUUID`. */
function randomKey(): string {
  if (typeof crypto.randomUUID === 'function') return crypto.randomUUID()
  return Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join('-')
}
