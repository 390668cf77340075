import { toWireError, type ErrorEnvelope, type ErrorTable } from '../error-envelope.js'

/** The body of every error of the board API (v1). */
export interface BoardErrorBody {
  readonly success: false
  /** For people. */
  readonly error: string
  readonly code: string
}

/** Each code in the board API. `docs/errors.md` explains each. */
export const boardErrorTable: ErrorTable = {
  UNAUTHORIZED: { code: 'UNAUTHORIZED', status: 401 },
  FORBIDDEN: { code: 'FORBIDDEN', status: 403 },
  STEP_UP_REQUIRED: { code: 'FORBIDDEN', status: 403 },
  INVALID_ACTION: { code: 'INVALID_ACTION', status: 400 },
  MISSING_FIELD: { code: 'MISSING_FIELD', status: 400 },
  INVALID_FIELD: { code: 'INVALID_FIELD', status: 400 },
  INVALID_JSON: { code: 'INVALID_JSON', status: 400 },
  TASK_NOT_FOUND: { code: 'TASK_NOT_FOUND', status: 404 },
  NOT_FOUND: { code: 'NOT_FOUND', status: 404 },
  METHOD_NOT_ALLOWED: { code: 'METHOD_NOT_ALLOWED', status: 405 },
  PAYLOAD_TOO_LARGE: { code: 'PAYLOAD_TOO_LARGE', status: 413 },
  UNSUPPORTED_MEDIA_TYPE: { code: 'UNSUPPORTED_MEDIA_TYPE', status: 415 },
  CONFLICT: { code: 'CONFLICT', status: 409 },
  RATE_LIMITED: { code: 'RATE_LIMITED', status: 429 },
  QUOTA_EXCEEDED: { code: 'QUOTA_EXCEEDED', status: 402 },
  AGENT_UNAVAILABLE: { code: 'AGENT_UNAVAILABLE', status: 503 },
  SERVICE_UNAVAILABLE: { code: 'SERVICE_UNAVAILABLE', status: 503 },
  INVALID_CONFIG: { code: 'INTERNAL_ERROR', status: 500 },
  INTERNAL_ERROR: { code: 'INTERNAL_ERROR', status: 500 },
}

/**
 * Any thrown value in the board API's form. Fields have their wire names. A value that isn't a `TaskboardError` becomes
 * `INTERNAL_ERROR` without its text. `retry-after` is in whole seconds, rounded up.
 * @example
 * ```ts
 * import { boardErrorEnvelope, TaskboardError } from '@taskboard/core'
 *
 * const { status, body } = boardErrorEnvelope(new TaskboardError('TASK_NOT_FOUND', 'no such task'))
 * console.log(status) // 404
 * console.log(body) // { success: false, error: 'no such task', code: 'TASK_NOT_FOUND' }
 * ```
 */
export function boardErrorEnvelope(error: unknown): ErrorEnvelope<BoardErrorBody> {
  const { code: cause, message, headers } = toWireError(error)
  const { code, status } = boardErrorTable[cause]
  return { status, headers, body: { success: false, error: message, code } }
}
