import type { SessionStore } from '@taskboard/core/storage'
import type { Database } from './database.js'
import type { MemoryTransaction } from './transactions.js'
import type { StoredUser } from './users.js'

type Store = SessionStore<MemoryTransaction>
type MfaVerb = 'changeMfa' | 'redeemMfa'

/** The part of the session store that is about second factors. */
export function createMfaVerbs({ transactions, tables }: Database): Pick<Store, MfaVerb> {
  const { write } = transactions

  /** Changes a user when that is allowed; returns whether it was. */
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
    changeMfa: ({ userId, change: wanted }, at) =>
      write(at, () => {
        switch (wanted.kind) {
          case 'offer':
            return change(
              userId,
              ({ mfaSecret }) => mfaSecret === null,
              () => ({ mfaPendingSecret: wanted.sealedSecret }),
            )
          case 'enrol': {
            const { sealedSecret, step, recoveryHashes } = wanted
            return change(
              userId,
              ({ mfaSecret, mfaPendingSecret }) => mfaSecret === null && mfaPendingSecret === sealedSecret,
              () => ({ mfaSecret: sealedSecret, mfaPendingSecret: null, mfaStep: step, recoveryHashes }),
            )
          }
          case 'remove':
            return change(
              userId,
              () => true,
              () => ({ mfaSecret: null, mfaPendingSecret: null, mfaStep: null, recoveryHashes: [] }),
            )
        }
      }),
    redeemMfa: ({ userId, ...code }, at) =>
      write(at, () =>
        'step' in code
          ? change(
              userId,
              ({ mfaSecret, mfaStep }) => mfaSecret !== null && (mfaStep === null || mfaStep < code.step),
              () => ({ mfaStep: code.step }),
            )
          : change(
              userId,
              ({ mfaSecret, recoveryHashes }) =>
                mfaSecret !== null && recoveryHashes.includes(code.recoveryHash),
              ({ recoveryHashes }) => ({
                recoveryHashes: recoveryHashes.filter((each) => each !== code.recoveryHash),
              }),
            ),
      ),
  }
}
