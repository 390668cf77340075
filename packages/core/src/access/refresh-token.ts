import type { Instant, Random } from '../environment/index.js'
import { credentialDigest } from './credential-digest.js'
import type { RefreshOutcome, RefreshRequest } from './session-store.js'

/** The refresh tokens of one session. */
export interface RefreshFamily {
  /** The current one. */
  readonly tokenHash: string
  /** Those that were replaced within the last `reuseGraceMs`, newest first, at most `mostRotatedTokens`. */
  readonly rotated: readonly { readonly hash: string; readonly at: Instant }[]
  /** When the session expires; `sessionOver` for one that was revoked. */
  readonly expiresAt: Instant
  /** When it ends at the latest, however often it is refreshed. */
  readonly endsAt: Instant
}

/** Before every present, including for a clock that is behind or that was read before the session was revoked. */
export const sessionOver: Instant = 0

/** As many as a client can have in progress by mistake. A client that refreshes in a loop doesn't make the session larger. */
export const mostRotatedTokens = 20

/**
 * The effect of showing a token of the family; null when the session is over. A token that is neither current nor replaced a moment ago
 * revokes the family. Only a holder of one of its tokens knows how they begin.
 * @example
 * ```ts
 * import { showRefreshToken } from '@taskboard/core/storage'
 *
 * const family = { tokenHash: 'first', rotated: [], expiresAt: 60_000, endsAt: 90_000 }
 * const request = { tokenHash: 'first', nextTokenHash: 'next', ttlMs: 60_000, reuseGraceMs: 10_000 }
 * const shown = showRefreshToken(family, request, 1_000)
 * console.log(shown?.outcome, shown?.after.tokenHash) // rotated next
 * ```
 */
export function showRefreshToken(
  family: RefreshFamily,
  {
    tokenHash,
    nextTokenHash,
    ttlMs,
    reuseGraceMs,
  }: Pick<RefreshRequest, 'tokenHash' | 'nextTokenHash' | 'ttlMs' | 'reuseGraceMs'>,
  now: Instant,
): { readonly after: RefreshFamily; readonly outcome: RefreshOutcome['outcome'] } | null {
  if (family.expiresAt <= now) return null
  const rotated = family.rotated.filter(({ at }) => at + reuseGraceMs > now)
  if (family.tokenHash === tokenHash) {
    const after = {
      ...family,
      tokenHash: nextTokenHash,
      rotated: [{ hash: tokenHash, at: now }, ...rotated].slice(0, mostRotatedTokens),
      expiresAt: Math.min(now + ttlMs, family.endsAt),
    }
    return { after, outcome: 'rotated' }
  }
  if (rotated.some(({ hash }) => hash === tokenHash)) return { after: family, outcome: 'reused' }
  return { after: { ...family, expiresAt: sessionOver }, outcome: 'ended' }
}

/** The two digests of a refresh token, which are all that is stored of it. */
export interface RefreshTokenHashes {
  /** The same for all tokens of a session. */
  readonly familyHash: string
  readonly tokenHash: string
}

interface MintedRefreshToken extends RefreshTokenHashes {
  readonly token: string
}

const PREFIX = 'tbr_'
/** 128 bits in 22 characters that the tokens of a session share, and 256 bits in 43 that differ. */
const FAMILY_BYTES = 16
const OWN_BYTES = 32
const FAMILY_LENGTH = 22

const SHAPE = /^tbr_[A-Za-z0-9_-]{65}$/

/** Makes a refresh token: the first of a session or, given one of its tokens, the next. */
export function mintRefreshToken(random: Random, earlier?: string): MintedRefreshToken {
  const family = earlier === undefined ? toText(random.bytes(FAMILY_BYTES)) : familyOf(earlier)
  const token = PREFIX + family + toText(random.bytes(OWN_BYTES))
  return { token, ...hashesOf(token) }
}

/** The digests of text that has a refresh token's form; null for other text. */
export function parseRefreshToken(text: string): RefreshTokenHashes | null {
  return SHAPE.test(text) ? hashesOf(text) : null
}

function hashesOf(token: string): RefreshTokenHashes {
  return { familyHash: credentialDigest(familyOf(token)), tokenHash: credentialDigest(token) }
}

function familyOf(token: string): string {
  return token.slice(PREFIX.length, PREFIX.length + FAMILY_LENGTH)
}

function toText(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64url')
}
