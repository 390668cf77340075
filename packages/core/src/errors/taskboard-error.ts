/**
 * All errors of the library, as one closed union. The two wire formats map these to their own code names and HTTP statuses in one
 * table each (`http/v1/envelope.ts`, `http/v2/envelope.ts`).
 */
export type ErrorCode =
  /** No credential, or one that is unknown, expired or revoked. */
  | 'UNAUTHORIZED'
  /** The credential is valid but lacks the scope. */
  | 'FORBIDDEN'
  /** The user has to show again who they are, because the last login is too long ago. */
  | 'STEP_UP_REQUIRED'
  /** The Board API's `action` is absent or unknown. */
  | 'INVALID_ACTION'
  /** A required field is absent; `field` names it. */
  | 'MISSING_FIELD'
  /** A field has an invalid value; `field` names it. */
  | 'INVALID_FIELD'
  /** The body isn't JSON object. */
  | 'INVALID_JSON'
  /** No such task in this workspace. */
  | 'TASK_NOT_FOUND'
  /** No such resource other than a task. */
  | 'NOT_FOUND'
  /** The resource doesn't support the method; `allow` lists those that it does. */
  | 'METHOD_NOT_ALLOWED'
  /** The body is larger than the route accepts. */
  | 'PAYLOAD_TOO_LARGE'
  /** The body's media type or encoding isn't JSON. */
  | 'UNSUPPORTED_MEDIA_TYPE'
  /** The state forbids the write: a superseded fencing token, a used idempotency key, a task in the wrong column. */
  | 'CONFLICT'
  /** Too many requests; `retryAfterMs` is the wait until the next one passes. */
  | 'RATE_LIMITED'
  /** The account's subscription doesn't cover it. */
  | 'QUOTA_EXCEEDED'
  /** No registered agent can answer a chat message. */
  | 'AGENT_UNAVAILABLE'
  /**
   * The storage or a port didn't answer, or is temporarily unavailable. If only its response was lost, the call may have taken full
   * effect. To retry a create safely, use the same idempotency key.
   */
  | 'SERVICE_UNAVAILABLE'
  /** The host configured the library in a way that can't work. Thrown at construction or start, never on the wire. */
  | 'INVALID_CONFIG'
  /** A fault of the library or of a port. Its details never leave the process. */
  | 'INTERNAL_ERROR'

export interface ErrorDetails {
  /** The offending field, as the caller named it (`dueDate` in TypeScript, mapped to `due_date` on the wire). */
  readonly field?: string | undefined
  /** Milliseconds until the same call can pass. */
  readonly retryAfterMs?: number | undefined
  /** The methods that the resource supports. */
  readonly allow?: readonly string[] | undefined
  /** The existing resource that the call conflicts with, such as the earlier one of a reused idempotency key. */
  readonly resourceId?: string | undefined
  readonly cause?: unknown
}

/**
 * The error class for all intended errors of the library. `message` is meant for the caller and contains no secret.
 * Any other thrown value is a bug or a port's fault, and reaches the wire as `INTERNAL_ERROR` without its text.
 * @example
 * ```ts
 * import { boardErrorEnvelope, TaskboardError } from '@taskboard/core'
 *
 * const error = new TaskboardError('RATE_LIMITED', 'too many orders', { retryAfterMs: 1_500 })
 * const { status, headers } = boardErrorEnvelope(error)
 * console.log(status, headers['retry-after']) // 429 2
 * ```
 */
export class TaskboardError extends Error {
  readonly code: ErrorCode
  readonly field: string | undefined
  readonly retryAfterMs: number | undefined
  readonly allow: readonly string[] | undefined
  readonly resourceId: string | undefined

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.name = 'TaskboardError'
    this.code = code
    this.field = details.field
    this.retryAfterMs = details.retryAfterMs
    this.allow = details.allow
    this.resourceId = details.resourceId
  }
}

/**
 * Whether `error` is a `TaskboardError`, and has the given code if one is named.
 * @example
 * ```ts
 * import { createTaskboard, isTaskboardError } from '@taskboard/core'
 * import { memoryStorage } from '@taskboard/memory'
 *
 * const taskboard = createTaskboard({ storage: memoryStorage() })
 * try {
 *   await taskboard.board('ws_unknown').add({ title: '' })
 * } catch (error) {
 *   if (!isTaskboardError(error, 'INVALID_FIELD')) throw error
 *   console.log(error.field) // title
 * }
 * ```
 */
export function isTaskboardError(error: unknown, code?: ErrorCode): error is TaskboardError {
  return error instanceof TaskboardError && (code === undefined || error.code === code)
}
