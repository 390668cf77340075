import { TaskboardApiError, TaskboardRealtimeError } from '@taskboard/client'
import { CliError } from './cli-error.js'
import type { Ending } from './exit-codes.js'

/** The ending that an error means. */
export function endingOf(error: unknown): Ending {
  if (error instanceof CliError) return error.ending
  // It is a TaskboardApiError, too.
  if (error instanceof TaskboardRealtimeError) return realtimeEndings[error.code] ?? 'failed'
  if (error instanceof TaskboardApiError) return endingOfStatus(error.status, error.code)
  const { code } = Object(error) as { readonly code?: unknown }
  return typeof code === 'string' ? (libraryEndings[code] ?? 'failed') : 'failed'
}

function endingOfStatus(status: number, code: string): Ending {
  if (status === 0 || status >= 500 || code === 'INVALID_ANSWER') return 'unavailable'
  return statusEndings[status] ?? 'invalid'
}

const statusEndings: Readonly<Record<number, Ending>> = {
  401: 'refused',
  403: 'refused',
  404: 'unknown',
  409: 'conflict',
  429: 'limited',
}

const realtimeEndings: Readonly<Record<string, Ending>> = {
  AUTHENTICATION_FAILED: 'refused',
  AUTHORIZATION_FAILED: 'refused',
  RESOURCE_NOT_FOUND: 'unknown',
  RATE_LIMIT_EXCEEDED: 'limited',
  CLOSED: 'unavailable',
}

/** Codes of `@taskboard/core`, which database commands throw. */
const libraryEndings: Readonly<Record<string, Ending>> = {
  INVALID_CONFIG: 'conflict',
  CONFLICT: 'conflict',
  NOT_FOUND: 'unknown',
  INVALID_FIELD: 'invalid',
  MISSING_FIELD: 'invalid',
  SERVICE_UNAVAILABLE: 'unavailable',
  ENOENT: 'unknown',
}
