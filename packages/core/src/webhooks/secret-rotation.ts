import type { Instant } from '../environment/index.js'
import type { StoredSecret } from './webhook-store.js'

/**
 * The secrets after a rotation: the new one, and beside it the newest old one that is still valid, until `overlapMs` from
 * now at the latest. With an overlap of 0 the new one stands alone. Pure.
 */
export function rotateSecrets(
  before: readonly StoredSecret[],
  sealed: string,
  now: Instant,
  overlapMs: number,
): readonly StoredSecret[] {
  const overlapEnd = now + overlapMs
  const [previous] = before
    .map((old) => ({ sealed: old.sealed, expiresAt: Math.min(old.expiresAt ?? overlapEnd, overlapEnd) }))
    .filter(({ expiresAt }) => expiresAt > now)
  return [{ sealed, expiresAt: null }, ...(previous ? [previous] : [])]
}
