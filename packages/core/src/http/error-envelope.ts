import { TaskboardError, type ErrorCode } from '../errors/index.js'
import { retryAfterSeconds } from '../limits/index.js'
import { wireName } from './wire-names.js'

/** An error as one of the wire formats shows it: status, the headers that belong to it, and the body before it is text. */
export interface ErrorEnvelope<Body> {
  readonly status: number
  /** `retry-after`, `allow` and `www-authenticate` where they apply. Lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Body
}

/** How each code of the library shows in one wire format. */
export type ErrorTable = Readonly<Record<ErrorCode, { readonly code: string; readonly status: number }>>

/** An error about a field that the caller made up: it is called what the caller wrote, and not by the wire's rules. */
export class WireFieldError extends TaskboardError {
  constructor(code: 'INVALID_FIELD', message: string, field: string) {
    super(code, message, { field })
  }
}

/** What an error says to the outside, after everything that must stay inside is taken away. */
export interface WireError {
  readonly code: ErrorCode
  /** With the field's wire name where it begins with a field. */
  readonly message: string
  /** The offending field's wire name. */
  readonly field: string | null
  readonly headers: Readonly<Record<string, string>>
}

const INTERNAL: WireError = { code: 'INTERNAL_ERROR', message: 'internal error', field: null, headers: {} }

/** Whether the error is a fault of the library, a port or the host: told without detail, and worth a log line. */
export function isInternal(error: unknown): boolean {
  return (
    !(error instanceof TaskboardError) || error.code === 'INTERNAL_ERROR' || error.code === 'INVALID_CONFIG'
  )
}

/** What may be told of any thrown value. `renamed` has the fields whose wire name is not just another spelling. */
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
