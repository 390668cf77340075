import { createHmac } from 'node:crypto'

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
const STEP_MS = 30_000

/** The one-time password that an authenticator app shows at `now` for a secret in base 32 (RFC 6238: SHA-1, six digits). */
export function oneTimePassword(secret: string, now: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(now / STEP_MS)))
  const digest = createHmac('sha1', decodeBase32(secret)).update(counter).digest()
  const offset = (digest.at(-1) ?? 0) & 15
  return String((digest.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0')
}

function decodeBase32(text: string): Uint8Array {
  const bits = Array.from(text, (digit) => DIGITS.indexOf(digit).toString(2).padStart(5, '0')).join('')
  return Uint8Array.from(bits.match(/.{8}/g) ?? [], (byte) => Number.parseInt(byte, 2))
}
