import { type Instant, type Principal, scopes, TaskboardError } from '@taskboard/core'
import {
  type CallContext,
  type FoundPrincipal,
  mostRotatedTokens,
  type RefreshOutcome,
  type RefreshRequest,
  type Session,
  sessionOver,
  type SessionStore,
  type SignIn,
} from '@taskboard/core/storage'
import type { Database } from '../database/database.js'
import type { PgConnection } from '../connection/pool.js'
import { statement, type Statement } from '../connection/statement.js'
import { clearLoginAttempts, takeLoginAttempt } from './login-attempts.js'
import { createSessionsOfUser } from './sessions-of-user.js'

interface ShownRow extends Session {
  readonly outcome: RefreshOutcome['outcome']
}

/** The tokens that session `s` replaced within the grace period, newest first. */
const recent = (column: string, most = mostRotatedTokens): string => `select ${column}
      from unnest(s.rotated_hashes, s.rotated_at) with ordinality as r (hash, at, place)
      where r.at + $6::bigint > p.now order by r.place limit ${most}`

/** Without the one that this statement replaces. */
const OTHERS = mostRotatedTokens - 1
/** Whether the shown token is the current one of the session before the update. */
const IS_GOOD = 's.refresh_hash = $3::text'

const IS_RECENT = `$3::text = any (array(${recent('r.hash')}))`

/**
 * Core's `showRefreshToken` on the session's locked row. A caller that waited for the row is judged by its state at that
 * moment. The caller generates the next token, so finding it in the row afterward means that this call stored it.
 */
const showToken = statement<ShownRow>(
  'consume_refresh_token',
  /* sql */ `
  with p as materialized (select coalesce($1::bigint, taskboard.now_ms()) as now)
  update taskboard.session s set
    refresh_hash = case when ${IS_GOOD} then $4::text else s.refresh_hash end,
    rotated_hashes = case when ${IS_GOOD} then s.refresh_hash || array(${recent('r.hash', OTHERS)}) else s.rotated_hashes end,
    rotated_at = case when ${IS_GOOD} then p.now || array(${recent('r.at', OTHERS)}) else s.rotated_at end,
    expires_at = case
      when ${IS_GOOD} then least(p.now + $5::bigint, s.ends_at) when ${IS_RECENT} then s.expires_at else ${sessionOver} end,
    last_used_at = case when ${IS_GOOD} then p.now else s.last_used_at end,
    client_address = case when ${IS_GOOD} then $7::text else s.client_address end,
    user_agent = case when ${IS_GOOD} then $8::text else s.user_agent end
  from p
  where s.family_hash = $2::text and s.expires_at > p.now
  returning s.id, s.user_id as "userId", (s.expires_at - p.now)::float8 as "expiresInMs", case
    when s.refresh_hash = $4::text then 'rotated' when s.expires_at > p.now then 'reused' else 'ended' end as outcome`,
)

/** `SessionStore.consumeRefreshToken`. */
async function consumeRefreshToken(
  database: Database,
  { familyHash, tokenHash, nextTokenHash, ttlMs, reuseGraceMs, origin }: RefreshRequest,
  call: CallContext<PgConnection>,
): Promise<RefreshOutcome | null> {
  const { clientAddress, userAgent } = origin
  const token = [familyHash, tokenHash, nextTokenHash, ttlMs, reuseGraceMs]
  const [row] = await database.read(call, showToken, [call.now, ...token, clientAddress, userAgent])
  if (row === undefined) return null
  const { outcome, ...session } = row
  return { outcome, session }
}

/**
 * Sets an end before any present, because a refresh that waits for the row read the clock earlier. Present, id, hash of the
 * family: one of the last two is null.
 */
const end = statement<Pick<Session, 'id' | 'userId'>>(
  'end_session',
  /* sql */ `
  with p as materialized (select coalesce($1::bigint, taskboard.now_ms()) as now)
  update taskboard.session s set expires_at = ${sessionOver} from p
  where (s.id = $2::text or s.family_hash = $3::text) and s.expires_at > p.now
  returning s.id, s.user_id as "userId"`,
)

/** `SessionStore.endSession`. */
async function endSession(
  database: Database,
  named: Parameters<SessionStore['endSession']>[0],
  call: CallContext<PgConnection>,
): ReturnType<SessionStore['endSession']> {
  const names = 'id' in named ? [named.id, null] : [null, named.familyHash]
  const [session] = await database.read(call, end, [call.now, ...names])
  return session ?? null
}

interface UserRow extends Omit<Principal, 'kind' | 'workspaceIds' | 'scopes'> {
  /** Null for all scopes. */
  readonly scopes: Principal['scopes'] | null
}

interface SessionRow extends UserRow {
  readonly sessionId: string
  readonly expiresInMs: number
  readonly provenAgoMs: number
}

/** The columns of a `UserRow`: `u` is the user, `a` its account. */
const USER = `u.id, u.email as name, u.account_id as "accountId", a.tier, u.scopes,
    u.default_workspace_id as "defaultWorkspaceId"`

const toPrincipal = ({ scopes: listed, ...known }: UserRow): Principal => ({
  ...known,
  scopes: listed ?? scopes,
  kind: 'user',
  workspaceIds: 'all',
})

/** Present, ids of sessions. */
const principalsBySession = statement<SessionRow>(
  'find_sessions',
  /* sql */ `
  select s.id as "sessionId", ${USER},
    (s.expires_at - coalesce($1::bigint, taskboard.now_ms()))::float8 as "expiresInMs",
    (coalesce($1::bigint, taskboard.now_ms()) - s.proven_at)::float8 as "provenAgoMs"
  from unnest($2::text[]) as asked (id)
    cross join lateral (select * from taskboard.session s where s.id = asked.id limit 1) as s
    join taskboard.account_user u on u.id = s.user_id
    join taskboard.account a on a.id = u.account_id
  where s.expires_at > coalesce($1::bigint, taskboard.now_ms())`,
)

interface Call {
  readonly sessionId: string
  readonly now: Instant | null
}

const MOST_AT_ONCE = 200

/** Finds the principal of one kind of credential. */
export type FindPrincipal = (
  credential: string,
  call: CallContext<PgConnection>,
) => Promise<FoundPrincipal | null>

/** Finds the users of sessions. Concurrent calls share a statement. */
export function createFindSession(database: Database): FindPrincipal {
  const find = database.join<Call, SessionRow | undefined>(
    async (calls) => {
      const rows = await database.read(null, principalsBySession, toValues(calls))
      const found = new Map(rows.map((row) => [row.sessionId, row]))
      return calls.map(({ sessionId }) => found.get(sessionId))
    },
    { most: MOST_AT_ONCE, groupOf: ({ now }) => now },
  )

  return async (sessionId, call) => {
    const lookup = { sessionId, now: call.now }
    const row =
      call.tx === undefined
        ? await find(lookup)
        : (await database.read(call, principalsBySession, toValues([lookup])))[0]
    if (row === undefined) return null
    const { expiresInMs, provenAgoMs, ...known } = row
    return { principal: toPrincipal(known), expiresInMs, provenAgoMs, isUseNoted: true }
  }
}

const principalOfUser = statement<UserRow>(
  'find_user_principal',
  /* sql */ `
  select ${USER} from taskboard.account_user u join taskboard.account a on a.id = u.account_id
  where u.id = $1::text`,
)

/** Finds users without a session. */
export function createFindUser(database: Database): FindPrincipal {
  return async (userId, call) => {
    const [row] = await database.read(call, principalOfUser, [userId])
    if (row === undefined) return null
    return { principal: toPrincipal(row), expiresInMs: null, provenAgoMs: null, isUseNoted: true }
  }
}

function toValues(calls: readonly Call[]): readonly unknown[] {
  return [calls[0]?.now ?? null, [...new Set(calls.map(({ sessionId }) => sessionId))]]
}

/** Locks the user's row, so that a password change comes either before the login, or after its commit and revokes the session. */
const addSession = statement<Session>(
  'insert_session',
  /* sql */ `
  with p as materialized (select coalesce($1::bigint, taskboard.now_ms()) as now)
  insert into taskboard.session (id, user_id, family_hash, refresh_hash, created_at, expires_at, ends_at, proven_at,
    last_used_at, client_address, user_agent)
  select $2::text, u.id, $4::text, $5::text, p.now, p.now + least($6::bigint, $8::bigint), p.now + $8::bigint, p.now,
    p.now, $9::text, $10::text
  from p, (
    select * from taskboard.account_user u
    where u.id = $3::text and u.password_hash = coalesce($7::text, u.password_hash)
      and ($11::boolean or u.mfa_secret is not distinct from $12::text) for share
  ) as u
  returning id, user_id as "userId", (expires_at - created_at)::float8 as "expiresInMs"`,
)

/** `SessionStore.insertSession`. */
async function insertSession(
  database: Database,
  {
    userId,
    passwordHash,
    mfaSecret,
    familyHash,
    tokenHash,
    ttlMs,
    longestMs,
    origin: { clientAddress, userAgent },
  }: Parameters<SessionStore['insertSession']>[0],
  call: CallContext<PgConnection>,
): Promise<Session> {
  const id = database.settings.current.newId('ses')
  const [session] = await database.read(call, addSession, [
    call.now,
    id,
    userId,
    familyHash,
    tokenHash,
    ttlMs,
    passwordHash ?? null,
    longestMs,
    clientAddress,
    userAgent,
    mfaSecret === undefined,
    mfaSecret ?? null,
  ])
  if (session === undefined) throw new TaskboardError('NOT_FOUND', 'no such user')
  return session
}

/** The columns of a `SignIn`. The user is `u`. */
const SIGN_IN = `u.id as "userId", u.email, u.email_verified as "isEmailVerified", a.id as "accountId",
    a.name as "accountName", u.password_hash as "passwordHash", u.mfa_secret as "mfaSecret", u.mfa_pending_secret as "mfaPendingSecret", coalesce($2::bigint, taskboard.now_ms())::float8 as "asOf"`

const signInByEmail = statement<SignIn>(
  'find_sign_in',
  /* sql */ `
  select ${SIGN_IN} from taskboard.account_user u join taskboard.account a on a.id = u.account_id where u.email = $1::text`,
)

const signInById = statement<SignIn>(
  'find_sign_in_by_id',
  /* sql */ `
  select ${SIGN_IN} from taskboard.account_user u join taskboard.account a on a.id = u.account_id where u.id = $1::text`,
)

/** `SessionStore.findSignIn`. */
async function findSignIn(
  database: Database,
  named: Parameters<SessionStore['findSignIn']>[0],
  call: CallContext<PgConnection>,
): Promise<SignIn | null> {
  const [signIn] =
    'email' in named
      ? await database.read(call, signInByEmail, [named.email, call.now])
      : await database.read(call, signInById, [named.userId, call.now])
  return signIn ?? null
}

const renewHash = statement<object>(
  'renew_password_hash',
  /* sql */ `
  update taskboard.account_user set password_hash = $3::text
  where id = $1::text and password_hash = $2::text returning id`,
)

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
function changeMfa(
  database: Database,
  { userId, change }: Parameters<SessionStore['changeMfa']>[0],
  call: CallContext<PgConnection>,
): Promise<boolean> {
  switch (change.kind) {
    case 'offer':
      return hasChanged(database, call, offer, [userId, change.sealedSecret])
    case 'enrol': {
      const { sealedSecret, step, recoveryHashes } = change
      return hasChanged(database, call, enrol, [userId, sealedSecret, step, recoveryHashes])
    }
    case 'remove':
      return hasChanged(database, call, remove, [userId])
  }
}

/** Whether a statement on a user found it in the required state. */
async function hasChanged(
  database: Database,
  call: CallContext<PgConnection>,
  change: Statement<object>,
  values: readonly unknown[],
): Promise<boolean> {
  return (await database.read(call, change, values)).length > 0
}

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
function redeemMfa(
  database: Database,
  { userId, ...code }: Parameters<SessionStore['redeemMfa']>[0],
  call: CallContext<PgConnection>,
): Promise<boolean> {
  return 'step' in code
    ? hasChanged(database, call, redeemStep, [userId, code.step])
    : hasChanged(database, call, redeemCode, [userId, code.recoveryHash])
}

/** Logins. Each verb is one statement. A race with exactly one winner is decided on a locked row. */
export function createSessionStore(database: Database): SessionStore<PgConnection> {
  return {
    findSignIn: (named, call) => findSignIn(database, named, call),
    takeLoginAttempt: (attempt, call) => takeLoginAttempt(database, attempt, call),
    clearLoginAttempts: (named, call) => clearLoginAttempts(database, named, call),
    insertSession: (session, call) => insertSession(database, session, call),
    consumeRefreshToken: (request, call) => consumeRefreshToken(database, request, call),
    endSession: (named, call) => endSession(database, named, call),
    renewPasswordHash: ({ userId, passwordHash, next }, call) =>
      hasChanged(database, call, renewHash, [userId, passwordHash, next]),
    ...createSessionsOfUser(database),
    changeMfa: (change, call) => changeMfa(database, change, call),
    redeemMfa: (code, call) => redeemMfa(database, code, call),
  }
}
