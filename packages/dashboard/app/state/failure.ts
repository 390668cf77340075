import { TaskboardApiError } from '@taskboard/client'
import { formatSeconds } from '../texts/format.js'
import { text } from '../texts/index.js'
import { SessionError } from './session.js'

/** What a person reads about a request that failed. */
export interface Failure {
  readonly message: string
  /** The field of the form that is wrong, by its name on the wire. */
  readonly field: string | null
  /** For support; null when no answer came. */
  readonly requestId: string | null
  /** Of the answer; null when none came. */
  readonly status: number | null
}

function messageOf({
  status,
  code,
  message,
  field,
  retryAfter,
}: {
  status: number
  code?: string
  message: string
  field: string | null
  retryAfter: number | null
}) {
  if (status === 403) return code === 'STEP_UP_REQUIRED' ? text.errors.stepUp : text.errors.forbidden
  if (status === 404) return text.errors.gone
  if (status === 429) return retryAfter === null ? message : text.errors.busy(formatSeconds(retryAfter))
  if (status === 502 || status === 503 || status === 504) return text.errors.unavailable
  if (status >= 500) return text.errors.server
  return message === '' ? text.errors.unexpected : sentence(named(message, field))
}

/** What the server said, without the request that it said it of. */
function reasonOf({ message }: TaskboardApiError): string {
  return message.replace(/^[A-Z]+ \S+: (?:\d{3} )?/, '')
}

/** The server begins with the name on the wire; people know the last part of it, in words. */
function named(message: string, field: string | null): string {
  if (field === null || !message.startsWith(`${field} `)) return message
  const name = text.errors.fields[field] ?? field.replace(/^.*\./, '').replaceAll('_', ' ')
  return name + message.slice(field.length)
}

/** The server's messages begin in lower case, without a full stop. */
function sentence(message: string): string {
  const [first = '', ...rest] = message
  const full = first.toUpperCase() + rest.join('')
  return /[.!?…]$/.test(full) ? full : `${full}.`
}

/** Whether the server couldn't be reached, or couldn't answer. It may have done what was asked. */
export function isAway(error: unknown): boolean {
  return error instanceof TaskboardApiError && (error.status === 0 || error.status === 503)
}

/** Explains an error to a person. */
export function explain(error: unknown): Failure {
  if (error instanceof TaskboardApiError) {
    if (error.code === 'NETWORK_ERROR' || error.code === 'TIMEOUT') {
      return { message: text.errors.network, field: null, requestId: null, status: 0 }
    }
    const { status, field, requestId, retryAfter } = error
    const message = messageOf({
      status,
      code: error.code,
      message: reasonOf(error),
      field: field ?? null,
      retryAfter: retryAfter ?? null,
    })
    return { message, field: field ?? null, requestId: requestId ?? null, status }
  }
  if (error instanceof SessionError) {
    const { status, message, field, requestId, retryAfterS } = error
    const isLocked = status === 429 && retryAfterS !== null
    return {
      message: isLocked
        ? text.errors.locked(formatSeconds(retryAfterS))
        : messageOf({ status, message, field, retryAfter: retryAfterS }),
      field,
      requestId,
      status,
    }
  }
  if (error instanceof TypeError)
    return { message: text.errors.network, field: null, requestId: null, status: null }
  const message =
    error instanceof Error && error.message !== '' ? sentence(error.message) : text.errors.unexpected
  return { message, field: null, requestId: null, status: null }
}
