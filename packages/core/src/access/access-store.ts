import type { At, Instant } from '../environment/index.js'
import type { IdempotencyClaim } from '../idempotency/index.js'
import type { Principal, Reach, Scope, Tier } from './principal.js'
import type { NewStoredUser, User } from './user.js'

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

/** An API key as stored and listed, without the key itself. */
export interface ApiKeyRecord {
  readonly id: string
  readonly accountId: string
  /** The workspace it is bound to; null when it reaches all of its account. */
  readonly workspaceId: string | null
  /** The workspace that the board endpoint works on. */
  readonly defaultWorkspaceId: string
  readonly name: string
  readonly scopes: readonly Scope[]
  /** The key's first characters, to distinguish keys in a list. */
  readonly prefix: string
  readonly createdAt: Instant
  readonly expiresAt: Instant | null
  readonly revokedAt: Instant | null
}

/** A key to store. */
export interface NewStoredApiKey {
  readonly accountId: string
  readonly workspaceId: string | null
  readonly defaultWorkspaceId: string
  readonly name: string
  readonly scopes: readonly Scope[]
  readonly prefix: string
  /** The SHA-256 of the key in hexadecimal. */
  readonly hash: string
  readonly expiresAt: Instant | null
}

/** A page of keys. */
export interface ApiKeyPage {
  /** Null for all. */
  readonly limit: number | null
  /** The last key of the page before. */
  readonly afterId: string | null
}

/** What replaces a key. */
export interface ApiKeyRotation {
  readonly prefix: string
  readonly hash: string
  /** How long the old key stays valid, if it does not expire before. */
  readonly overlapMs: number
}

/**
 * Accounts, their workspaces, their users, and their keys. A key that is bound to a workspace is within reach when the workspace is.
 * A key for all of an account is within reach of callers who reach all of it.
 */
export interface AccessStore<Tx = unknown> {
  /**
   * Creates an account with its first workspace. Also creates an agent in that workspace and a first user, when they are given.
   * @throws TaskboardError `CONFLICT` (`email`) when another user has the address. Then no account is created.
   */
  insertAccount(
    account: {
      name: string
      tier: Tier
      workspaceName: string
      agent: { name: string; type: string } | null
      owner?: NewStoredUser | null
    },
    at: At<Tx>,
  ): Promise<{ account: Account; workspace: Workspace; user: User | null }>
  /** @throws TaskboardError `NOT_FOUND` for an unknown account, `CONFLICT` (`email`) when another user has the address. */
  insertUser(user: NewStoredUser & { accountId: string }, at: At<Tx>): Promise<User>
  /**
   * Replaces the password hash, ends all of the user's sessions, and returns their ids.
   * @throws TaskboardError `NOT_FOUND`.
   */
  setPassword(userId: string, passwordHash: string, at: At<Tx>): Promise<readonly string[]>
  /** Oldest first. */
  listUsers(accountId: string, at: At<Tx>): Promise<readonly User[]>
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

  /**
   * @throws TaskboardError `NOT_FOUND` for an unknown account or workspace (`workspaceId`); `CONFLICT` with the `resourceId` when the
   *   idempotency key was used, because its key was shown once; `INVALID_FIELD` (`expiresAt`) for a time that has passed.
   */
  insertApiKey(key: NewStoredApiKey, at: At<Tx>, idempotency?: IdempotencyClaim | null): Promise<ApiKeyRecord>
  /**
   * The principal of a key, and in how many milliseconds the key expires (null: never). Null when the key is unknown, revoked or
   * expired.
   */
  findPrincipalByKeyHash(
    hash: string,
    at: At<Tx>,
  ): Promise<{ principal: Principal; expiresInMs: number | null } | null>
  /** Newest first. */
  listApiKeys(reach: Reach, page: ApiKeyPage, at: At<Tx>): Promise<readonly ApiKeyRecord[]>
  /** @throws TaskboardError `NOT_FOUND`. */
  getApiKey(reach: Reach, keyId: string, at: At<Tx>): Promise<ApiKeyRecord>
  /** Revokes a key. Idempotent. @throws TaskboardError `NOT_FOUND`. */
  revokeApiKey(reach: Reach, keyId: string, at: At<Tx>): Promise<ApiKeyRecord>
  /**
   * Makes a key with the name, scopes, reach and expiry of another, which expires after the overlap. Atomic.
   * @throws TaskboardError `NOT_FOUND`; `CONFLICT` when the key has expired or was revoked, and as `insertApiKey`.
   */
  rotateApiKey(
    reach: Reach,
    keyId: string,
    rotation: ApiKeyRotation,
    at: At<Tx>,
    idempotency?: IdempotencyClaim | null,
  ): Promise<{ readonly added: ApiKeyRecord; readonly replaced: ApiKeyRecord }>
}
