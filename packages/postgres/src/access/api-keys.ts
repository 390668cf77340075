import {
  type ApiKeyRecord,
  type Instant,
  type Principal,
  scopes as everyScope,
  TaskboardError,
  type User,
  type IdempotencyClaim,
} from '@taskboard/core'
import { keyUseMs, type AccessStore, type ApiKeyQuery, type CallContext } from '@taskboard/core/storage'
import type { Database, Session } from '../database/database.js'
import { once } from '../database/idempotency.js'
import type { PgConnection } from '../connection/pool.js'
import { statement } from '../connection/statement.js'
import { keyWithinReach, reachValues } from '../database/reach.js'
import { createFindSession, createFindUser, type FindPrincipal } from './session-store.js'

/** The columns of an `Account`. `alias` names the table or expression. */
export function accountColumns(alias: string): string {
  const a = alias
  return `${a}.id, ${a}.name, ${a}.tier, ${a}.created_at::float8 as "createdAt", ${a}.require_other_person as "requireOtherPerson",
    ${a}.read_only as "readOnly"`
}

/** The columns of a `Workspace`. */
export function workspaceColumns(alias: string): string {
  const a = alias
  return `${a}.id, ${a}.account_id as "accountId", ${a}.name, ${a}.created_at::float8 as "createdAt"`
}

/** The columns of an `ApiKeyRecord`: all except the hash. */
function apiKeyColumns(alias: string): string {
  const a = alias
  return `${a}.id, ${a}.account_id as "accountId", ${a}.workspace_id as "workspaceId",
    ${a}.default_workspace_id as "defaultWorkspaceId", ${a}.name, ${a}.scopes, ${a}.prefix,
    ${a}.created_by as "createdBy", ${a}.created_at::float8 as "createdAt", ${a}.expires_at::float8 as "expiresAt",
    ${a}.revoked_at::float8 as "revokedAt", ${a}.last_used_at::float8 as "lastUsedAt"`
}

/** A stored `User`. */
export interface UserRow extends Omit<User, 'scopes'> {
  /** Null for all scopes. */
  readonly scopes: User['scopes'] | null
}

/** The columns of a `UserRow`. */
export function userColumns(alias: string): string {
  const a = alias
  return `${a}.id, ${a}.account_id as "accountId", ${a}.email, ${a}.scopes, ${a}.created_at::float8 as "createdAt"`
}

export function toUser({ scopes: listed, ...row }: UserRow): User {
  return { ...row, scopes: listed ?? everyScope }
}

interface PrincipalRow extends Omit<Principal, 'kind' | 'workspaceIds'> {
  readonly hash: string
  readonly workspaceId: string | null
  readonly expiresInMs: number | null
  readonly isUseNoted: boolean
}

/** Present, hashes. */
const principalsByHash = statement<PrincipalRow>(
  'find_principals',
  /* sql */ `
  select k.hash, k.id, k.name, k.account_id as "accountId", a.tier, k.scopes, k.workspace_id as "workspaceId",
    k.default_workspace_id as "defaultWorkspaceId", k.created_by as "createdBy",
    (k.expires_at - coalesce($1::bigint, taskboard.now_ms()))::float8 as "expiresInMs",
    coalesce(k.last_used_at > coalesce($1::bigint, taskboard.now_ms()) - ${keyUseMs}, false) as "isUseNoted"
  from unnest($2::text[]) as asked (hash)
    cross join lateral (select * from taskboard.api_key k where k.hash = asked.hash limit 1) as k
    join taskboard.account a on a.id = k.account_id
  where k.revoked_at is null and (k.expires_at is null or k.expires_at > coalesce($1::bigint, taskboard.now_ms()))`,
)

interface Call {
  readonly hash: string
  readonly now: Instant | null
}

const MOST_AT_ONCE = 200

/** `AccessStore.findPrincipal`. */
export function createFindPrincipal(database: Database): AccessStore<PgConnection>['findPrincipal'] {
  const ofKey = createFindKey(database)
  const ofSession = createFindSession(database)
  const ofUser = createFindUser(database)
  return (credential, call) => {
    if ('keyHash' in credential) return ofKey(credential.keyHash, call)
    return 'userId' in credential ? ofUser(credential.userId, call) : ofSession(credential.sessionId, call)
  }
}

/** Finds the principals of keys by their hashes. Concurrent calls share a statement. */
function createFindKey(database: Database): FindPrincipal {
  const find = database.join<Call, PrincipalRow | undefined>(
    async (calls) => {
      const rows = await database.read(null, principalsByHash, toValues(calls))
      const found = new Map(rows.map((row) => [row.hash, row]))
      return calls.map(({ hash }) => found.get(hash))
    },
    { most: MOST_AT_ONCE, groupOf: ({ now }) => now },
  )

  return async (hash, call) => {
    const lookup = { hash, now: call.now }
    const row =
      call.tx === undefined
        ? await find(lookup)
        : (await database.read(call, principalsByHash, toValues([lookup])))[0]
    if (row === undefined) return null
    const { hash: _, workspaceId, expiresInMs, isUseNoted, ...known } = row
    const workspaceIds = workspaceId === null ? 'all' : [workspaceId]
    const principal = { ...known, kind: 'api_key', workspaceIds } as const
    return { principal, expiresInMs, provenAgoMs: null, isUseNoted }
  }
}

function toValues(calls: readonly Call[]): readonly unknown[] {
  return [calls[0]?.now ?? null, [...new Set(calls.map(({ hash }) => hash))]]
}

/**
 * Creates a key, with an idempotency key if there is one. The key's text is shown only once: a retry returns no second one.
 * @throws TaskboardError `CONFLICT` with the key's id for a retry.
 */
async function makeKeyOnce<T extends ApiKeyRecord>(
  database: Database,
  call: CallContext<PgConnection>,
  claim: IdempotencyClaim | null,
  make: (session: Session) => Promise<T>,
): Promise<T> {
  if (claim === null) return make({ run: (what, values) => database.write(call, what, values) })
  const { value, replayed } = await database.atomically(call, (session) =>
    once(session, claim, call.now, make),
  )
  if (!replayed) return value
  const { id } = value
  throw new TaskboardError(
    'CONFLICT',
    `the idempotency key was used to make ${id}, which is not shown again`,
    {
      resourceId: id,
    },
  )
}

type Added = { readonly [Member in keyof ApiKeyRecord]: ApiKeyRecord[Member] | null }

interface AddedRow extends Added {
  readonly hasAccount: boolean
  readonly hasMaker: boolean
  readonly hasWorkspaces: boolean
  readonly isFuture: boolean
}

/** The user who makes a key, as long as it has these scopes. Changes of the user wait, and see the key. */
const makerOf = (account: string, user: string, scopes: string): string => `
    select u.id from taskboard.account_user u
    where u.id = ${user} and u.account_id = ${account} and coalesce(u.scopes @> ${scopes}, true) for share`

const lacksScope = (): TaskboardError =>
  new TaskboardError('FORBIDDEN', 'a key has no scope that its maker lacks')

/** The row gives the rejection: no such account or workspace, an end in the past, or a hash in use (then no key is returned). */
const addKey = statement<AddedRow>(
  'insert_api_key',
  /* sql */ `
  with p as materialized (select coalesce($1::bigint, taskboard.now_ms()) as now),
  maker as materialized (${makerOf('$3::text', '$11::text', '$7::text[]')}),
  reach as materialized (
    select exists (select from taskboard.account where id = $3::text) as has_account,
      exists (select from taskboard.workspace where id = $5::text and account_id = $3::text)
        and exists (
          select from taskboard.workspace where id = coalesce($4::text, $5::text) and account_id = $3::text
        ) as has_workspaces,
      coalesce($10::bigint > p.now, true) as is_future,
      not $12::boolean or exists (select from maker) as has_maker
    from p
  ),
  added as (
    insert into taskboard.api_key
      (id, hash, account_id, workspace_id, default_workspace_id, name, scopes, prefix, created_at, expires_at, created_by)
    select $2::text, $9::text, $3::text, $4::text, $5::text, $6::text, $7::text[], $8::text, p.now, $10::bigint, $11::text
    from p, reach r where r.has_account and r.has_workspaces and r.has_maker and r.is_future
    on conflict (hash) do nothing
    returning *
  )
  select r.has_account as "hasAccount", r.has_workspaces as "hasWorkspaces", r.has_maker as "hasMaker",
    r.is_future as "isFuture", ${apiKeyColumns('k')}
  from reach r left join added k on true`,
)

/** `AccessStore.insertApiKey`. */
export function insertApiKey(
  database: Database,
  { key, isOfUser, idempotency }: Parameters<AccessStore['insertApiKey']>[0],
  call: CallContext<PgConnection>,
): Promise<ApiKeyRecord> {
  const { accountId, workspaceId, defaultWorkspaceId, name, scopes, prefix, hash, createdBy, expiresAt } = key
  const id = database.settings.current.newId('ak')
  const reach = [accountId, workspaceId, defaultWorkspaceId]
  const values = [id, ...reach, name, scopes, prefix, hash, expiresAt, createdBy, isOfUser]
  return makeKeyOnce(database, call, idempotency, async (session) =>
    addApiKey(session, [call.now, ...values]),
  )
}

async function addApiKey(session: Session, values: readonly unknown[]): Promise<ApiKeyRecord> {
  const [row] = await session.run(addKey, values)
  if (row?.hasAccount !== true) throw new TaskboardError('NOT_FOUND', 'no such account')
  if (!row.hasWorkspaces) {
    throw new TaskboardError('NOT_FOUND', 'no such workspace', { field: 'workspaceId' })
  }
  if (!row.hasMaker) throw lacksScope()
  if (!row.isFuture) {
    throw new TaskboardError('INVALID_FIELD', 'expiresAt must be in the future', { field: 'expiresAt' })
  }
  if (row.id === null) throw new TaskboardError('CONFLICT', 'the key already exists')
  const { hasAccount: _account, hasWorkspaces: _spaces, hasMaker: _maker, isFuture: _future, ...record } = row
  return record as ApiKeyRecord
}

/** The page after a key that doesn't exist, or is beyond reach, is empty. */
const keysWithinReach = statement<ApiKeyRecord>(
  'list_api_keys',
  /* sql */ `
  select ${apiKeyColumns('k')} from taskboard.api_key k
  where ${keyWithinReach('k', '$1', '$2')}
    and ($3::text is null or (k.created_at, k.id) < (
      select l.created_at, l.id from taskboard.api_key l
      where l.id = $3::text and ${keyWithinReach('l', '$1', '$2')}
    ))
  order by k.created_at desc, k.id desc limit $4::integer`,
)

const keyById = statement<ApiKeyRecord>(
  'get_api_key',
  /* sql */ `
  select ${apiKeyColumns('k')} from taskboard.api_key k
  where k.id = $3::text and ${keyWithinReach('k', '$1', '$2')}`,
)

/** `AccessStore.listApiKeys`. */
export function listApiKeys(
  database: Database,
  query: ApiKeyQuery,
  call: CallContext<PgConnection>,
): Promise<readonly ApiKeyRecord[]> {
  const reach = reachValues(query.reach)
  return 'keyId' in query
    ? database.read(call, keyById, [...reach, query.keyId])
    : database.read(call, keysWithinReach, [...reach, query.afterId, query.limit])
}

type KeyRow = ApiKeyRecord & { readonly isNew: boolean }

/** A retry keeps the time of the first revocation. */
const revokeKey = statement<KeyRow>(
  'revoke_api_key',
  /* sql */ `
  update taskboard.api_key k
  set revoked_at = coalesce(o.revoked_at, $1::bigint, taskboard.now_ms())
  from (
    select l.id, l.revoked_at from taskboard.api_key l
    where l.id = $4::text and ${keyWithinReach('l', '$2', '$3')} for update
  ) as o
  where k.id = o.id
  returning ${apiKeyColumns('k')}, o.revoked_at is null as "isNew"`,
)

/** `AccessStore.revokeApiKey`. */
export async function revokeApiKey(
  database: Database,
  { reach, keyId }: Parameters<AccessStore['revokeApiKey']>[0],
  call: CallContext<PgConnection>,
): ReturnType<AccessStore['revokeApiKey']> {
  const [row] = await database.write(call, revokeKey, [call.now, ...reachValues(reach), keyId])
  if (row === undefined) throw new TaskboardError('NOT_FOUND', 'no such API key')
  return { key: toRecord(row), isNew: row.isNew }
}

const noteUse = statement<never>(
  'note_key_use',
  /* sql */ `
  update taskboard.api_key k set last_used_at = coalesce($1::bigint, taskboard.now_ms())
  where k.id = $2::text
    and (k.last_used_at is null or k.last_used_at <= coalesce($1::bigint, taskboard.now_ms()) - ${keyUseMs})`,
)

/** `AccessStore.noteKeyUse`. */
export async function noteKeyUse(
  database: Database,
  { keyId }: Parameters<AccessStore['noteKeyUse']>[0],
  call: CallContext<PgConnection>,
): Promise<void> {
  await database.write(call, noteUse, [call.now, keyId])
}

type RotatedRow = KeyRow & { readonly hasMaker: boolean }

/**
 * Returns the old key and the new one. Returns only the old one when it is revoked or expired, or its maker lacks a scope; no row when it
 * doesn't exist. Locks the user before the key, as changes of users do.
 */
const rotateKey = statement<RotatedRow>(
  'rotate_api_key',
  /* sql */ `
  with p as materialized (select coalesce($1::bigint, taskboard.now_ms()) as now),
  maker as materialized (
    select u.id from taskboard.api_key k, lateral (${makerOf('k.account_id', 'k.created_by', 'k.scopes')}) as u
    where k.id = $4::text and ${keyWithinReach('k', '$2', '$3')}
  ),
  allowed as materialized (select not $9::boolean or exists (select from maker) as has_maker),
  rotated_key as materialized (
    select k.* from taskboard.api_key k, allowed
    where k.id = $4::text and ${keyWithinReach('k', '$2', '$3')} for update of k
  ),
  live_key as materialized (
    select o.* from rotated_key o, p, allowed a
    where a.has_maker and o.revoked_at is null and (o.expires_at is null or o.expires_at > p.now)
  ),
  replaced as (
    update taskboard.api_key k set expires_at = least(l.expires_at, p.now + $8::bigint)
    from live_key l, p where k.id = l.id
    returning k.*
  ),
  added as (
    insert into taskboard.api_key
      (id, hash, account_id, workspace_id, default_workspace_id, name, scopes, prefix, created_at, expires_at, created_by)
    select $5::text, $6::text, l.account_id, l.workspace_id, l.default_workspace_id, l.name, l.scopes,
      $7::text, p.now, l.expires_at, l.created_by
    from live_key l, p
    returning *
  )
  select ${apiKeyColumns('a')}, true as "isNew", true as "hasMaker" from added a
  union all select ${apiKeyColumns('r')}, false, true from replaced r
  union all select ${apiKeyColumns('o')}, false, w.has_maker from rotated_key o, allowed w
    where not exists (select from live_key)`,
)

/** `AccessStore.rotateApiKey`. */
export async function rotateApiKey(
  database: Database,
  {
    reach,
    keyId,
    prefix,
    hash,
    overlapMs,
    isOfUser,
    idempotency,
  }: Parameters<AccessStore['rotateApiKey']>[0],
  call: CallContext<PgConnection>,
): ReturnType<AccessStore['rotateApiKey']> {
  const id = database.settings.current.newId('ak')
  const values = [call.now, ...reachValues(reach), keyId, id, hash, prefix, overlapMs, isOfUser]
  let replaced: ApiKeyRecord | undefined
  const rotate = async (session: Session): Promise<ApiKeyRecord> => {
    const rows = await session.run(rotateKey, values)
    const added = rows.find(({ isNew }) => isNew)
    const old = rows.find(({ isNew }) => !isNew)
    if (old === undefined) throw new TaskboardError('NOT_FOUND', 'no such API key')
    if (!old.hasMaker) throw lacksScope()
    replaced = toRecord(old)
    if (added === undefined) throw new TaskboardError('CONFLICT', 'the key is revoked or expired')
    return toRecord(added)
  }
  const added = await makeKeyOnce(database, call, idempotency, rotate)
  if (replaced === undefined) throw new Error('a key was rotated without being asked for')
  return { added, replaced }
}

function toRecord({
  isNew: _isNew,
  hasMaker: _hasMaker,
  ...key
}: KeyRow & Partial<RotatedRow>): ApiKeyRecord {
  return key
}
