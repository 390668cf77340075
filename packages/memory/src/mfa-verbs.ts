import type { SessionStore } from '@taskboard/core'
import type { Database } from './database.js'
import type { MemoryTransaction } from './transactions.js'
import type { StoredUser } from './users.js'

type Store = SessionStore<MemoryTransaction>
type MfaVerb = 'findMfa' | 'offerMfa' | 'enrolMfa' | 'redeemMfaStep' | 'redeemRecoveryCode' | 'removeMfa'

/** The part of the session store that is about second factors. */
export function createMfaVerbs({ transactions, tables }: Database): Pick<Store, MfaVerb> {
  const { read, write } = transactions

  /** Changes a user for whom it is allowed; says whether it was. */
  function change(
    userId: string,
    isAllowed: (user: StoredUser) => boolean,
    changed: (user: StoredUser) => Partial<StoredUser>,
  ): boolean {
    const user = tables.users.get(userId)
    if (user === undefined || !isAllowed(user)) return false
    tables.users.set(userId, { ...user, ...changed(user) })
    return true
  }

  return {
    findMfa: (userId, at) =>
      read(at, (now) => {
        const found = tables.users.get(userId)
        if (found === undefined) return null
        const { user, mfaSecret: secret, mfaPendingSecret: pendingSecret } = found
        return { email: user.email, secret, pendingSecret, asOf: now }
      }),
    offerMfa: (userId, mfaPendingSecret, at) =>
      write(at, () =>
        change(
          userId,
          ({ mfaSecret }) => mfaSecret === null,
          () => ({ mfaPendingSecret }),
        ),
      ),
    enrolMfa: (userId, { sealedSecret, step, recoveryHashes }, at) =>
      write(at, () =>
        change(
          userId,
          ({ mfaSecret, mfaPendingSecret }) => mfaSecret === null && mfaPendingSecret === sealedSecret,
          () => ({ mfaSecret: sealedSecret, mfaPendingSecret: null, mfaStep: step, recoveryHashes }),
        ),
      ),
    redeemMfaStep: (userId, step, at) =>
      write(at, () =>
        change(
          userId,
          ({ mfaSecret, mfaStep }) => mfaSecret !== null && (mfaStep === null || mfaStep < step),
          () => ({ mfaStep: step }),
        ),
      ),
    redeemRecoveryCode: (userId, hash, at) =>
      write(at, () =>
        change(
          userId,
          ({ mfaSecret, recoveryHashes }) => mfaSecret !== null && recoveryHashes.includes(hash),
          ({ recoveryHashes }) => ({ recoveryHashes: recoveryHashes.filter((each) => each !== hash) }),
        ),
      ),
    removeMfa: (userId, at) =>
      write(at, () => {
        const none = { mfaSecret: null, mfaPendingSecret: null, mfaStep: null, recoveryHashes: [] }
        change(
          userId,
          () => true,
          () => none,
        )
      }),
  }
}
