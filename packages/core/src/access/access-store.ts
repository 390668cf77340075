import type { At, Instant } from '../environment/index.js'
import type { Principal, Scope, Tier } from './principal.js'

export interface Account {
  readonly id: string
  readonly name: string
  readonly tier: Tier
  readonly createdAt: Instant
}

export interface Workspace {
  readonly id: string
  readonly accountId: string
  readonly name: string
  readonly createdAt: Instant
}

/** An API key as stored and listed: never the key itself. */
export interface ApiKeyRecord {
  readonly id: string
  readonly accountId: string
  /** The workspace it is bound to; null when it reaches all of its account. */
  readonly workspaceId: string | null
  /** What the board endpoint works on. */
  readonly defaultWorkspaceId: string
  readonly name: string
  readonly scopes: readonly Scope[]
  /** The key's first characters, to tell keys apart in a list. */
  readonly prefix: string
  readonly createdAt: Instant
  readonly expiresAt: Instant | null
  readonly revokedAt: Instant | null
}

/** Accounts, their workspaces, and their keys. */
export interface AccessStore<Tx = unknown> {
  /** Creates an account with its first workspace, and an agent in that when one is named. */
  insertAccount(
    account: {
      name: string
      tier: Tier
      workspaceName: string
      agent: { name: string; type: string } | null
    },
    at: At<Tx>,
  ): Promise<{ account: Account; workspace: Workspace }>
  /** @throws TaskboardError `NOT_FOUND` for an unknown account. */
  insertWorkspace(
    workspace: { accountId: string; name: string; agent: { name: string; type: string } | null },
    at: At<Tx>,
  ): Promise<Workspace>
  getAccount(accountId: string, at: At<Tx>): Promise<Account | null>
  getWorkspace(workspaceId: string, at: At<Tx>): Promise<Workspace | null>
  /** Oldest first. */
  listWorkspaces(accountId: string, at: At<Tx>): Promise<readonly Workspace[]>
  /** All accounts, oldest first, at most `limit`. */
  listAccounts(limit: number, at: At<Tx>): Promise<readonly Account[]>

  /** `hash` is the SHA-256 of the key in hexadecimal. */
  insertApiKey(
    key: {
      accountId: string
      workspaceId: string | null
      defaultWorkspaceId: string
      name: string
      scopes: readonly Scope[]
      prefix: string
      hash: string
      expiresAt: Instant | null
    },
    at: At<Tx>,
  ): Promise<ApiKeyRecord>
  /** The principal that a key stands for and when it ends; null when it is unknown, revoked or expired. */
  findPrincipalByKeyHash(
    hash: string,
    at: At<Tx>,
  ): Promise<{ principal: Principal; expiresAt: Instant | null } | null>
  /** Newest first. */
  listApiKeys(accountId: string, at: At<Tx>): Promise<readonly ApiKeyRecord[]>
  /** Ends a key for good. Idempotent. @throws TaskboardError `NOT_FOUND`. */
  revokeApiKey(accountId: string, keyId: string, at: At<Tx>): Promise<ApiKeyRecord>
}
