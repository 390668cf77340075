import type { CallContext, Instant } from '../environment/index.js'
import type { IdempotencyClaim } from '../idempotency/index.js'
import type { FoundPrincipal, Reach, Scope, Tier } from './principal.js'
import type { Invitation, NewStoredInvitation, NewStoredUser, User } from './user.js'

export interface Account {
  readonly id: string
  readonly name: string
  readonly tier: Tier
  readonly createdAt: Instant
  /** Whether another owner has to decide and answer whatever someone of the account asks. */
  readonly requireOtherPerson: boolean
  /** Whether it takes no writes, as while it is copied to another server. */
  readonly readOnly: boolean
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
  /** The workspace of the Board API. */
  readonly defaultWorkspaceId: string
  readonly name: string
  readonly scopes: readonly Scope[]
  /** The key's first characters, to distinguish keys in a list. */
  readonly prefix: string
  /** The user who made it, with whom it goes; null for a key of the host. Of a user of the host's login, its id there. */
  readonly createdBy: string | null
  readonly createdAt: Instant
  readonly expiresAt: Instant | null
  readonly revokedAt: Instant | null
  /** When it was last used, to within an hour; null before its first use. */
  readonly lastUsedAt: Instant | null
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
  readonly createdBy: string | null
  readonly expiresAt: Instant | null
}

/** How exactly the last use of a key is known. */
export const keyUseMs = 3_600_000

/** A page of keys, newest first. The page after an unknown key is empty. */
export interface ApiKeyPage {
  /** Null for all. */
  readonly limit: number | null
  /** The last key of the page before. */
  readonly afterId: string | null
}

/** Which keys to list: a page of those within reach, or the one with an id. */
export type ApiKeyQuery = { readonly reach: Reach } & (ApiKeyPage | { readonly keyId: string })

/** What replaces a key. */
export interface ApiKeyRotation {
  readonly prefix: string
  readonly hash: string
  /** How long the old key stays valid, if it doesn't expire before. */
  readonly overlapMs: number
}

/** The identity of a caller: the SHA-256 of an API key in hexadecimal, or the session of an access token. */
export type Credential =
  | { readonly keyHash: string }
  | { readonly sessionId: string }
  /** None: the user as such, for actions of a person without a request. */
  | { readonly userId: string }

/** Whose secrets are sealed: of webhooks, of notification channels that users set up, and of second factors. */
export const sealedKinds = ['webhook', 'channel', 'factor'] as const
export type SealedKind = (typeof sealedKinds)[number]

/** The sealed texts of a webhook, a channel or a user. */
export interface SealedRow {
  readonly id: string
  /** The workspace of a webhook or a channel; of a second factor, the user. */
  readonly ownerId: string
  /** Of a channel, by the member of its configuration; of the others by any name. */
  readonly texts: Readonly<Record<string, string>>
}

/** One sealed text that takes the place of another one. */
export interface SealedReplacement {
  readonly id: string
  readonly from: string
  readonly to: string
}

/** The new values of an account. Absent fields stay. */
export interface AccountChange {
  readonly name?: string | undefined
  readonly tier?: Tier | undefined
  readonly requireOtherPerson?: boolean | undefined
  readonly readOnly?: boolean | undefined
}

/** An account, or one workspace. */
export type DeletionTarget = { readonly accountId: string } | { readonly workspaceId: string }

/** What one call of `continueDeletion` did. */
export interface DeletionProgress {
  /** How many rows it deleted. 0 before the end means that the rest waits for transactions that began before the deletion. */
  readonly deleted: number
  /** Whether nothing is left to delete. */
  readonly isOver: boolean
}

/** The agent that a new workspace gets; null for none. */
type FirstAgent = { readonly name: string; readonly type: string } | null

export interface AccountUpdate {
  readonly accountId: string
  readonly change: AccountChange
}

export interface WorkspaceUpdate {
  readonly workspaceId: string
  readonly name: string
}

/**
 * Accounts, their workspaces, their users, and their keys. Every verb is atomic. A key that is bound to a workspace is within reach when
 * the workspace is. A key for all of an account is within reach of callers who reach all of it. A key beyond the reach is `NOT_FOUND`, as
 * one that doesn't exist.
 */
export interface AccessStore<Tx = unknown> {
  /**
   * Creates an account with its first workspace. Also creates an agent in that workspace and a first user, when they are given.
   * @throws TaskboardError `CONFLICT` (`email`) when another user has the address. Then no account is created.
   */
  insertAccount(
    account: {
      readonly name: string
      readonly tier: Tier
      readonly workspaceName: string
      readonly agent: FirstAgent
      readonly owner?: NewStoredUser | null
    },
    call: CallContext<Tx>,
  ): Promise<{ account: Account; workspace: Workspace; user: User | null }>
  /** All accounts, oldest first, at most `limit`; or the one with an id. Empty for an unknown id. */
  listAccounts(
    which: { readonly limit: number } | { readonly accountId: string },
    call: CallContext<Tx>,
  ): Promise<readonly Account[]>
  /**
   * Changes an account, or the name of a workspace. Once it resolves with `readOnly` true, no write commits that would change an export of
   * the account, until it is false again. A verb that would make such a write is rejected with `readOnlyRefusal`. So is the rest of its batch
   * or transaction, unless others share it. The account's agents are paused, and background work skips it. `beginDeletion` of the account,
   * sessions, deliveries and analytics continue.
   * @throws TaskboardError `NOT_FOUND`.
   */
  update<U extends AccountUpdate | WorkspaceUpdate>(
    update: U,
    call: CallContext<Tx>,
  ): Promise<U extends AccountUpdate ? Account : Workspace>

  /**
   * Creates a workspace, and an agent in it when one is given.
   * @throws TaskboardError `NOT_FOUND` for an unknown account.
   */
  insertWorkspace(
    workspace: { readonly accountId: string; readonly name: string; readonly agent: FirstAgent },
    call: CallContext<Tx>,
  ): Promise<Workspace>
  /** The workspaces of an account, oldest first; or the one with an id, of any account. Empty for an unknown id. */
  listWorkspaces(
    which: { readonly accountId: string } | { readonly workspaceId: string },
    call: CallContext<Tx>,
  ): Promise<readonly Workspace[]>

  /**
   * Begins to delete an account with all that belongs to it, or a workspace. It only marks, so it is short however many tasks there are.
   * From its commit on, no verb finds the account or the workspace, and its keys and sessions are no longer valid. It accepts no new data,
   * its tasks can't be claimed, and it sends no webhooks and notifications. Its rows go with `continueDeletion`. When a workspace goes,
   * its own keys end, and users and keys with that default workspace get the account's oldest other one.
   * @throws TaskboardError `NOT_FOUND`; `CONFLICT` for the last workspace of an account.
   */
  beginDeletion(target: DeletionTarget, call: CallContext<Tx>): Promise<{ readonly accountId: string }>
  /**
   * Deletes about `limit` rows of the account or workspace `of`, or with null of whatever is being deleted. Bounded, in one short
   * transaction that locks nothing of other accounts. Any process may call it, even after another one that has stopped in the middle.
   * With `keepAudit`, the audit of accounts stays for its own time. Runs outside of the host's transactions: ignores `call.tx`.
   */
  continueDeletion(
    request: { readonly of: string | null; readonly limit: number; readonly keepAudit: boolean },
    call: CallContext<Tx>,
  ): Promise<DeletionProgress>

  /**
   * Creates a user, whose default workspace is the account's first one. Of concurrent calls with one address, one succeeds.
   * @throws TaskboardError `NOT_FOUND` for an unknown account, `CONFLICT` (`email`) when another user has the address.
   */
  insertUser(user: NewStoredUser & { readonly accountId: string }, call: CallContext<Tx>): Promise<User>
  /**
   * Changes what a user may do. The sessions of the user stay, and have the new scopes. Grants that exceed the new scopes are withdrawn.
   * The user's keys with scopes that it now lacks are revoked, and its open invitations that `mayInvite` rejects are withdrawn. Returns
   * their ids.
   * @throws TaskboardError `NOT_FOUND` for a user that the account doesn't have; `CONFLICT` when no one would be left who may change the
   *   account.
   */
  setUserScopes(
    change: { readonly accountId: string; readonly userId: string; readonly scopes: readonly Scope[] | null },
    call: CallContext<Tx>,
  ): Promise<{
    readonly user: User
    readonly keys: readonly string[]
    readonly invitations: readonly string[]
  }>
  /**
   * Invites an address, in the place of an earlier invitation of it by the account. Whether another user has the address is seen only when
   * it is accepted.
   * @throws TaskboardError `NOT_FOUND` for an unknown account; `QUOTA_EXCEEDED` when `most` other invitations are open.
   */
  insertInvitation(
    invitation: NewStoredInvitation & { readonly most: number },
    call: CallContext<Tx>,
  ): Promise<{ readonly invitation: Invitation; readonly replacedId: string | null }>
  /** The open invitations of an account, newest first; or the one of a token. Empty for an unknown, used or expired one. */
  listInvitations(
    which: { readonly accountId: string } | { readonly tokenHash: string },
    call: CallContext<Tx>,
  ): Promise<readonly Invitation[]>
  /** Withdraws an open invitation. False when there is none with this id. */
  deleteInvitation(
    named: { readonly accountId: string; readonly invitationId: string },
    call: CallContext<Tx>,
  ): Promise<boolean>
  /**
   * Makes the user who was invited. Of concurrent calls with one token, one succeeds.
   * @throws TaskboardError `NOT_FOUND` for an unknown, used or expired token, or when its maker is gone or can no longer invite so.
   * `CONFLICT` (`email`) when another user has the address.
   */
  acceptInvitation(
    acceptance: { readonly tokenHash: string; readonly passwordHash: string },
    call: CallContext<Tx>,
  ): Promise<{ readonly user: User; readonly invitationId: string }>
  /** The users of an account, oldest first. Empty for an unknown account. */
  listUsers(of: { readonly accountId: string }, call: CallContext<Tx>): Promise<readonly User[]>
  /**
   * Replaces the password hash, ends all of the user's sessions, and returns their ids. A concurrent login with the old password either
   * begins before and is ended, or is rejected: see `SessionStore.insertSession`.
   * @throws TaskboardError `NOT_FOUND` for an unknown user.
   */
  setPassword(
    change: { readonly userId: string; readonly passwordHash: string },
    call: CallContext<Tx>,
  ): Promise<readonly string[]>
  /** Says whether an address is known to be the user's. @throws TaskboardError `NOT_FOUND` for an unknown user. */
  setEmailVerified(
    change: { readonly userId: string; readonly isEmailVerified: boolean },
    call: CallContext<Tx>,
  ): Promise<void>
  /**
   * Deletes a user with all sessions and the open invitations that the user made. Unless `keepKeys` is set, it revokes the keys that the
   * user made. Returns the ids of what ended.
   * @throws TaskboardError `NOT_FOUND` for an unknown user; `CONFLICT` when no one would be left who may change the account, unless `mayBeLast`.
   */
  deleteUser(
    named: { readonly userId: string; readonly keepKeys: boolean; readonly mayBeLast: boolean },
    call: CallContext<Tx>,
  ): Promise<{
    readonly accountId: string
    readonly sessions: readonly string[]
    readonly keys: readonly string[]
    readonly invitations: readonly string[]
  }>

  /**
   * Creates a key. With `isOfUser`, its maker is a user of the account, whose scopes are checked in the commit of the key. A change of them
   * therefore comes either before the key, which is then rejected, or after it, and revokes it.
   * @throws TaskboardError `NOT_FOUND` for an unknown account or workspace (`workspaceId`); `FORBIDDEN` with `isOfUser` for a maker who is
   * gone or lacks a scope. `CONFLICT` for a hash that exists. Also, with the `resourceId`, when the idempotency key was used, because its
   * key was shown once. `INVALID_FIELD` (`expiresAt`) for a time that has passed.
   */
  insertApiKey(
    insertion: {
      readonly key: NewStoredApiKey
      readonly isOfUser: boolean
      readonly idempotency: IdempotencyClaim | null
    },
    call: CallContext<Tx>,
  ): Promise<ApiKeyRecord>
  /** Keys within reach, newest first, including revoked and expired ones. Empty for an id that is unknown or beyond the reach. */
  listApiKeys(query: ApiKeyQuery, call: CallContext<Tx>): Promise<readonly ApiKeyRecord[]>
  /** Revokes a key. `isNew` is false for one that was revoked before, which stays as it is. @throws TaskboardError `NOT_FOUND`. */
  revokeApiKey(
    named: { readonly reach: Reach; readonly keyId: string },
    call: CallContext<Tx>,
  ): Promise<{ readonly key: ApiKeyRecord; readonly isNew: boolean }>
  /**
   * Makes a key with the name, scopes, reach, maker and expiry of another, which expires after the overlap. `isOfUser` as for `insertApiKey`.
   * @throws TaskboardError `NOT_FOUND`; `CONFLICT` when the key has expired or was revoked, and as `insertApiKey`.
   */
  rotateApiKey(
    rotation: ApiKeyRotation & {
      readonly reach: Reach
      readonly keyId: string
      readonly isOfUser: boolean
      readonly idempotency: IdempotencyClaim | null
    },
    call: CallContext<Tx>,
  ): Promise<{ readonly added: ApiKeyRecord; readonly replaced: ApiKeyRecord }>

  /**
   * The principal of a credential, and for how much longer it is valid. Null for an unknown, revoked or expired key or session, and for an
   * unknown user. Every uncached request calls this once, so a storage resolves it with one indexed read.
   */
  findPrincipal(credential: Credential, call: CallContext<Tx>): Promise<FoundPrincipal | null>
  /**
   * Of all accounts, those that have sealed texts, in the order of their ids, after `afterId`, at most `limit`. Includes accounts that are
   * being deleted.
   */
  listSealed(
    query: { readonly kind: SealedKind; readonly afterId: string | null; readonly limit: number },
    call: CallContext<Tx>,
  ): Promise<readonly SealedRow[]>
  /** Replaces each `from` that is still there. Changes nothing else, not even the time of the last change. */
  replaceSealed(
    change: { readonly kind: SealedKind; readonly replacements: readonly SealedReplacement[] },
    call: CallContext<Tx>,
  ): Promise<void>
  /** Notes that a key is used now, at most once in `keyUseMs`. An unknown key is ignored. */
  noteKeyUse(named: { readonly keyId: string }, call: CallContext<Tx>): Promise<void>
}
