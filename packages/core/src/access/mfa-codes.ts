import type { At, Environment, Instant } from '../environment/index.js'
import { hashRecoveryCode } from './recovery-codes.js'
import type { SecretBox } from './secret-box.js'
import type { SessionStore } from './session-store.js'
import { findTotpStep, isTotpCode } from './totp.js'

/** Whose code to judge, and when: by the storage's clock, because a process's may be wrong and used steps are stored. */
export interface MfaHolder {
  readonly userId: string
  readonly sealedSecret: string
  readonly asOf: Instant
}

/** Accepts the codes of enrolled users, each code once. */
export interface MfaCodes {
  /** Uses up a one-time password or a recovery code. False when it is wrong or was used. */
  redeem(holder: MfaHolder, code: string): Promise<boolean>
  /** The time step of this code; null for none. Uses up nothing. */
  findStep(holder: MfaHolder, code: string): number | null
}

/** The context in which a user's secret is sealed. */
export function mfaContext(userId: string): string {
  return `mfa:${userId}`
}

export function createMfaCodes(parts: {
  readonly environment: Environment
  readonly store: Pick<SessionStore, 'redeemMfa'>
  readonly secrets: SecretBox
}): MfaCodes {
  const { environment, store, secrets } = parts
  const at = (): At => ({ now: environment.storageNow() })

  function findStep({ userId, sealedSecret, asOf }: MfaHolder, code: string): number | null {
    return findTotpStep(secrets.open(sealedSecret, mfaContext(userId)), code, asOf)
  }

  return {
    findStep,
    async redeem(holder, code) {
      const { userId } = holder
      if (isTotpCode(code)) {
        const step = findStep(holder, code)
        return step !== null && store.redeemMfa({ userId, step }, at())
      }
      const hash = hashRecoveryCode(code)
      return hash !== null && store.redeemMfa({ userId, recoveryHash: hash }, at())
    },
  }
}
