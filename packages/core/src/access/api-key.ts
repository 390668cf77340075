import { hash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { Random } from '../environment/index.js'

/** A new key, in plain text for its owner. It isn't stored. */
export interface MintedApiKey {
  readonly key: string
  /** Distinguishes keys in a list. */
  readonly prefix: string
  /** What is stored. */
  readonly hash: string
}

/** Digits and lower-case letters without i, l, o and u (Crockford's base 32), so that no two look alike. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const PREFIX = 'tb_'
const SECRET_BYTES = 20
const SECRET_LENGTH = 32
const CHECKSUM_LENGTH = 7
const CHECKED_LENGTH = PREFIX.length + SECRET_LENGTH
const SHOWN_LENGTH = 11
const SHAPE = /^tb_[0-9a-hjkmnp-tv-z]{39}$/

/** How long every API key is. */
export const API_KEY_LENGTH = CHECKED_LENGTH + CHECKSUM_LENGTH

/**
 * Makes an API key: `tb_`, 160 random bits in 32 characters, and the CRC-32 of both in 7. All keys have 42 characters and match
 * `tb_[0-9a-hjkmnp-tv-z]{39}`, so that secret scanners can find them.
 */
export function mintApiKey(random: Random): MintedApiKey {
  const checked = PREFIX + encodeBytes(random.bytes(SECRET_BYTES))
  const key = checked + checksumOf(checked)
  return { key, prefix: key.slice(0, SHOWN_LENGTH), hash: hashApiKey(key) }
}

/** Whether `text` has a key's form and checksum. A mistyped or truncated key is rejected here, before any lookup. */
export function isApiKey(text: string): boolean {
  return (
    text.length === API_KEY_LENGTH &&
    SHAPE.test(text) &&
    text.endsWith(checksumOf(text.slice(0, CHECKED_LENGTH)))
  )
}

/** The SHA-256 of a key in hexadecimal, which storages keep. 160 random bits need neither salt nor stretching. */
export function hashApiKey(key: string): string {
  return hash('sha256', key, 'hex')
}

function checksumOf(text: string): string {
  let rest = crc32(text)
  let digits = ''
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    digits = ALPHABET.charAt(rest & 31) + digits
    rest >>>= 5
  }
  return digits
}

/** Five bits a character, most significant first; five bytes fill eight characters. */
function encodeBytes(bytes: Uint8Array): string {
  let text = ''
  let held = 0
  let heldBits = 0
  for (const byte of bytes) {
    held = ((held << 8) | byte) & 0xfff
    heldBits += 8
    while (heldBits >= 5) {
      heldBits -= 5
      text += ALPHABET.charAt((held >>> heldBits) & 31)
    }
  }
  return text
}
