import type { z } from 'zod'
import type { AuditActor, InTransaction, OnRecord } from '../environment/index.js'
import { parseInput, requireLimit, TaskboardError } from '../errors/index.js'
import { hasAll } from '../fields/index.js'
import type { Account, DeletionTarget, Workspace } from './access-store.js'
import { createAccountKeys, type AccountKeys, type AccountKeysDeps } from './account-keys.js'
import { finishDeletion } from './deletion-sweep.js'
import {
  accountChangeInput,
  newAccountInput,
  newPasswordInput,
  newUserInput,
  newWorkspaceInput,
} from './access-input.js'
import { requireUncommon } from './common-passwords.js'
import type { PasswordWork } from './password-work.js'
import type { SessionStore } from './session-store.js'
import type { Authenticator } from './authenticator.js'
import { roleNames, scopesOfRole, type Role } from './roles.js'
import type { NewStoredUser, User } from './user.js'

/**
 * `tier` is the subscription. `workspaceName` names the first workspace; default: the account's name. `owner` is its first user.
 */
export type NewAccount = z.input<typeof newAccountInput>
/**
 * `email` is unique on the whole board, ignoring case. `password` has 12 to 256 characters, and is neither common nor the address. Without
 * `scopes` the user has all scopes, including scopes of later versions. `emailVerified` says that you have made sure that the address is
 * the user's: only then links that decide as this user are mailed there. Default false.
 */
export type NewUser = z.input<typeof newUserInput>
export type NewWorkspace = z.input<typeof newWorkspaceInput>
/** What is absent stays. */
export type AccountChangeInput = z.input<typeof accountChangeInput>

export interface DeleteOptions<Tx> extends OnRecord<Tx> {
  /**
   * Whether the promise waits until every row is deleted. Default true, including in a process that wasn't started. With false, or with
   * a `tx`, it resolves when the deletion is noted, and the background work of any started process deletes the rows.
   */
  readonly wait?: boolean | undefined
}

/**
 * Accounts, workspaces and API keys, for the host's own code: these methods don't authorize the caller. Every method throws
 * `TaskboardError`: `MISSING_FIELD` and `INVALID_FIELD` name the field, `NOT_FOUND` means an unknown id.
 */
export interface Accounts<Tx = unknown> extends AccountKeys<Tx> {
  /**
   * Creates an account with its first workspace, and the user given by `owner`. Without it, `user` is null.
   * @throws TaskboardError `CONFLICT` (`email`) when another user has the address.
   */
  create(
    input: NewAccount,
    options?: OnRecord<Tx>,
  ): Promise<{ account: Account; workspace: Workspace; user: User | null }>
  get(accountId: string, options?: InTransaction<Tx>): Promise<Account>
  /** Oldest first. `limit` 1 to 1,000, default 100. */
  list(options?: InTransaction<Tx> & { readonly limit?: number | undefined }): Promise<readonly Account[]>
  /**
   * Changes the name, the tier, whether the account is read-only, or whether another owner has to decide the requests of its people. This
   * process applies a new tier to the next request. Other processes (and this one, with a `tx`, after its commit) apply it within the
   * authenticator's `cacheTtlMs`.
   *
   * From the commit of `readOnly: true` on, no process changes the data that an export of the account contains. Writes are rejected with
   * `SERVICE_UNAVAILABLE` and `retryAfterMs`, agents pick up no tasks of the account, leases don't expire, and schedules and retention wait.
   * You can still read and delete the account, people can log in, and deliveries are sent. The call waits for writes that have begun.
   */
  update(accountId: string, change: AccountChangeInput, options?: OnRecord<Tx>): Promise<Account>
  /**
   * Deletes an account with its users, keys, workspaces, tasks, events, webhooks and everything else. Immediately the account doesn't exist
   * any more: its keys and sessions are rejected as after `setPassword`, and nothing of it is claimed or sent. Then its rows are deleted
   * in small batches, while other accounts work on. A process that stops in the middle leaves the rest to the others.
   */
  delete(accountId: string, options?: DeleteOptions<Tx>): Promise<void>

  /** @throws TaskboardError `CONFLICT` (`email`) when another user has the address. */
  createUser(accountId: string, input: NewUser, options?: OnRecord<Tx>): Promise<User>
  /**
   * Replaces a user's password (12 to 256 characters), and revokes all sessions of the user and logins in progress with the old one. This
   * process rejects their access tokens immediately. Other processes (and this one, with a `tx`, after its commit) reject them within the
   * authenticator's `cacheTtlMs`. The user's second factor and API keys stay.
   */
  setPassword(userId: string, password: string, options?: OnRecord<Tx>): Promise<void>
  /** Says whether you have made sure that the address is the user's. Users who accept an invitation by mail have shown it. */
  setEmailVerified(userId: string, emailVerified: boolean, options?: OnRecord<Tx>): Promise<void>
  /**
   * Deletes a user. All its sessions are revoked, as with `setPassword`, and its open invitations are withdrawn. The API keys that the user
   * made are revoked as well, unless `keepKeys` is set because programs of the account use them.
   */
  deleteUser(
    userId: string,
    options?: OnRecord<Tx> & {
      readonly keepKeys?: boolean | undefined
      /** Whether the account may be left without a user who may change it. Default true. */
      readonly mayBeLast?: boolean | undefined
    },
  ): Promise<void>
  /**
   * Ends the second factor of a user who has lost the app and the recovery codes, and all of the user's sessions. Make sure of who asks: then
   * the password alone logs in.
   */
  resetSecondFactor(userId: string, options?: Pick<OnRecord<Tx>, 'by'>): Promise<void>
  /**
   * Gives a user another role. Its sessions have the new scopes immediately in this process, and in others within a second.
   * @throws TaskboardError `CONFLICT` when the account would have no owner left.
   */
  setRole(accountId: string, userId: string, role: Role, options?: OnRecord<Tx>): Promise<User>
  /** Oldest first. */
  listUsers(accountId: string, options?: InTransaction<Tx>): Promise<readonly User[]>

  createWorkspace(accountId: string, input: NewWorkspace, options?: OnRecord<Tx>): Promise<Workspace>
  getWorkspace(workspaceId: string, options?: InTransaction<Tx>): Promise<Workspace>
  /** Oldest first. */
  listWorkspaces(accountId: string, options?: InTransaction<Tx>): Promise<readonly Workspace[]>
  /** Renames a workspace. */
  updateWorkspace(workspaceId: string, change: NewWorkspace, options?: OnRecord<Tx>): Promise<Workspace>
  /**
   * Deletes a workspace with its board and the keys that are bound to it, as `delete` deletes an account. Users and keys whose default
   * workspace it was get the account's oldest other one.
   * @throws TaskboardError `CONFLICT` for the last workspace of an account: delete the account instead.
   */
  deleteWorkspace(workspaceId: string, options?: DeleteOptions<Tx>): Promise<void>
}

export interface AccountsDeps<Tx> extends AccountKeysDeps<Tx> {
  /** The agent that a new workspace gets, so that its board is worked immediately; null for none. */
  readonly defaultAgent: { readonly name: string; readonly type: string } | null
  readonly passwords: Pick<PasswordWork, 'hash'>
  readonly signIns: Pick<SessionStore<Tx>, 'findSignIn'>
  readonly authenticator: Pick<Authenticator, 'expect' | 'forget' | 'forgetAccount' | 'forgetSession'>
  readonly resetSecondFactor: (userId: string, by: AuditActor | undefined) => Promise<void>
  /** Whether the audit of a deleted account stays for its own time. */
  readonly keepAudit: boolean
  /** Called when a deletion has begun; `isCommitted` is false while the host's transaction is open. */
  readonly onDeletion: (isCommitted: boolean) => void
}

const DEFAULT_PAGE = 100

/** The service behind `taskboard.accounts`. */
export function createAccounts<Tx>(deps: AccountsDeps<Tx>): Accounts<Tx> {
  const { environment, store, passwords, defaultAgent: agent } = deps

  async function get(accountId: string, options?: InTransaction<Tx>): Promise<Account> {
    const [account] = await store.listAccounts({ accountId }, environment.call(options))
    return account ?? notFound('account')
  }

  async function getWorkspace(workspaceId: string, options?: InTransaction<Tx>): Promise<Workspace> {
    const [workspace] = await store.listWorkspaces({ workspaceId }, environment.call(options))
    return workspace ?? notFound('workspace')
  }

  return {
    async create(input, options) {
      const { name, tier, workspaceName, owner } = parseInput(newAccountInput, input)
      const user = owner == null ? null : await toStored(passwords, owner, 'host')
      return store.insertAccount(
        { name, tier, workspaceName: workspaceName ?? name, agent, owner: user },
        environment.call(options),
      )
    },
    get,
    async list(options) {
      return store.listAccounts(
        { limit: requireLimit(options?.limit ?? DEFAULT_PAGE) },
        environment.call(options),
      )
    },
    async update(accountId, input, options) {
      const change = parseInput(accountChangeInput, input)
      const before = await get(accountId, options)
      if (hasAll(before, change)) return before
      const account = await store.update({ accountId, change }, environment.call(options))
      deps.authenticator.forgetAccount(accountId)
      return account
    },
    delete: (accountId, options) => remove(deps, { accountId }, accountId, options),
    ...createUserCalls(deps),
    async createWorkspace(accountId, input, options) {
      const { name } = parseInput(newWorkspaceInput, input)
      return store.insertWorkspace({ accountId, name, agent }, environment.call(options))
    },
    getWorkspace,
    async listWorkspaces(accountId, options) {
      return store.listWorkspaces({ accountId }, environment.call(options))
    },
    async updateWorkspace(workspaceId, change, options) {
      const { name } = parseInput(newWorkspaceInput, change)
      const before = await getWorkspace(workspaceId, options)
      return before.name === name ? before : store.update({ workspaceId, name }, environment.call(options))
    },
    async deleteWorkspace(workspaceId, options) {
      const { accountId } = await getWorkspace(workspaceId, options)
      return remove(deps, { workspaceId }, accountId, options)
    },
    ...createAccountKeys(deps),
  }
}

/** The part of `Accounts` that is about users. */
function createUserCalls<Tx>(
  deps: AccountsDeps<Tx>,
): Pick<
  Accounts<Tx>,
  | 'createUser'
  | 'setPassword'
  | 'setEmailVerified'
  | 'deleteUser'
  | 'resetSecondFactor'
  | 'setRole'
  | 'listUsers'
> {
  const { environment, store, passwords } = deps
  return {
    async createUser(accountId, input, options) {
      const user = await toStored(passwords, parseInput(newUserInput, input), accountId)
      return store.insertUser({ accountId, ...user }, environment.call(options))
    },
    async setPassword(userId, password, options) {
      const input = parseInput(newPasswordInput, { password })
      const signIn = await deps.signIns.findSignIn({ userId }, environment.call(options))
      if (signIn === null) return notFound('user')
      await requireUncommon(input.password, signIn.email)
      const passwordHash = await passwords.hash(input.password, { key: userId, isKnown: true })
      const ended = await store.setPassword({ userId, passwordHash }, environment.call(options))
      for (const sessionId of ended) deps.authenticator.forgetSession(sessionId)
    },
    async setEmailVerified(userId, emailVerified, options) {
      const isEmailVerified: unknown = emailVerified
      if (typeof isEmailVerified !== 'boolean') {
        throw new TaskboardError('INVALID_FIELD', 'emailVerified must be true or false', {
          field: 'emailVerified',
        })
      }
      await store.setEmailVerified({ userId, isEmailVerified }, environment.call(options))
    },
    async deleteUser(userId, options) {
      const { keepKeys = false, mayBeLast = true } = options ?? {}
      const ended = await store.deleteUser({ userId, keepKeys, mayBeLast }, environment.call(options))
      for (const sessionId of ended.sessions) deps.authenticator.forgetSession(sessionId)
      for (const keyId of ended.keys) deps.authenticator.forget(keyId)
    },
    resetSecondFactor: (userId, options) => deps.resetSecondFactor(userId, options?.by),
    async setRole(accountId, userId, role, options) {
      if (!roleNames.includes(role)) {
        throw new TaskboardError('INVALID_FIELD', `role must be one of ${roleNames.join(', ')}`, {
          field: 'role',
        })
      }
      const change = { accountId, userId, scopes: scopesOfRole(role) }
      const { user } = await store.setUserScopes(change, environment.call(options))
      // Also the keys that were revoked.
      deps.authenticator.forgetAccount(accountId)
      return user
    },
    async listUsers(accountId, options) {
      return store.listUsers({ accountId }, environment.call(options))
    },
  }
}

async function remove<Tx>(
  { environment, store, authenticator, keepAudit, onDeletion }: AccountsDeps<Tx>,
  target: DeletionTarget,
  accountId: string,
  { wait = true, tx, by }: DeleteOptions<Tx> = {},
): Promise<void> {
  await store.beginDeletion(target, environment.call({ tx, by }))
  authenticator.forgetAccount(accountId)
  if (wait && tx === undefined) await finishDeletion(environment, store, target, keepAudit)
  onDeletion(tx === undefined)
}

async function toStored(
  passwords: Pick<PasswordWork, 'hash'>,
  user: z.output<typeof newUserInput>,
  key: string,
): Promise<NewStoredUser> {
  await requireUncommon(user.password, user.email)
  const passwordHash = await passwords.hash(user.password, { key, isKnown: true })
  const { email, scopes = null, emailVerified } = user
  return { email, passwordHash, scopes, isEmailVerified: emailVerified ?? false }
}

function notFound(what: string): never {
  throw new TaskboardError('NOT_FOUND', `no such ${what}`)
}
