import type { At, MfaState, SignIn } from '@taskboard/core/storage'
import type { Database } from '../../database.js'
import type { PgConnection } from '../../pool.js'
import { statement } from '../../statement.js'

const signInByEmail = statement<SignIn>(
  'find_sign_in',
  /* sql */ `
  select u.id as "userId", u.password_hash as "passwordHash", u.mfa_secret as "mfaSecret",
    coalesce($2::bigint, taskboard.now_ms())::float8 as "asOf"
  from taskboard.account_user u where u.email = $1::text`,
)

const mfaOfUser = statement<MfaState>(
  'find_mfa',
  /* sql */ `
  select u.email, u.mfa_secret as secret, u.mfa_pending_secret as "pendingSecret",
    coalesce($2::bigint, taskboard.now_ms())::float8 as "asOf"
  from taskboard.account_user u where u.id = $1::text`,
)

/** `SessionStore.findSignIn`. */
export async function findSignIn(
  database: Database,
  email: string,
  at: At<PgConnection>,
): Promise<SignIn | null> {
  const [signIn] = await database.read(at, signInByEmail, [email, at.now])
  return signIn ?? null
}

/** `SessionStore.findMfa`. */
export async function findMfa(
  database: Database,
  userId: string,
  at: At<PgConnection>,
): Promise<MfaState | null> {
  const [state] = await database.read(at, mfaOfUser, [userId, at.now])
  return state ?? null
}
