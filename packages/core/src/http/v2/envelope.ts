import type { Instant } from '../../environment/index.js'
import { toWireError, type ErrorEnvelope, type ErrorTable } from '../error-envelope.js'

/** The body of every error of API v2. */
export interface V2ErrorBody {
  readonly error: {
    readonly code: string
    readonly message: string
    /** The first invalid field, empty when there is none, and a sentence about it, down to the entry of a list. */
    readonly details: { readonly field: string; readonly issue: string }
    readonly request_id: string
    /** ISO 8601, UTC. */
    readonly timestamp: string
  }
}

/** Each code in API v2. `docs/errors.md` explains each. */
export const v2ErrorTable: ErrorTable = {
  UNAUTHORIZED: { code: 'AUTHENTICATION_FAILED', status: 401 },
  FORBIDDEN: { code: 'AUTHORIZATION_FAILED', status: 403 },
  STEP_UP_REQUIRED: { code: 'STEP_UP_REQUIRED', status: 403 },
  INVALID_ACTION: { code: 'INVALID_REQUEST', status: 400 },
  MISSING_FIELD: { code: 'INVALID_REQUEST', status: 400 },
  INVALID_FIELD: { code: 'INVALID_REQUEST', status: 400 },
  INVALID_JSON: { code: 'INVALID_REQUEST', status: 400 },
  TASK_NOT_FOUND: { code: 'RESOURCE_NOT_FOUND', status: 404 },
  NOT_FOUND: { code: 'RESOURCE_NOT_FOUND', status: 404 },
  METHOD_NOT_ALLOWED: { code: 'METHOD_NOT_ALLOWED', status: 405 },
  PAYLOAD_TOO_LARGE: { code: 'PAYLOAD_TOO_LARGE', status: 413 },
  UNSUPPORTED_MEDIA_TYPE: { code: 'UNSUPPORTED_MEDIA_TYPE', status: 415 },
  CONFLICT: { code: 'CONFLICT', status: 409 },
  RATE_LIMITED: { code: 'RATE_LIMIT_EXCEEDED', status: 429 },
  QUOTA_EXCEEDED: { code: 'QUOTA_EXCEEDED', status: 402 },
  AGENT_UNAVAILABLE: { code: 'SERVICE_UNAVAILABLE', status: 503 },
  SERVICE_UNAVAILABLE: { code: 'SERVICE_UNAVAILABLE', status: 503 },
  INVALID_CONFIG: { code: 'INTERNAL_ERROR', status: 500 },
  INTERNAL_ERROR: { code: 'INTERNAL_ERROR', status: 500 },
}

/** The request that an error responses. */
export interface V2ErrorContext {
  readonly requestId: string
  readonly now: Instant
  /** Wire names of the library's fields, if they aren't the snake_case form: `{ dueDate: 'deadline' }`. */
  readonly wireFields?: Readonly<Record<string, string>> | undefined
}

/**
 * Any thrown value in API v2's form, for the request `requestId` at `now`. Otherwise like
 * `boardErrorEnvelope`. The request's id is also a header.
 * @example
 * ```ts
 * import { v2ErrorEnvelope, TaskboardError } from '@taskboard/core'
 *
 * const error = new TaskboardError('INVALID_FIELD', 'dueDate must be a time', { field: 'dueDate' })
 * const { status, body } = v2ErrorEnvelope(error, { requestId: 'req_7', now: Date.now() })
 * console.log(status, body.error.code) // 400 INVALID_REQUEST
 * console.log(body.error.details) // { field: 'due_date', issue: 'due_date must be a time' }
 * ```
 */
export function v2ErrorEnvelope(
  error: unknown,
  { requestId, now, wireFields }: V2ErrorContext,
): ErrorEnvelope<V2ErrorBody> {
  const { code: cause, message, field, headers } = toWireError(error, wireFields)
  const { code, status } = v2ErrorTable[cause]
  return {
    status,
    headers: { ...headers, 'x-request-id': requestId },
    body: {
      error: {
        code,
        message,
        details: { field: field ?? '', issue: message },
        request_id: requestId,
        timestamp: new Date(now).toISOString(),
      },
    },
  }
}
