import { TaskboardError, type ApiKeyRecord, type Instant, type Principal } from '@taskboard/core'
import type { AccessStore, ApiKeyRotation, Reach } from '@taskboard/core/storage'
import type { Database } from './database.js'
import { byAge } from './subscriptions.js'
import type { MemoryTransaction } from './transactions.js'

type Store = AccessStore<MemoryTransaction>
type KeyVerb =
  'insertApiKey' | 'findPrincipalByKeyHash' | 'listApiKeys' | 'getApiKey' | 'revokeApiKey' | 'rotateApiKey'
type StoredKey = ApiKeyRecord & { readonly hash: string }

/** The part of the access store that is about API keys. */
export function createKeyVerbs(database: Database): Pick<Store, KeyVerb> {
  const { settings, transactions, tables, idempotency } = database
  const { read, write } = transactions
  const byHash = new Map<string, ApiKeyRecord>()
  tables.apiKeys.onChange((before, after) => {
    if (before !== undefined) byHash.delete(before.hash)
    if (after !== undefined) byHash.set(after.hash, after)
  })

  function requireKey(reach: Reach, keyId: string): StoredKey {
    const key = tables.apiKeys.get(keyId)
    if (key === undefined || !isWithin(reach, key)) throw notFound('API key')
    return key
  }

  function add(key: Omit<StoredKey, 'id' | 'createdAt' | 'revokedAt'>, now: Instant): ApiKeyRecord {
    if (byHash.has(key.hash)) throw new TaskboardError('CONFLICT', 'the key already exists')
    const id = settings.current.newId('ak')
    const scopes = Object.freeze([...key.scopes])
    const stored = { ...key, scopes, id, createdAt: now, revokedAt: null }
    tables.apiKeys.set(id, stored)
    return toRecord(stored)
  }

  /** Adds a copy of a key with another secret. */
  function addLike(key: StoredKey, { prefix, hash }: ApiKeyRotation, now: Instant): ApiKeyRecord {
    if (hasEnded(key, now)) throw new TaskboardError('CONFLICT', 'the key has ended')
    return add({ ...key, prefix, hash }, now)
  }

  return {
    insertApiKey: (key, at, claim = null) =>
      write(at, (now) => {
        const { value, replayed } = idempotency.once(claim, now, () => {
          requireWorkspaces(tables, key)
          if (key.expiresAt !== null && key.expiresAt <= now) throw hasPassed()
          return add(key, now)
        })
        return replayed ? refuseRepeat(value) : value
      }),
    findPrincipalByKeyHash: (hash, at) =>
      read(at, (now) => {
        const key = byHash.get(hash)
        if (key === undefined || hasEnded(key, now)) return null
        const account = tables.accounts.get(key.accountId)
        if (account === undefined) return null
        const expiresInMs = key.expiresAt === null ? null : key.expiresAt - now
        return { principal: toPrincipal(key, account.tier), expiresInMs }
      }),
    listApiKeys: (reach, { limit, afterId }, at) =>
      read(at, () => {
        const keys = [...tables.apiKeys.values()]
          .filter((key) => isWithin(reach, key))
          .sort((a, b) => byAge(b, a))
        const start = afterId === null ? 0 : keys.findIndex(({ id }) => id === afterId) + 1
        if (afterId !== null && start === 0) return []
        return keys.slice(start, limit === null ? undefined : start + limit).map(toRecord)
      }),
    getApiKey: (reach, keyId, at) => read(at, () => toRecord(requireKey(reach, keyId))),
    revokeApiKey: (reach, keyId, at) =>
      write(at, (now) => {
        const key = requireKey(reach, keyId)
        const revoked = key.revokedAt === null ? { ...key, revokedAt: now } : key
        if (revoked !== key) tables.apiKeys.set(keyId, revoked)
        return toRecord(revoked)
      }),
    rotateApiKey: (reach, keyId, rotation, at, claim = null) =>
      write(at, (now) => {
        const { value, replayed } = idempotency.once(claim, now, () =>
          addLike(requireKey(reach, keyId), rotation, now),
        )
        if (replayed) return refuseRepeat(value)
        const key = requireKey(reach, keyId)
        const expiresAt = Math.min(key.expiresAt ?? Infinity, now + rotation.overlapMs)
        tables.apiKeys.set(keyId, { ...key, expiresAt })
        return { added: value, replaced: toRecord({ ...key, expiresAt }) }
      }),
  }
}

function requireWorkspaces(
  { accounts, workspaces }: Database['tables'],
  { accountId, workspaceId, defaultWorkspaceId }: Omit<ApiKeyRecord, 'id' | 'createdAt' | 'revokedAt'>,
): void {
  if (accounts.get(accountId) === undefined) throw notFound('account')
  for (const id of [defaultWorkspaceId, workspaceId ?? defaultWorkspaceId]) {
    if (workspaces.get(id)?.accountId !== accountId) throw notFound('workspace', 'workspaceId')
  }
}

/** A key of a workspace is in reach as its workspace is; any other key as its whole account is. */
function isWithin(reach: Reach, { accountId, workspaceId }: ApiKeyRecord): boolean {
  if (reach.accountId !== accountId) return false
  return reach.workspaceIds === 'all' || (workspaceId !== null && reach.workspaceIds.includes(workspaceId))
}

function hasEnded(key: ApiKeyRecord, now: Instant): boolean {
  return key.revokedAt !== null || (key.expiresAt !== null && key.expiresAt <= now)
}

/** A key is shown only once: a repeat cannot return it. */
function refuseRepeat({ id }: { readonly id: string }): never {
  throw new TaskboardError(
    'CONFLICT',
    `the idempotency key was used to make ${id}, which is not shown again`,
    {
      resourceId: id,
    },
  )
}

function toRecord(stored: StoredKey): ApiKeyRecord {
  const { hash: _hash, ...key } = stored
  return key
}

function toPrincipal(key: ApiKeyRecord, tier: Principal['tier']): Principal {
  return {
    id: key.id,
    kind: 'api_key',
    accountId: key.accountId,
    tier,
    scopes: key.scopes,
    workspaceIds: key.workspaceId === null ? 'all' : [key.workspaceId],
    defaultWorkspaceId: key.defaultWorkspaceId,
  }
}

function hasPassed(): TaskboardError {
  return new TaskboardError('INVALID_FIELD', 'expiresAt must be in the future', { field: 'expiresAt' })
}

function notFound(what: string, field?: string): TaskboardError {
  return new TaskboardError('NOT_FOUND', `no such ${what}`, field === undefined ? {} : { field })
}
