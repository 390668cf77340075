import type { Instant } from '../environment/index.js'
import type { RefreshOutcome, RefreshRequest } from './session-store.js'

/** The refresh tokens of one session. */
export interface RefreshFamily {
  /** The one that is good now. */
  readonly tokenHash: string
  /** Those that were replaced within the last `reuseGraceMs`. */
  readonly rotated: readonly { readonly hash: string; readonly at: Instant }[]
  /** When the session ends; in the past for one that is over. */
  readonly expiresAt: Instant
}

/**
 * What showing a token of the family's does to it; null when the session is over. Any token that is neither good nor replaced
 * a moment ago ends the family: only those who held one of its tokens know how theirs begin.
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
      rotated: [...rotated, { hash: tokenHash, at: now }],
      expiresAt: now + ttlMs,
    }
    return { after, outcome: 'rotated' }
  }
  if (rotated.some(({ hash }) => hash === tokenHash)) return { after: family, outcome: 'reused' }
  return { after: { ...family, expiresAt: now }, outcome: 'ended' }
}
