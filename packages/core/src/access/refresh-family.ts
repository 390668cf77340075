import type { Instant } from '../environment/index.js'
import type { RefreshOutcome, RefreshRequest } from './session-store.js'

/** The refresh tokens of one session. */
export interface RefreshFamily {
  /** The current one. */
  readonly tokenHash: string
  /** Those that were replaced within the last `reuseGraceMs`, newest first, at most `mostRotatedTokens`. */
  readonly rotated: readonly { readonly hash: string; readonly at: Instant }[]
  /** When the session ends; `sessionOver` for one that was ended. */
  readonly expiresAt: Instant
}

/** Before every present, also for a clock that is behind or that was read before the session ended. */
export const sessionOver: Instant = 0

/** As many as a client can have in progress by mistake. A client that refreshes in a loop does not make the session larger. */
export const mostRotatedTokens = 20

/**
 * The effect of showing a token of the family; null when the session is over. A token that is neither current nor replaced a moment ago
 * ends the family: only a holder of one of its tokens knows how they begin.
 * @example
 * ```ts
 * import { showRefreshToken } from '@taskboard/core/storage'
 *
 * const family = { tokenHash: 'first', rotated: [], expiresAt: 60_000 }
 * const request = { familyHash: 'f', tokenHash: 'first', nextTokenHash: 'next', ttlMs: 60_000, reuseGraceMs: 10_000 }
 * const shown = showRefreshToken(family, request, 1_000)
 * console.log(shown?.outcome, shown?.after.tokenHash) // rotated next
 * ```
 */
export function showRefreshToken(
  family: RefreshFamily,
  { tokenHash, nextTokenHash, ttlMs, reuseGraceMs }: RefreshRequest,
  now: Instant,
): { readonly after: RefreshFamily; readonly outcome: RefreshOutcome['outcome'] } | null {
  if (family.expiresAt <= now) return null
  const rotated = family.rotated.filter(({ at }) => at + reuseGraceMs > now)
  if (family.tokenHash === tokenHash) {
    const after = {
      tokenHash: nextTokenHash,
      rotated: [{ hash: tokenHash, at: now }, ...rotated].slice(0, mostRotatedTokens),
      expiresAt: now + ttlMs,
    }
    return { after, outcome: 'rotated' }
  }
  if (rotated.some(({ hash }) => hash === tokenHash)) return { after: family, outcome: 'reused' }
  return { after: { ...family, expiresAt: sessionOver }, outcome: 'ended' }
}
