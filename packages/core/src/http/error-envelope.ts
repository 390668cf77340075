import { type ErrorCode, TaskboardError } from '../errors/index.js'
import { wireName } from '../fields/index.js'
import { retryAfterSeconds } from '../limits/index.js'

/** An error in one of the wire formats: status, headers, and the body before serialization. */
export interface ErrorEnvelope<Body> {
  readonly status: number
  /** `retry-after`, `allow` and `www-authenticate` where they apply. Lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Body
}

/** The codes of one wire format, by the library's codes. */
export type ErrorTable = Readonly<Record<ErrorCode, { readonly code: string; readonly status: number }>>

/** An error about an unknown field. Its name stays as the caller wrote it. */
export class WireFieldError extends TaskboardError {
  constructor(code: 'INVALID_FIELD', message: string, field: string) {
    super(code, message, { field })
  }
}

/** The public part of an error, without internal details. */
interface WireError {
  readonly code: ErrorCode
  /** With the field's wire name if it begins with a field. */
  readonly message: string
  /** The invalid field's wire name. */
  readonly field: string | null
  readonly headers: Readonly<Record<string, string>>
}

const INTERNAL: WireError = { code: 'INTERNAL_ERROR', message: 'internal error', field: null, headers: {} }

/** Whether the error is internal, of the library, a port or the host: it is logged, and returned without detail. */
export function isInternal(error: unknown): boolean {
  return (
    !(error instanceof TaskboardError) || error.code === 'INTERNAL_ERROR' || error.code === 'INVALID_CONFIG'
  )
}

/** The public part of any thrown value. `renamed` has the fields whose wire name isn't the snake_case form. */
export function toWireError(error: unknown, renamed: Readonly<Record<string, string>> = {}): WireError {
  if (!(error instanceof TaskboardError) || isInternal(error)) return INTERNAL
  const { code, field } = error
  const wireField = field === undefined ? null : wireFieldOf(error, field, renamed)
  const message =
    field !== undefined && wireField !== null && error.message.startsWith(field)
      ? wireField + error.message.slice(field.length)
      : error.message
  return { code, message, field: wireField, headers: headersOf(error) }
}

function wireFieldOf(
  error: TaskboardError,
  field: string,
  renamed: Readonly<Record<string, string>>,
): string {
  return error instanceof WireFieldError ? field : (renamed[field] ?? wireName(field))
}

function headersOf(error: TaskboardError): Record<string, string> {
  const headers: Record<string, string> = {}
  if (error.code === 'UNAUTHORIZED') headers['www-authenticate'] = 'Bearer'
  if (error.allow) headers['allow'] = error.allow.join(', ')
  if (error.retryAfterMs !== undefined)
    headers['retry-after'] = String(Math.max(1, retryAfterSeconds(error.retryAfterMs)))
  return headers
}
