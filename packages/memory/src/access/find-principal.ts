import type { ApiKeyRecord, Instant, Principal } from '@taskboard/core'
import { keyUseMs, type AccessStore, type FoundPrincipal } from '@taskboard/core/storage'
import type { Database } from '../tables/database.js'
import type { MemoryTransaction } from '../tables/transactions.js'

/** `AccessStore.findPrincipal`. */
export function createFindPrincipal(
  { tables, transactions }: Database,
  keysByHash: ReadonlyMap<string, ApiKeyRecord>,
): AccessStore<MemoryTransaction>['findPrincipal'] {
  function ofKey(hash: string, now: Instant): FoundPrincipal | null {
    const key = keysByHash.get(hash)
    if (key === undefined || hasEnded(key, now)) return null
    const account = tables.accounts.get(key.accountId)
    if (account === undefined) return null
    const expiresInMs = key.expiresAt === null ? null : key.expiresAt - now
    const isUseNoted = key.lastUsedAt !== null && now - key.lastUsedAt < keyUseMs
    return { principal: toPrincipal(key, account.tier), expiresInMs, provenAgoMs: null, isUseNoted }
  }

  function userPrincipal(userId: string): Principal | null {
    const owner = tables.users.get(userId)
    const account = owner === undefined ? undefined : tables.accounts.get(owner.user.accountId)
    if (owner === undefined || account === undefined) return null
    return {
      id: owner.user.id,
      kind: 'user',
      name: owner.user.email,
      accountId: account.id,
      tier: account.tier,
      scopes: owner.user.scopes,
      workspaceIds: 'all',
      defaultWorkspaceId: owner.defaultWorkspaceId,
    }
  }

  function ofSession(sessionId: string, now: Instant): FoundPrincipal | null {
    const stored = tables.sessions.get(sessionId)
    const user = stored === undefined ? null : userPrincipal(stored.session.userId)
    if (stored === undefined || user === null || stored.family.expiresAt <= now) return null
    const { family, provenAt } = stored
    const principal = { ...user, sessionId }
    return { principal, expiresInMs: family.expiresAt - now, provenAgoMs: now - provenAt, isUseNoted: true }
  }

  function ofUser(userId: string): FoundPrincipal | null {
    const principal = userPrincipal(userId)
    return principal && { principal, expiresInMs: null, provenAgoMs: null, isUseNoted: true }
  }

  return (credential, call) =>
    transactions.read(call, (now) => {
      if ('keyHash' in credential) return ofKey(credential.keyHash, now)
      return 'userId' in credential ? ofUser(credential.userId) : ofSession(credential.sessionId, now)
    })
}

/** Whether a key has expired or was revoked. */
export function hasEnded(key: ApiKeyRecord, now: Instant): boolean {
  return key.revokedAt !== null || (key.expiresAt !== null && key.expiresAt <= now)
}

function toPrincipal(key: ApiKeyRecord, tier: Principal['tier']): Principal {
  return {
    id: key.id,
    kind: 'api_key',
    name: key.name,
    accountId: key.accountId,
    tier,
    scopes: key.scopes,
    workspaceIds: key.workspaceId === null ? 'all' : [key.workspaceId],
    defaultWorkspaceId: key.defaultWorkspaceId,
    createdBy: key.createdBy,
  }
}
