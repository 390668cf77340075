import { TaskboardError, type ApiKeyRecord, type Instant } from '@taskboard/core'
import type { AccessStore, ApiKeyRotation, Reach } from '@taskboard/core/storage'
import type { Database } from './database.js'
import { hasEnded } from './find-principal.js'
import { byAge } from './subscriptions.js'
import type { MemoryTransaction } from './transactions.js'

type Store = AccessStore<MemoryTransaction>
type KeyVerb = 'insertApiKey' | 'listApiKeys' | 'revokeApiKey' | 'rotateApiKey'
type StoredKey = ApiKeyRecord & { readonly hash: string }

/** Finds keys by their hashes. */
export function indexByHash({ tables }: Database): ReadonlyMap<string, ApiKeyRecord> {
  const byHash = new Map<string, ApiKeyRecord>()
  tables.apiKeys.onChange((before, after) => {
    if (before !== undefined) byHash.delete(before.hash)
    if (after !== undefined) byHash.set(after.hash, after)
  })
  return byHash
}

/** The part of the access store that is about API keys. */
export function createKeyVerbs(
  database: Database,
  byHash: ReadonlyMap<string, ApiKeyRecord>,
): Pick<Store, KeyVerb> {
  const { settings, transactions, tables, idempotency } = database
  const { read, write } = transactions

  function findKey(reach: Reach, keyId: string): StoredKey | undefined {
    const key = tables.apiKeys.get(keyId)
    return key !== undefined && isWithin(reach, key) ? key : undefined
  }

  function requireKey(reach: Reach, keyId: string): StoredKey {
    const key = findKey(reach, keyId)
    if (key === undefined) throw notFound('API key')
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
    insertApiKey: ({ key, idempotency: claim }, at) =>
      write(at, (now) => {
        const { value, replayed } = idempotency.once(claim, now, () => {
          requireWorkspaces(tables, key)
          if (key.expiresAt !== null && key.expiresAt <= now) throw hasPassed()
          return add(key, now)
        })
        return replayed ? refuseRepeat(value) : value
      }),
    listApiKeys: (query, at) =>
      read(at, () => {
        const { reach } = query
        if ('keyId' in query) {
          const key = findKey(reach, query.keyId)
          return key === undefined ? [] : [toRecord(key)]
        }
        const { limit, afterId } = query
        const keys = [...tables.apiKeys.values()]
          .filter((key) => isWithin(reach, key))
          .sort((a, b) => byAge(b, a))
        const start = afterId === null ? 0 : keys.findIndex(({ id }) => id === afterId) + 1
        if (afterId !== null && start === 0) return []
        return keys.slice(start, limit === null ? undefined : start + limit).map(toRecord)
      }),
    revokeApiKey: ({ reach, keyId }, at) =>
      write(at, (now) => {
        const key = requireKey(reach, keyId)
        const revoked = key.revokedAt === null ? { ...key, revokedAt: now } : key
        if (revoked !== key) tables.apiKeys.set(keyId, revoked)
        return toRecord(revoked)
      }),
    rotateApiKey: ({ reach, keyId, idempotency: claim, ...rotation }, at) =>
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

function hasPassed(): TaskboardError {
  return new TaskboardError('INVALID_FIELD', 'expiresAt must be in the future', { field: 'expiresAt' })
}

function notFound(what: string, field?: string): TaskboardError {
  return new TaskboardError('NOT_FOUND', `no such ${what}`, field === undefined ? {} : { field })
}
