import { isTaskboardError, TaskboardError } from '@taskboard/core'

/** Classes and codes of SQLSTATE (PostgreSQL, Appendix A) that say: not now, and nothing is wrong with the statement. */
const OUTAGE = /^(08|53|57P0|25006$|25P03$|25P04$|57014$|55P03$)/
/** Those among them after which the connection is gone, or leads to a server that no longer takes writes. */
const FATAL = /^(08|57P0|25006$|25P03$|25P04$)/
/** What is worth another try at once: a serialization failure, a deadlock, a reference to what another one has just deleted. */
const COLLISION = /^(40001|40P01|23503)$/
/** What the sockets and pools say; these errors have no SQLSTATE. */
const LOST =
  /ECONNREFUSED|ECONNRESET|ECONNABORTED|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|ERR_STREAM|Connection terminated|timeout exceeded|timeout expired|not queryable|calling end on the pool|PGlite is clos/i

function codeOf(error: unknown): string {
  const code = (error as { readonly code?: unknown } | null | undefined)?.code
  return typeof code === 'string' ? code : ''
}

function isSocketFault(error: unknown): boolean {
  const code = codeOf(error)
  return LOST.test(code) || (/^[0-9A-Z]{5}$/.test(code) ? false : LOST.test(String(error)))
}

/** Whether the database could not be reached or would not work. */
export function isOutage(error: unknown): boolean {
  return OUTAGE.test(codeOf(error)) || isSocketFault(error)
}

/** Whether the connection that said so should serve nobody else. */
export function isConnectionLost(error: unknown): boolean {
  return isTaskboardError(error, 'SERVICE_UNAVAILABLE') || FATAL.test(codeOf(error)) || isSocketFault(error)
}

/** Whether the same statement may well succeed when it is run again. */
export function isCollision(error: unknown): boolean {
  return COLLISION.test(codeOf(error))
}

/** The error as a verb throws it: `SERVICE_UNAVAILABLE` for an outage, everything else as it is. */
export function toVerbError(error: unknown): unknown {
  if (isTaskboardError(error)) return error
  if (isOutage(error) || isCollision(error))
    return new TaskboardError('SERVICE_UNAVAILABLE', 'the database cannot be reached', { cause: error })
  return error
}
