import type { At, SessionStore } from '@taskboard/core/storage'
import type { Database } from '../../database.js'
import type { PgConnection } from '../../pool.js'
import { statement, type Statement } from '../../statement.js'

const offer = statement<object>(
  'offer_mfa',
  /* sql */ `
  update taskboard.account_user set mfa_pending_secret = $2::text
  where id = $1::text and mfa_secret is null returning id`,
)

const enrol = statement<object>(
  'enrol_mfa',
  /* sql */ `
  update taskboard.account_user
  set mfa_secret = mfa_pending_secret, mfa_pending_secret = null, mfa_step = $3::bigint, recovery_hashes = $4::text[]
  where id = $1::text and mfa_secret is null and mfa_pending_secret = $2::text returning id`,
)

const remove = statement<object>(
  'remove_mfa',
  /* sql */ `
  update taskboard.account_user
  set mfa_secret = null, mfa_pending_secret = null, mfa_step = null, recovery_hashes = '{}'
  where id = $1::text returning id`,
)

/** `SessionStore.changeMfa`. */
export function changeMfa(
  database: Database,
  { userId, change }: Parameters<SessionStore['changeMfa']>[0],
  at: At<PgConnection>,
): Promise<boolean> {
  switch (change.kind) {
    case 'offer':
      return hasChanged(database, at, offer, [userId, change.sealedSecret])
    case 'enrol': {
      const { sealedSecret, step, recoveryHashes } = change
      return hasChanged(database, at, enrol, [userId, sealedSecret, step, recoveryHashes])
    }
    case 'remove':
      return hasChanged(database, at, remove, [userId])
  }
}

/** Whether a statement on a user found it in the required state. */
export async function hasChanged(
  database: Database,
  at: At<PgConnection>,
  change: Statement<object>,
  values: readonly unknown[],
): Promise<boolean> {
  return (await database.read(at, change, values)).length > 0
}
