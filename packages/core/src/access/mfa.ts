import type { AuditActor, Environment } from '../environment/index.js'
import { TaskboardError } from '../errors/index.js'
import { codeAttempts, type MfaCodes, mfaContext, mintRecoveryCodes, mintTotpSecret } from './mfa-codes.js'
import type { SecretBox } from './secret-box.js'
import { requireAllowed } from './login-check.js'
import type { OwnSession, Sessions, SessionsDeps } from './sessions.js'
import type { SessionStore, SignIn } from './session-store.js'

/** A user's second factor: one-time passwords by time (RFC 6238). For the board's own users, by their id. */
export interface Mfa {
  /**
   * Makes a secret, which takes effect when it is confirmed. It replaces an earlier unconfirmed one.
   * @throws TaskboardError `CONFLICT` when the user is enrolled.
   */
  begin(userId: string): Promise<{ readonly otpauthUri: string; readonly secret: string }>
  /**
   * Enrolls the user with the secret of `begin`, once a code shows that it is in an app. The recovery codes are returned only here;
   * each can be used once in place of a code. All other sessions of the user end.
   * @throws TaskboardError `INVALID_FIELD` (`mfaCode`) for a wrong code, `CONFLICT` when no secret waits for confirmation,
   *   `RATE_LIMITED` after five wrong ones.
   */
  confirm(
    session: OwnSession,
    mfaCode: string,
    by: AuditActor,
  ): Promise<{ readonly recoveryCodes: readonly string[] }>
  /**
   * Ends the enrolment with a one-time password or a recovery code. All other sessions of the user end.
   * @throws TaskboardError as `confirm`; `CONFLICT` when the user isn't enrolled.
   */
  remove(session: OwnSession, mfaCode: string, by: AuditActor): Promise<void>
  /** Ends the enrolment and all sessions of a user who has lost the app and the recovery codes. @throws TaskboardError `NOT_FOUND`. */
  reset(userId: string, by: AuditActor | undefined): Promise<void>
}

export interface MfaDeps {
  readonly environment: Environment
  readonly store: SessionStore
  readonly secrets: SecretBox
  readonly codes: MfaCodes
  /** What apps show next to the user's address. */
  readonly issuer: string
  readonly sessions: Pick<Sessions, 'end'>
  /** Called for each wrong code, for the audit. */
  readonly onRefused: SessionsDeps['onRefused']
}

/** The service behind `/v2/account/mfa`. */
export function createMfa(deps: MfaDeps): Mfa {
  const { environment, store, secrets, codes, issuer, sessions, onRefused } = deps
  const { random } = environment

  async function find(userId: string): Promise<SignIn> {
    const signIn = await store.findSignIn({ userId }, environment.call())
    if (signIn !== null) return signIn
    throw new TaskboardError('NOT_FOUND', 'no such user')
  }

  /** Counts a check of a code as one of five guesses, and forgets them when the code is right. */
  async function guess(userId: string, by: AuditActor, check: () => Promise<boolean>): Promise<void> {
    const key = codeAttempts(userId)
    const decision = await store.takeLoginAttempt({ key, kind: 'code' }, environment.call())
    if (!decision.allowed) onRefused({ action: 'login.locked', userId, by })
    requireAllowed(decision, 'too many wrong codes')
    if (!(await check())) {
      onRefused({ action: 'login.failed', userId, by })
      throw new TaskboardError('INVALID_FIELD', 'mfaCode is wrong or was already used', { field: 'mfaCode' })
    }
    await store.clearLoginAttempts({ key }, environment.call())
  }

  return {
    async begin(userId) {
      const { email } = await find(userId)
      const { text, uri } = mintTotpSecret(random, issuer, email)
      if (
        !(await store.changeMfa(
          { userId, change: { kind: 'offer', sealedSecret: secrets.seal(text, mfaContext(userId)) } },
          environment.call(),
        ))
      )
        throw enrolled()
      return { otpauthUri: uri, secret: text }
    },
    async confirm({ userId, sessionId }, mfaCode, by) {
      const { mfaSecret, mfaPendingSecret: pendingSecret, asOf } = await find(userId)
      if (mfaSecret !== null) throw enrolled()
      if (pendingSecret === null)
        throw new TaskboardError('CONFLICT', 'no secret waits for confirmation; begin the enrolment first')
      const { codes: recoveryCodes, hashes: recoveryHashes } = mintRecoveryCodes(random)
      await guess(userId, by, async () => {
        const step = codes.findStep({ userId, sealedSecret: pendingSecret, asOf }, mfaCode)
        if (step === null) return false
        return store.changeMfa(
          { userId, change: { kind: 'enrol', sealedSecret: pendingSecret, step, recoveryHashes } },
          environment.call({ by }),
        )
      })
      await sessions.end(userId, { exceptId: sessionId }, by)
      return { recoveryCodes }
    },
    async remove({ userId, sessionId }, mfaCode, by) {
      const { mfaSecret: secret, asOf } = await find(userId)
      if (secret === null) throw new TaskboardError('CONFLICT', 'the user is not enrolled')
      await guess(userId, by, () => codes.redeem({ userId, sealedSecret: secret, asOf }, mfaCode, by))
      await store.changeMfa({ userId, change: { kind: 'remove' } }, environment.call({ by }))
      await sessions.end(userId, { exceptId: sessionId }, by)
    },
    async reset(userId, by) {
      const change = { userId, change: { kind: 'remove' } } as const
      const isKnown = await store.changeMfa(change, environment.call({ by }))
      if (!isKnown) throw new TaskboardError('NOT_FOUND', 'no such user')
      await sessions.end(userId, { exceptId: null }, by)
    },
  }
}

function enrolled(): TaskboardError {
  return new TaskboardError('CONFLICT', 'the user is already enrolled')
}
