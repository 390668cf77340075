import { Secret, TOTP } from 'otpauth'
import type { Instant, Random } from '../environment/index.js'

/** A secret of one-time passwords (RFC 6238: SHA-1, six digits, thirty seconds), which every authenticator app takes. */
export interface TotpSecret {
  /** In base 32, to type in. */
  readonly text: string
  /** `otpauth://totp/…`, to show as a QR code. */
  readonly uri: string
}

const SECRET_BYTES = 20
const STEP_MS = 30_000
/** How many steps a code may be early or late. */
const WINDOW = 1
const CODE = /^\d{6}$/
const FORM = { algorithm: 'SHA1', digits: 6, period: STEP_MS / 1_000 } as const

/** Makes a secret of 160 bits; `issuer` and `label` identify it in an app. */
export function mintTotpSecret(random: Random, issuer: string, label: string): TotpSecret {
  const secret = new Secret({ buffer: new Uint8Array(random.bytes(SECRET_BYTES)).buffer })
  const totp = new TOTP({ ...FORM, issuer, label, secret })
  return { text: secret.base32, uri: totp.toString() }
}

/** Whether text has the form of a one-time password. */
export function isTotpCode(text: string): boolean {
  return CODE.test(text)
}

/** The time step of this code, at most one before or after the present; null for none. */
export function findTotpStep(secretText: string, code: string, now: Instant): number | null {
  if (!isTotpCode(code)) return null
  const totp = new TOTP({ ...FORM, secret: Secret.fromBase32(secretText) })
  const delta = totp.validate({ token: code, timestamp: now, window: WINDOW })
  return delta === null ? null : Math.floor(now / STEP_MS) + delta
}
