import type { z } from 'zod'
import type { CallContext } from '../environment/index.js'
import { parseInput, requireLimit, TaskboardError } from '../errors/index.js'
import type { Account, Workspace } from './access-store.js'
import { createAccountKeys, type AccountKeys, type AccountKeysParts, type TxOption } from './account-keys.js'
import { newAccountInput, newPasswordInput, newUserInput, newWorkspaceInput } from './access-input.js'
import type { PasswordHasher } from './password-hasher.js'
import type { Authenticator } from './authenticator.js'
import type { NewStoredUser, User } from './user.js'

/**
 * `tier` is the subscription. `workspaceName` names the first workspace; default: the account's name. `owner` is its first user.
 */
export type NewAccount = z.input<typeof newAccountInput>
/**
 * `email` is unique on the whole board, ignoring case. `password` has 12 to 256 characters. Without `scopes` the user has all
 * scopes, including those of later versions.
 */
export type NewUser = z.input<typeof newUserInput>
export type NewWorkspace = z.input<typeof newWorkspaceInput>

/**
 * Accounts, workspaces and API keys, for the host's own code: these methods do not authorize the caller. Every method throws
 * `TaskboardError`: `MISSING_FIELD` and `INVALID_FIELD` name the field, `NOT_FOUND` means an unknown id.
 */
export interface Accounts<Tx = unknown> extends AccountKeys<Tx> {
  /**
   * Creates an account with its first workspace, and the user given by `owner`. Without it, `user` is null.
   * @throws TaskboardError `CONFLICT` (`email`) when another user has the address.
   */
  create(
    input: NewAccount,
    options?: TxOption<Tx>,
  ): Promise<{ account: Account; workspace: Workspace; user: User | null }>
  get(accountId: string, options?: TxOption<Tx>): Promise<Account>
  /** Oldest first. `limit` 1 to 1,000, default 100. */
  list(options?: TxOption<Tx> & { readonly limit?: number | undefined }): Promise<readonly Account[]>

  /** @throws TaskboardError `CONFLICT` (`email`) when another user has the address. */
  createUser(accountId: string, input: NewUser, options?: TxOption<Tx>): Promise<User>
  /**
   * Replaces a user's password (12 to 256 characters), and ends all sessions of the user and logins in progress with the old one. This
   * process refuses their access tokens at once. Other processes (and this one, with a `tx`, after its commit) refuse them within the
   * authenticator's `cacheTtlMs`. The user's second factor and API keys stay.
   */
  setPassword(userId: string, password: string, options?: TxOption<Tx>): Promise<void>
  /** Oldest first. */
  listUsers(accountId: string, options?: TxOption<Tx>): Promise<readonly User[]>

  createWorkspace(accountId: string, input: NewWorkspace, options?: TxOption<Tx>): Promise<Workspace>
  getWorkspace(workspaceId: string, options?: TxOption<Tx>): Promise<Workspace>
  /** Oldest first. */
  listWorkspaces(accountId: string, options?: TxOption<Tx>): Promise<readonly Workspace[]>
}

export interface AccountsParts<Tx> extends AccountKeysParts<Tx> {
  /** The agent that a new workspace gets, so that its board is worked at once; null for none. */
  readonly defaultAgent: { readonly name: string; readonly type: string } | null
  readonly hasher: PasswordHasher
  readonly authenticator: Pick<Authenticator, 'forget' | 'forgetSession'>
}

const DEFAULT_PAGE = 100

/** The service behind `taskboard.accounts`. */
export function createAccounts<Tx>(parts: AccountsParts<Tx>): Accounts<Tx> {
  const { environment, store, hasher, defaultAgent: agent } = parts
  const at = (options?: TxOption<Tx>): CallContext<Tx> => ({ now: environment.storageNow(), tx: options?.tx })

  async function get(accountId: string, options?: TxOption<Tx>): Promise<Account> {
    const [account] = await store.listAccounts({ accountId }, at(options))
    return account ?? notFound('account')
  }

  async function getWorkspace(workspaceId: string, options?: TxOption<Tx>): Promise<Workspace> {
    const [workspace] = await store.listWorkspaces({ workspaceId }, at(options))
    return workspace ?? notFound('workspace')
  }

  return {
    async create(input, options) {
      const { name, tier, workspaceName, owner } = parseInput(newAccountInput, input)
      const user = owner == null ? null : await toStored(hasher, owner)
      return store.insertAccount(
        { name, tier, workspaceName: workspaceName ?? name, agent, owner: user },
        at(options),
      )
    },
    get,
    async list(options) {
      return store.listAccounts({ limit: requireLimit(options?.limit ?? DEFAULT_PAGE) }, at(options))
    },
    async createUser(accountId, input, options) {
      const user = await toStored(hasher, parseInput(newUserInput, input))
      return store.insertUser({ accountId, ...user }, at(options))
    },
    async setPassword(userId, password, options) {
      const input = parseInput(newPasswordInput, { password })
      const passwordHash = await hasher.hash(input.password)
      const ended = await store.setPassword({ userId, passwordHash }, at(options))
      for (const sessionId of ended) parts.authenticator.forgetSession(sessionId)
    },
    async listUsers(accountId, options) {
      return store.listUsers({ accountId }, at(options))
    },
    async createWorkspace(accountId, input, options) {
      const { name } = parseInput(newWorkspaceInput, input)
      return store.insertWorkspace({ accountId, name, agent }, at(options))
    },
    getWorkspace,
    async listWorkspaces(accountId, options) {
      return store.listWorkspaces({ accountId }, at(options))
    },
    ...createAccountKeys(parts),
  }
}

async function toStored(hasher: PasswordHasher, user: z.output<typeof newUserInput>): Promise<NewStoredUser> {
  const passwordHash = await hasher.hash(user.password)
  return { email: user.email, passwordHash, scopes: user.scopes ?? null }
}

function notFound(what: string): never {
  throw new TaskboardError('NOT_FOUND', `no such ${what}`)
}
