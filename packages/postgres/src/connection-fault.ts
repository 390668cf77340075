import { isTaskboardError, TaskboardError } from '@taskboard/core'

/** Classes and codes of SQLSTATE (PostgreSQL, Appendix A) that mean: unavailable now, the statement is not at fault. */
const OUTAGE = /^(08|53|57P0|25006$|25P03$|25P04$|57014$|55P03$)/
/** Those of them after which the connection is lost, or leads to a server that no longer accepts writes. */
const FATAL = /^(08|57P0|25006$|25P03$|25P04$)/
/** Worth an immediate retry: a serialization failure, a deadlock, a reference to a row that another transaction has just deleted. */
const COLLISION = /^(40001|40P01|23503)$/
/** Messages of sockets and pools; these errors have no SQLSTATE. */
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

/** Whether the database was unreachable or unavailable. */
export function isOutage(error: unknown): boolean {
  return OUTAGE.test(codeOf(error)) || isSocketFault(error)
}

/** Whether the connection that failed this way must not be used again. */
export function isConnectionLost(error: unknown): boolean {
  return isTaskboardError(error, 'SERVICE_UNAVAILABLE') || FATAL.test(codeOf(error)) || isSocketFault(error)
}

/** Whether the same statement may succeed when it is retried. */
export function isCollision(error: unknown): boolean {
  return COLLISION.test(codeOf(error))
}

/** The error that a verb throws: `SERVICE_UNAVAILABLE` for an outage, all other errors unchanged. */
export function toVerbError(error: unknown): unknown {
  if (isTaskboardError(error)) return error
  if (isOutage(error) || isCollision(error))
    return new TaskboardError('SERVICE_UNAVAILABLE', 'the database cannot be reached', { cause: error })
  return error
}

/** Rejects as `work` does, with the error that a verb throws. */
export async function toVerbErrors<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw toVerbError(error)
  }
}
