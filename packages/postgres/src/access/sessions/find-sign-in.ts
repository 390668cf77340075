import type { At, SessionStore, SignIn } from '@taskboard/core/storage'
import type { Database } from '../../database.js'
import type { PgConnection } from '../../pool.js'
import { statement } from '../../statement.js'

/** The columns of a `SignIn`. The user is `u`. */
const SIGN_IN = `u.id as "userId", u.email, u.password_hash as "passwordHash", u.mfa_secret as "mfaSecret",
    u.mfa_pending_secret as "mfaPendingSecret", coalesce($2::bigint, taskboard.now_ms())::float8 as "asOf"`

const signInByEmail = statement<SignIn>(
  'find_sign_in',
  /* sql */ `
  select ${SIGN_IN} from taskboard.account_user u where u.email = $1::text`,
)

const signInById = statement<SignIn>(
  'find_sign_in_by_id',
  /* sql */ `
  select ${SIGN_IN} from taskboard.account_user u where u.id = $1::text`,
)

/** `SessionStore.findSignIn`. */
export async function findSignIn(
  database: Database,
  named: Parameters<SessionStore['findSignIn']>[0],
  at: At<PgConnection>,
): Promise<SignIn | null> {
  const [signIn] =
    'email' in named
      ? await database.read(at, signInByEmail, [named.email, at.now])
      : await database.read(at, signInById, [named.userId, at.now])
  return signIn ?? null
}
