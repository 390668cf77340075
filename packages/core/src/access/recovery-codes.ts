import type { Random } from '../environment/index.js'
import { credentialDigest } from './credential-digest.js'

/** New recovery codes, in plain text for their user. They are not stored. */
export interface MintedRecoveryCodes {
  readonly codes: readonly string[]
  /** What is stored. */
  readonly hashes: readonly string[]
}

const COUNT = 10
const CODE_BYTES = 10
const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz'
const SHAPE = /^[0-9a-hjkmnp-tv-z]{16}$/

/** Ten codes of 80 random bits each, as `xxxx-xxxx-xxxx-xxxx` in Crockford's base 32. */
export function mintRecoveryCodes(random: Random): MintedRecoveryCodes {
  const plain = Array.from({ length: COUNT }, () => toDigits(random.bytes(CODE_BYTES)))
  return {
    codes: plain.map((code) => code.replaceAll(/.{4}(?=.)/g, '$&-')),
    hashes: plain.map(credentialDigest),
  }
}

/** The digest of text that may be a recovery code, however it is grouped; null for other text. */
export function hashRecoveryCode(text: string): string | null {
  const code = text.replaceAll(/[\s-]/g, '').toLowerCase()
  return SHAPE.test(code) ? credentialDigest(code) : null
}

/** Five bits a digit: five bytes are eight digits. */
function toDigits(bytes: Uint8Array): string {
  let bits = 0n
  for (const byte of bytes) bits = (bits << 8n) | BigInt(byte)
  let digits = ''
  for (let left = (bytes.length * 8) / 5; left > 0; left--) {
    digits = DIGITS.charAt(Number(bits & 31n)) + digits
    bits >>= 5n
  }
  return digits
}
