import type { Random } from '../environment/index.js'
import { credentialDigest } from './credential-digest.js'

/** The two digests of a refresh token, which are all that is stored of it. */
export interface RefreshTokenHashes {
  /** The same for all tokens of a session. */
  readonly familyHash: string
  readonly tokenHash: string
}

export interface MintedRefreshToken extends RefreshTokenHashes {
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
export function readRefreshToken(text: string): RefreshTokenHashes | null {
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
