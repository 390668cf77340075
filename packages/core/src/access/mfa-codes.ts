import { Secret, TOTP } from 'otpauth'
import type { AuditActor, Environment, Instant, Random } from '../environment/index.js'
import { credentialDigest } from './credential-digest.js'
import type { SecretBox } from './secret-box.js'
import type { SessionStore } from './session-store.js'

/** A secret of one-time passwords (RFC 6238: SHA-1, six digits, thirty seconds), which every authenticator app takes. */
interface TotpSecret {
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

/** New recovery codes, in plain text for their user. They aren't stored. */
interface MintedRecoveryCodes {
  readonly codes: readonly string[]
  /** What is stored. */
  readonly hashes: readonly string[]
}

const COUNT = 10
const CODE_BYTES = 16
const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz'

const SHAPE = /^[0-9a-hjkmnp-tv-z]{26}$/

/** Ten codes of 128 random bits each, in Crockford's base 32, as `xxxx-xxxx-xxxx-xxxx-xxxx-xxxx-xx`. */
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

/** Five bits a digit. */
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

/** Whose code to judge, and when: by the storage's clock, because a process's may be wrong and used steps are stored. */
interface MfaHolder {
  readonly userId: string
  readonly sealedSecret: string
  readonly asOf: Instant
}

/** Accepts the codes of enrolled users, each code once. */
export interface MfaCodes {
  /** Uses up a one-time password or a recovery code. False when it is wrong or was used. */
  redeem(holder: MfaHolder, code: string, by: AuditActor | undefined): Promise<boolean>
  /** The time step of this code; null for none. Uses up nothing. */
  findStep(holder: MfaHolder, code: string): number | null
}

/** The context in which a user's secret is sealed. */
export function mfaContext(userId: string): string {
  return `mfa:${userId}`
}

/** The key under which guesses of a user's one-time passwords are counted, from wherever they come. */
export function codeAttempts(userId: string): string {
  return credentialDigest(mfaContext(userId))
}

export function createMfaCodes(parts: {
  readonly environment: Environment
  readonly store: Pick<SessionStore, 'redeemMfa'>
  readonly secrets: SecretBox
}): MfaCodes {
  const { environment, store, secrets } = parts

  function findStep({ userId, sealedSecret, asOf }: MfaHolder, code: string): number | null {
    return findTotpStep(secrets.open(sealedSecret, mfaContext(userId)), code, asOf)
  }

  return {
    findStep,
    async redeem(holder, code, by) {
      const { userId } = holder
      if (isTotpCode(code)) {
        const step = findStep(holder, code)
        return step !== null && store.redeemMfa({ userId, step }, environment.call({ by }))
      }
      const hash = hashRecoveryCode(code)
      return hash !== null && store.redeemMfa({ userId, recoveryHash: hash }, environment.call({ by }))
    },
  }
}
