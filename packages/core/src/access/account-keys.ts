import type { z } from 'zod'
import type { CallContext, Environment, InTransaction, OnRecord } from '../environment/index.js'
import { parseInput, TaskboardError } from '../errors/index.js'
import type { AccessStore, ApiKeyRecord, Workspace } from './access-store.js'
import { newKeyInput } from './access-input.js'
import { mintApiKey } from './api-key.js'
import type { Authenticator } from './authenticator.js'

/**
 * A key bound to `workspaceId`. With `accountId` alone, it is a key for all of that account, and its Board API uses the account's first
 * workspace. `expiresAt` is a Date or epoch milliseconds. Without it the key doesn't expire.
 */
export type NewApiKey = z.input<typeof newKeyInput>

/** The API keys of accounts. */
export interface AccountKeys<Tx = unknown> {
  /** Makes a key. The answer is the only place that shows `key`; the storage has its hash. */
  createKey(input: NewApiKey, options?: OnRecord<Tx>): Promise<{ id: string; key: string }>
  /** Newest first, including revoked and expired keys. The keys themselves aren't returned. */
  listKeys(accountId: string, options?: InTransaction<Tx>): Promise<readonly ApiKeyRecord[]>
  /**
   * Revokes a key; idempotent. This process rejects it immediately. Other processes (and this one, with a `tx`, after its commit) reject
   * it within the authenticator's `cacheTtlMs`.
   */
  revokeKey(accountId: string, keyId: string, options?: OnRecord<Tx>): Promise<ApiKeyRecord>
}

export interface AccountKeysDeps<Tx> {
  readonly environment: Environment
  readonly store: AccessStore<Tx>
  readonly authenticator: Pick<Authenticator, 'expect' | 'forget'>
}

/** The part of `Accounts` that makes, lists and revokes keys. */
export function createAccountKeys<Tx>(deps: AccountKeysDeps<Tx>): AccountKeys<Tx> {
  const { environment, store, authenticator } = deps

  return {
    async createKey(input, options) {
      const parsed = parseInput(newKeyInput, input)
      const { name, scopes } = parsed
      const expiresAt = parsed.expiresAt ?? null
      const workspace = await findWorkspace(store, parsed, environment.call(options))
      const { key, prefix, hash } = mintApiKey(environment.random)
      authenticator.expect(hash)
      const reach = {
        accountId: workspace.accountId,
        workspaceId: parsed.workspaceId ?? null,
        defaultWorkspaceId: workspace.id,
      }
      const record = await store.insertApiKey(
        {
          key: { ...reach, name, scopes, prefix, hash, createdBy: null, expiresAt },
          isOfUser: false,
          idempotency: null,
        },
        environment.call(options),
      )
      return { id: record.id, key }
    },
    async listKeys(accountId, options) {
      return store.listApiKeys(
        { reach: { accountId, workspaceIds: 'all' }, limit: null, afterId: null },
        environment.call(options),
      )
    },
    async revokeKey(accountId, keyId, options) {
      try {
        const reach = { accountId, workspaceIds: 'all' } as const
        return (await store.revokeApiKey({ reach, keyId }, environment.call(options))).key
      } finally {
        // Also after an error: the storage may have revoked the key before the connection was lost.
        authenticator.forget(keyId)
      }
    },
  }
}

/** The workspace that a key is bound to, or the default one of an unbound key. */
async function findWorkspace<Tx>(
  store: AccessStore<Tx>,
  input: z.output<typeof newKeyInput>,
  call: CallContext<Tx>,
): Promise<Workspace> {
  const { workspaceId, accountId } = input
  if (workspaceId == null && accountId == null) {
    throw new TaskboardError('MISSING_FIELD', 'workspaceId or accountId is required', {
      field: 'workspaceId',
    })
  }
  if (workspaceId != null) {
    const [workspace] = await store.listWorkspaces({ workspaceId }, call)
    if (workspace !== undefined && (accountId == null || accountId === workspace.accountId)) return workspace
    throw new TaskboardError('NOT_FOUND', 'no such workspace', { field: 'workspaceId' })
  }
  const [first] = await store.listWorkspaces({ accountId: accountId ?? '' }, call)
  if (first !== undefined) return first
  throw new TaskboardError('NOT_FOUND', 'no such account', { field: 'accountId' })
}
