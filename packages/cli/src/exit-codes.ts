import { TaskboardApiError, TaskboardRealtimeError } from '@taskboard/client'
import { CliError } from './cli-error.js'

/** How the program ends. Scripts rely on the numbers. */
export const exitCodes = {
  ok: { code: 0, summary: 'done' },
  failed: { code: 1, summary: 'any other fault' },
  usage: {
    code: 2,
    summary: 'unknown commands, options or arguments, or missing ones; also a setting that cannot be used',
  },
  refused: { code: 3, summary: 'no credential, one that the server refuses, or one without the scope' },
  unknown: { code: 4, summary: 'there is no such thing, or it is out of reach' },
  conflict: { code: 5, summary: 'the state does not allow it, or it exists already' },
  limited: { code: 6, summary: 'a limit or a quota of the account is reached' },
  unavailable: {
    code: 7,
    summary: 'the server or the database cannot be reached, or does not answer as one',
  },
  invalid: { code: 8, summary: 'the server refuses a value; the message names the field' },
  pending: { code: 9, summary: '`status`: the schema is not up to date' },
  interrupted: { code: 130, summary: 'ended by Ctrl-C or a signal, before it was done' },
} as const satisfies Record<string, { readonly code: number; readonly summary: string }>

export type Ending = keyof typeof exitCodes

/** The ending that an error means. */
export function endingOf(error: unknown): Ending {
  if (error instanceof CliError) return error.ending
  if (error instanceof TaskboardApiError) return endingOfStatus(error.status, error.code)
  if (error instanceof TaskboardRealtimeError) return realtimeEndings[error.code] ?? 'failed'
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
