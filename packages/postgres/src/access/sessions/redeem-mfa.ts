import type { At, SessionStore } from '@taskboard/core/storage'
import type { Database } from '../../database.js'
import type { PgConnection } from '../../pool.js'
import { statement } from '../../statement.js'
import { hasChanged } from './enrol-mfa.js'

/** The first of concurrent calls writes the row, the others find it written. */
const redeemStep = statement<object>(
  'redeem_mfa_step',
  /* sql */ `
  update taskboard.account_user set mfa_step = $2::bigint
  where id = $1::text and mfa_secret is not null and (mfa_step is null or mfa_step < $2::bigint) returning id`,
)

const redeemCode = statement<object>(
  'redeem_recovery_code',
  /* sql */ `
  update taskboard.account_user set recovery_hashes = array_remove(recovery_hashes, $2::text)
  where id = $1::text and mfa_secret is not null and $2::text = any (recovery_hashes) returning id`,
)

/** `SessionStore.redeemMfa`. */
export function redeemMfa(
  database: Database,
  { userId, ...code }: Parameters<SessionStore['redeemMfa']>[0],
  at: At<PgConnection>,
): Promise<boolean> {
  return 'step' in code
    ? hasChanged(database, at, redeemStep, [userId, code.step])
    : hasChanged(database, at, redeemCode, [userId, code.recoveryHash])
}
