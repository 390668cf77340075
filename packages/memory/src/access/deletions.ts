import {
  type ApiKeyRecord,
  type Instant,
  type Scope,
  type Task,
  TaskboardError,
  type User,
  type Workspace,
} from '@taskboard/core'
import { mayInvite, type AccessStore, type DeletionProgress } from '@taskboard/core/storage'
import { deleteComments } from '../board/conversations.js'
import { deleteLinks } from '../tables/delete-links.js'
import type { Database } from '../tables/database.js'
import type { Table } from '../tables/table.js'
import type { Deletion } from '../tables/tables.js'
import type { MemoryTransaction } from '../tables/transactions.js'
import type { StoredUser } from '../tables/users.js'

const LAST_WORKSPACE = 'an account must keep at least one workspace; delete the account instead'

type Verb = 'beginDeletion' | 'continueDeletion' | 'deleteUser'

/** The part of the access store that deletes. */
export function createDeletions(
  database: Database,
  workspacesOf: (accountId: string) => readonly Workspace[],
): Pick<AccessStore<MemoryTransaction>, Verb> {
  const { tables, transactions } = database
  /** The rows that are left, by the id of the deletion. Each step deletes a few. */
  const begun = new Map<string, Iterator<void>>()

  function beginAccount(accountId: string): { readonly accountId: string } {
    if (tables.accounts.get(accountId) === undefined) throw notFound('account')
    const workspaceIds = new Set(workspacesOf(accountId).map(({ id }) => id))
    // First, so that nothing else is refused because the account is read-only.
    tables.accounts.delete(accountId)
    const callerIds = new Set<string>()
    for (const { user } of tables.users.values()) if (user.accountId === accountId) callerIds.add(user.id)
    for (const key of tables.apiKeys.values()) if (key.accountId === accountId) callerIds.add(key.id)
    for (const id of callerIds) dropCaller(database, id)
    for (const { id, accountId: of } of tables.invitations.values())
      if (of === accountId) tables.invitations.delete(id)
    dropLinks(tables, (row) => row.accountId === accountId)
    for (const id of workspaceIds) stopWorkspace(database, id)
    tables.deletions.set(accountId, { accountId, workspaceIds, callerIds })
    return { accountId }
  }

  function beginWorkspace(workspaceId: string): { readonly accountId: string } {
    const workspace = tables.workspaces.get(workspaceId)
    if (workspace === undefined) throw notFound('workspace')
    const next = workspacesOf(workspace.accountId).find(({ id }) => id !== workspaceId)
    if (next === undefined) throw new TaskboardError('CONFLICT', LAST_WORKSPACE)
    const callerIds = new Set<string>()
    for (const key of tables.apiKeys.values()) if (key.workspaceId === workspaceId) callerIds.add(key.id)
    for (const id of callerIds) dropCaller(database, id)
    moveDefaults(database, workspaceId, next.id)
    stopWorkspace(database, workspaceId)
    tables.deletions.set(workspaceId, { accountId: null, workspaceIds: new Set([workspaceId]), callerIds })
    return { accountId: workspace.accountId }
  }

  function proceed({
    of,
    limit,
    keepAudit,
  }: Parameters<AccessStore['continueDeletion']>[0]): DeletionProgress {
    const [found] = tables.deletions.entries()
    const id = of ?? found?.[0] ?? ''
    const deletion = tables.deletions.get(id)
    if (deletion === undefined) return { deleted: 0, isOver: true }
    const steps = begun.get(id) ?? rowsOf(database, deletion, keepAudit)
    begun.set(id, steps)
    for (let deleted = 0; deleted < limit; deleted++) {
      if (steps.next().done !== true) continue
      begun.delete(id)
      tables.deletions.delete(id)
      return { deleted, isOver: false }
    }
    return { deleted: limit, isOver: false }
  }

  return {
    beginDeletion: (target, call) =>
      transactions.write(call, () =>
        'accountId' in target ? beginAccount(target.accountId) : beginWorkspace(target.workspaceId),
      ),
    continueDeletion: (request, { now }) => transactions.write({ now }, () => proceed(request)),
    deleteUser: ({ userId, keepKeys, mayBeLast }, call) =>
      transactions.write(call, (now) => {
        const found = tables.users.get(userId)
        if (found === undefined) throw notFound('user')
        const keys = keepKeys ? [] : revokeKeys(tables, now, (key) => key.createdBy === userId)
        const sessions = dropCaller(database, userId, now)
        const invitations = dropInvitations(tables, userId, [])
        dropLinks(tables, (row) => row.userId === userId)
        const { accountId } = found.user
        if (!mayBeLast) requireOwner(tables, accountId)
        return { accountId, sessions, keys, invitations }
      }),
  }
}

/** @throws TaskboardError `CONFLICT` when no user of the account can manage it. */
export function requireOwner({ users }: Database['tables'], accountId: string): void {
  const isOwner = ({ user }: StoredUser): boolean =>
    user.accountId === accountId && user.scopes.includes('account:write')
  if (![...users.values()].some(isOwner))
    throw new TaskboardError('CONFLICT', 'an account keeps at least one owner')
}

/** Ends what a user has made with more scopes than it has now; returns the ids. */
export function narrow(tables: Database['tables'], { id, scopes }: User, now: Instant) {
  const isBeyond = (key: ApiKeyRecord) => !key.scopes.every((scope) => scopes.includes(scope))
  return {
    keys: revokeKeys(tables, now, (key) => key.createdBy === id && isBeyond(key)),
    invitations: dropInvitations(tables, id, scopes),
  }
}

/** Withdraws the invitations of a user that one with `scopes` may not make; returns their ids. */
function dropInvitations(
  { invitations }: Database['tables'],
  userId: string,
  scopes: readonly Scope[],
): readonly string[] {
  const beyond = [...invitations.values()].filter(
    (each) => each.createdBy === userId && !mayInvite(scopes, each.scopes),
  )
  for (const { id } of beyond) invitations.delete(id)
  return beyond.map(({ id }) => id)
}

/** Revokes the keys that `isMeant` selects; returns the ids of those that weren't revoked before. */
function revokeKeys(
  { apiKeys }: Database['tables'],
  now: Instant,
  isMeant: (key: ApiKeyRecord) => boolean,
): readonly string[] {
  const ended = [...apiKeys.values()].filter((key) => key.revokedAt === null && isMeant(key))
  for (const key of ended) apiKeys.set(key.id, { ...key, revokedAt: now })
  return ended.map(({ id }) => id)
}

/** Ends links with accounts of messengers, and the codes for them. */
function dropLinks(
  { botLinks, botLinkCodes }: Database['tables'],
  isMeant: (row: { readonly userId: string; readonly accountId: string }) => boolean,
): void {
  for (const [key, link] of botLinks.entries()) if (isMeant(link)) botLinks.delete(key)
  for (const code of botLinkCodes.values()) if (isMeant(code)) botLinkCodes.delete(code.id)
}

/** Deletes a user with its sessions, or a key. Returns the sessions that hadn't ended. */
function dropCaller({ tables }: Database, id: string, now: Instant = 0): readonly string[] {
  const isUser = tables.users.get(id) !== undefined
  tables.users.delete(id)
  tables.apiKeys.delete(id)
  if (!isUser) return []
  deleteLinks({ tables }, ({ userId }) => userId === id)
  const own = [...tables.sessions.values()].filter(({ session }) => session.userId === id)
  for (const { session } of own) tables.sessions.delete(session.id)
  return own.filter(({ family }) => family.expiresAt > now).map(({ session }) => session.id)
}

function moveDefaults({ tables }: Database, workspaceId: string, defaultWorkspaceId: string): void {
  for (const key of tables.apiKeys.values()) {
    if (key.defaultWorkspaceId === workspaceId) tables.apiKeys.set(key.id, { ...key, defaultWorkspaceId })
  }
  for (const stored of tables.users.values()) {
    if (stored.defaultWorkspaceId !== workspaceId) continue
    tables.users.set(stored.user.id, { ...stored, defaultWorkspaceId })
  }
}

/** Its agents take no more tasks, its schedules make no tasks, and it sends no messages. */
function stopWorkspace({ tables, subscriptions }: Database, workspaceId: string): void {
  tables.workspaces.delete(workspaceId)
  for (const agent of tables.agents.values()) {
    if (agent.workspaceId === workspaceId) tables.agents.set(agent.id, { ...agent, paused: true })
  }
  for (const schedule of tables.schedules.values()) {
    if (schedule.workspaceId === workspaceId) tables.schedules.delete(schedule.id)
  }
  for (const webhook of subscriptions.of(workspaceId)) {
    tables.webhooks.set(webhook.id, { ...webhook, enabled: false })
  }
}

/** So many rows of others are passed in one step. */
const PASSED_AT_ONCE = 100

/** Deletes all rows of a deletion, one with each step. Tasks go first, as the others follow their changes; webhooks and agents last. */
function* rowsOf(database: Database, deletion: Deletion, keepAudit: boolean): Generator<void, void> {
  const { tables, log, idempotency, deletionHooks } = database
  const { accountId, workspaceIds } = deletion
  for (const hook of deletionHooks) hook(deletion)
  yield* removeEach(tables.tasks, (_, task) => {
    if (workspaceIds.has(task.workspaceId)) removeTask(database, task)
  })
  if (accountId !== null && !keepAudit) {
    yield* removeEach(tables.audit, (id, record) => {
      if (record.accountId === accountId) tables.audit.delete(id)
    })
  }
  const { tasks: _, audit: _audit, webhooks, agents, ...others } = tables
  for (const table of [...Object.values<Table<unknown>>(others), webhooks, agents]) {
    yield* removeEach(table, (id, value) => {
      const [owner = ''] = id.split(' ')
      if (!workspaceIds.has(owner) && !workspaceIds.has(workspaceOf(value))) return
      table.delete(id)
      // Noted by the agent's id.
      if (table === agents) for (const noted of [tables.workers, tables.rests]) noted.delete(id)
    })
  }
  log.removeWorkspaces(workspaceIds)
  idempotency.removeWorkspaces(workspaceIds)
  for (const hook of deletionHooks) hook(deletion)
}

/** Calls `remove` with each row; what it deletes is a step. */
function* removeEach<V>(table: Table<V>, remove: (id: string, value: V) => void): Generator<void, void> {
  let passed = 0
  for (const [id, value] of table.entries()) {
    remove(id, value)
    passed += 1
    if (table.get(id) === undefined || passed % PASSED_AT_ONCE === 0) yield
  }
}

function removeTask(database: Database, { id, lease }: Task): void {
  const { tables, attempts, approvalIds, recordRevocation } = database
  // Into the journal before the row is deleted, as in `TaskChanges.remove`.
  attempts.set(id, [])
  tables.taskLogs.delete(id)
  tables.outputs.delete(id)
  deleteComments(database, id)
  for (const approvalId of approvalIds.of(id)) tables.approvals.delete(approvalId)
  deleteLinks(database, ({ taskId }) => taskId === id)
  tables.taskUsage.delete(id)
  tables.tasks.delete(id)
  if (lease !== null) recordRevocation()
}

/** The workspace that a row names, if it names one. */
function workspaceOf(value: unknown): string {
  const row = (typeof value === 'object' && value !== null ? value : {}) as Owned
  return row.workspaceId ?? row.delivery?.workspaceId ?? ''
}

interface Owned {
  readonly workspaceId?: string
  readonly delivery?: { readonly workspaceId: string }
}

function notFound(what: string): TaskboardError {
  return new TaskboardError('NOT_FOUND', `no such ${what}`)
}
