import type { Instant } from '../environment/index.js'
import type { StoredSecret } from './webhook-store.js'

/**
 * The secrets after a rotation: the new one, and the newest old one that is still valid, for at most `overlapMs` from now.
 * With an overlap of 0, only the new one. Pure.
 * @example
 * ```ts
 * import { rotateSecrets } from '@taskboard/core/storage'
 *
 * const before = [{ sealed: 'old', expiresAt: null }]
 * console.log(rotateSecrets(before, 'new', 0, 60_000).map(({ expiresAt }) => expiresAt)) // [ null, 60000 ]
 * ```
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
