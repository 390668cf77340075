import type { BoardError, ErrorBody } from './wire.js'

/**
 * The server's code, or one of the client's. `NETWORK_ERROR` and `TIMEOUT`: no response arrived. `INVALID_ANSWER`: the response isn't from
 * a task board, such as a proxy's page or a redirect. `LOGIN_REQUIRED`: the session expired or was revoked, and only a new login helps.
 */
export type TaskboardErrorCode =
  | ErrorBody['error']['code']
  | BoardError['code']
  | 'NETWORK_ERROR'
  | 'TIMEOUT'
  | 'INVALID_ANSWER'
  | 'LOGIN_REQUIRED'
  | (string & Record<never, never>)

interface ErrorDetails {
  readonly status: number
  readonly code: TaskboardErrorCode
  readonly field?: string | null
  readonly requestId?: string | null
  readonly retryAfter?: number | null
  readonly cause?: unknown
}

/**
 * A call that failed. Match on `code`; the message is for people and never contains the credential.
 * @example
 * ```ts
 * import { createClient, TaskboardApiError } from '@taskboard/client'
 *
 * const refuse = async () => Response.json({ success: false, error: 'no such task', code: 'TASK_NOT_FOUND' }, { status: 404 })
 * const client = createClient({ baseUrl: 'https://app.example', key: 'tb_…', fetch: refuse })
 * const failure = await client.board.move({ task_id: 'tsk_1', to: 'done' }).catch((error: unknown) => error)
 * if (failure instanceof TaskboardApiError) console.log(failure.status, failure.code) // 404 TASK_NOT_FOUND
 * ```
 */
export class TaskboardApiError extends Error {
  override readonly name: string = 'TaskboardApiError'
  /** The HTTP status; 0 when no response arrived, and for a redirect in a browser, which hides its status. */
  readonly status: number
  readonly code: TaskboardErrorCode
  /** The invalid field, by its name on the wire. */
  readonly field: string | null
  /** Identifies the request in the logs of the host. */
  readonly requestId: string | null
  /** After how many seconds the server expects the call again. */
  readonly retryAfter: number | null

  constructor(message: string, details: ErrorDetails) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.status = details.status
    this.code = details.code
    this.field = details.field ?? null
    this.requestId = details.requestId ?? null
    this.retryAfter = details.retryAfter ?? null
  }
}

/** One error of a GraphQL answer. */
export interface GraphqlError {
  readonly message: string
  readonly path?: readonly (string | number)[]
  readonly extensions?: {
    readonly code?: string
    readonly details?: { readonly field?: string; readonly issue?: string }
    readonly request_id?: string
  }
}

/**
 * A GraphQL answer with errors. Fields that didn't fail are in `data`.
 * @example
 * ```ts
 * import { createClient, TaskboardGraphqlError } from '@taskboard/client'
 *
 * const errors = [{ message: 'requires the scope agents:read', path: ['agents'] }]
 * const answer = async () => Response.json({ data: { tasks: [], agents: null }, errors })
 * const client = createClient({ baseUrl: 'https://app.example', key: 'tb_…', fetch: answer })
 * const failure = await client.graphql('{ tasks { id } agents { id } }').catch((error: unknown) => error)
 * if (failure instanceof TaskboardGraphqlError) console.log(failure.errors[0]?.path) // [ 'agents' ]
 * ```
 */
export class TaskboardGraphqlError extends TaskboardApiError {
  override readonly name = 'TaskboardGraphqlError'
  readonly errors: readonly GraphqlError[]
  readonly data: unknown

  constructor(message: string, errors: readonly GraphqlError[], data: unknown, details: ErrorDetails) {
    super(message, details)
    this.errors = errors
    this.data = data
  }
}

type Head = Pick<Response, 'status' | 'headers'>

export function graphqlErrorOf(
  title: string,
  { status, headers }: Head,
  errors: readonly GraphqlError[],
  data: unknown,
): TaskboardGraphqlError {
  const { code, details, request_id: requestId } = errors[0]?.extensions ?? {}
  const messages = errors.map(({ message }) => message).join('; ')
  return new TaskboardGraphqlError(`${title}: ${messages}`, errors, data ?? null, {
    status,
    code: code ?? 'INTERNAL_ERROR',
    field: details?.field || null,
    requestId: requestId ?? headers.get('x-request-id'),
    retryAfter: retryAfterOf(headers),
  })
}

type Loose = Readonly<Record<string, unknown>>

/** The error of an answer with a status of 300 or more, or 0, in one of the three envelopes or in another form. */
export function errorOf(title: string, head: Head, body: unknown): TaskboardApiError {
  const { status, headers } = head
  const { error, code, errors } = asObject(body)
  if (Array.isArray(errors)) return graphqlErrorOf(title, head, errors as GraphqlError[], null)
  const inner = asObject(error)
  const isBoard = typeof error === 'string'
  const message = isBoard ? error : textOf(inner['message'])
  const missing = status < 400 ? 'redirects: baseUrl must be where it leads to' : 'without a readable answer'
  const known = isBoard ? textOf(code) : textOf(inner['code'])
  const retryAfter = retryAfterOf(headers)
  return new TaskboardApiError(`${title}: ${status || 'the server'} ${message ?? missing}`, {
    status,
    code: known ?? statusCodes[status] ?? 'INVALID_ANSWER',
    field: textOf(asObject(inner['details'])['field']) ?? null,
    requestId: textOf(inner['request_id']) ?? headers.get('x-request-id'),
    retryAfter,
  })
}

/** The message of a status without a readable body, for example from a proxy. */
const statusCodes: Readonly<Record<number, TaskboardErrorCode>> = {
  401: 'AUTHENTICATION_FAILED',
  403: 'AUTHORIZATION_FAILED',
  404: 'RESOURCE_NOT_FOUND',
  413: 'PAYLOAD_TOO_LARGE',
  429: 'RATE_LIMIT_EXCEEDED',
  500: 'INTERNAL_ERROR',
  502: 'SERVICE_UNAVAILABLE',
  503: 'SERVICE_UNAVAILABLE',
  504: 'SERVICE_UNAVAILABLE',
}

/** The wait that `Retry-After` asks for in seconds, or given as a date, which is read by the clock of the server. */
export function retryAfterOf(headers: Headers): number | null {
  const text = headers.get('retry-after')
  if (text === null || text === '') return null
  const seconds = Number(text)
  if (seconds >= 0) return seconds
  const sentAt = Date.parse(headers.get('date') ?? '') || Date.now()
  const wait = Math.ceil((Date.parse(text) - sentAt) / 1000)
  return Number.isNaN(wait) ? null : Math.max(0, wait)
}

export function asObject(value: unknown): Loose {
  return typeof value === 'object' && value !== null ? (value as Loose) : {}
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
