import type { Principal } from '../access/index.js'
import type { Instant } from '../environment/index.js'

/** How a credential is checked again. */
export interface Recheck {
  readonly intervalMs: number
  /** Whether the answer depends on the connection as well. If not, one check is for all connections with the credential. */
  readonly readsOrigin: boolean
}

/** Whether two credentials have the same rights. Compares without garbage: thousands of connections do so every second. */
export function hasSamePermissions(before: Principal, after: Principal): boolean {
  if (before === after) return true
  return (
    before.accountId === after.accountId &&
    hasSameMembers(before.scopes, after.scopes) &&
    hasSameMembers(before.workspaceIds, after.workspaceIds)
  )
}

/** Whether two lists without repetition have the same members in any order; `all` is like no list. */
function hasSameMembers<T extends string>(
  before: readonly T[] | 'all',
  after: readonly T[] | 'all',
): boolean {
  if (before === 'all' || after === 'all') return before === after
  if (before.length !== after.length) return false
  // Mostly in the same order: a search for each member of a long list would take its square.
  for (let at = 0; at < before.length; at++) {
    const member = before[at] as T
    if (after[at] !== member && !after.includes(member)) return false
  }
  return true
}

const JWT = /^bearer [\w-]+\.([\w-]+)\.[\w-]+$/i

/**
 * When a valid credential expires: the `exp` of a JWT (RFC 7519, 4.1.4). It can then be rechecked at that time and not only at the next
 * interval. Null for anything else.
 */
export function tokenExpiry(authorization: string): Instant | null {
  const payload = JWT.exec(authorization)?.[1]
  if (payload === undefined) return null
  try {
    const { exp } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { exp?: unknown }
    return typeof exp === 'number' && Number.isFinite(exp) ? Math.ceil(exp * 1000) : null
  } catch {
    return null
  }
}

/** Checks of an interval come at up to so many different times, whenever their connections began. */
const TIMES_IN_INTERVAL = 4
const LONGEST_STEP_MS = 250

/** The last common time up to `at`: each pass over many connections then checks many of them. */
export function commonTime(at: Instant, intervalMs: number): Instant {
  const stepMs = Math.min(intervalMs / TIMES_IN_INTERVAL, LONGEST_STEP_MS)
  return at - (at % stepMs)
}
