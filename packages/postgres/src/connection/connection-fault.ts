import { isTaskboardError, TaskboardError } from '@taskboard/core'
import { isReadOnlyRefusal, readOnlyRefusal } from '@taskboard/core/storage'

/** Classes and codes of SQLSTATE (PostgreSQL, Appendix A) that mean: unavailable now, the statement isn't at fault. */
const OUTAGE = /^(08|53|57P0|25006$|25P03$|25P04$|57014$|55P03$)/
/** The errors after which the connection is lost, or leads to a server that no longer accepts writes. */
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
  if (isReadOnlyRefusal(error)) return false
  return isTaskboardError(error, 'SERVICE_UNAVAILABLE') || FATAL.test(codeOf(error)) || isSocketFault(error)
}

/** Whether the same statement may succeed when it is retried. */
export function isCollision(error: unknown): boolean {
  return COLLISION.test(codeOf(error))
}

/** Codes of SQLSTATE that mean: the connection already has a prepared statement of that name, or doesn't have it. */
const MIXED_UP: Readonly<Record<string, string>> = {
  '42P05': 'has a prepared statement that this one has not made',
  '26000': 'has lost a prepared statement',
}
/** The name of a statement of the storage, in the message of the server. */
const OWN_STATEMENT = /\btaskboard_\w+_[0-9a-f]{8}\b/

/**
 * A fault of the storage's own prepared statements. There are two causes, which the server doesn't tell apart. A pooler has switched the
 * server's connection, or someone has discarded the statements of a connection of the pool.
 */
function toStatementFault(error: unknown): TaskboardError | null {
  const what = MIXED_UP[codeOf(error)]
  if (what === undefined || !OWN_STATEMENT.test(String(error))) return null
  return new TaskboardError(
    'INVALID_CONFIG',
    `a connection to the database ${what}. Behind a pooler in transaction mode, set preparedStatements: false of postgresStorage. Without a pooler, don't run "discard all" or "deallocate" on connections of its pool`,
    { field: 'preparedStatements', cause: error },
  )
}

/** What `taskboard.refuse_write` raises. */
const READ_ONLY = 'TB001'

/** Codes of SQLSTATE that no second try gets past: what the settings of the pool name does not exist, or does not let it in. */
const REFUSED: Readonly<Record<string, string>> = {
  '3D000': 'the database of the pool does not exist',
  '28000': 'the server rejects the role or the password of the pool',
  '28P01': 'the server rejects the role or the password of the pool',
}

function toPoolFault(error: unknown): TaskboardError | null {
  const rule = REFUSED[codeOf(error)]
  return rule === undefined
    ? null
    : new TaskboardError('INVALID_CONFIG', rule, { field: 'pool', cause: error })
}

/**
 * The error that a verb throws: `SERVICE_UNAVAILABLE` for an outage or a read-only account. `INVALID_CONFIG` is for prepared statements
 * behind a pooler that doesn't support them, and for a database, role or password that the server rejects. Other errors are unchanged.
 */
export function toVerbError(error: unknown): unknown {
  if (isTaskboardError(error)) return error
  if (codeOf(error) === READ_ONLY) return readOnlyRefusal(error)
  if (isOutage(error) || isCollision(error))
    return new TaskboardError('SERVICE_UNAVAILABLE', 'the database cannot be reached', { cause: error })
  return toPoolFault(error) ?? toStatementFault(error) ?? error
}

/** Rejects as `work` does, with the error that a verb throws. */
export async function toVerbErrors<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw toVerbError(error)
  }
}
