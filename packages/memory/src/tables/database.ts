import { type Instant, TaskboardError } from '@taskboard/core'
import {
  type BoundSettings,
  type CommitSignal,
  createCommitSignal,
  createListeners,
  createStorageSettings,
  type Listeners,
  type LoggedEvent,
  type WatchedLine,
  type StoredApproval,
} from '@taskboard/core/storage'
import { type Attempts, createAttempts } from './attempts.js'
import { type DeliveryRow, skipped } from './deliveries.js'
import { createEventLog, type EventLog, type EventRow, toLoggedEvent } from './event-log.js'
import { createIdempotencyRecords, type IdempotencyRecords } from './idempotency.js'
import { createJournal, type Journal, type Reversible } from './journal.js'
import { createReadOnlyAccounts, type ReadOnlyAccounts } from './read-only.js'
import { createSubtasks, type Subtasks } from './subtasks.js'
import { createSubscriptions, type Subscriptions } from './subscriptions.js'
import { createTables, type Deletion, type Tables } from './tables.js'
import { createTransactions, type Transactions } from './transactions.js'
import { createUsers, type Users } from './users.js'
import type { Table } from './table.js'

const REVOKING = { revokes: true } as const

/** What all stores of one storage share. */
export interface Database {
  readonly settings: BoundSettings
  readonly journal: Journal
  readonly transactions: Transactions
  readonly commits: CommitSignal
  /** Called with the lines of tasks' logs, after their commit. */
  readonly lines: Listeners<WatchedLine>
  /** Notes a line for the next commit; a rollback takes it back. */
  readonly recordLine: (line: WatchedLine) => void
  /** Notes that a task was revoked from its agent; the next commit reports it. */
  readonly recordRevocation: () => void
  readonly log: EventLog
  readonly idempotency: IdempotencyRecords
  readonly attempts: Attempts
  readonly approvalIds: ApprovalIds
  readonly subscriptions: Subscriptions
  readonly subtasks: Subtasks
  readonly users: Users
  readonly tables: Tables
  readonly readOnly: ReadOnlyAccounts
  /** Calls `hook` in the first and the last batch of each deletion, for data that isn't in a table here. */
  onDeletion(hook: (deletion: Deletion) => void): void
  readonly deletionHooks: readonly ((deletion: Deletion) => void)[]
  /** Logs an event, with a delivery to each webhook that wants it: a skipped one while the webhook is disabled. Rejected for a read-only account. */
  readonly publish: (row: EventRow) => void
  /** @throws TaskboardError `NOT_FOUND`. */
  requireWorkspace(workspaceId: string): void
}

export function createDatabase(onScoring: () => void): Database {
  const settings = createStorageSettings(onScoring)
  const journal = createJournal()
  const commits = createCommitSignal()
  const log = createEventLog(journal, () => settings.current.newId)
  const tables = createTables(journal)
  const deletionHooks: ((deletion: Deletion) => void)[] = []
  /** A rollback leaves it set, because one search that finds nothing does no harm. */
  let revokes = false
  const lines = createListeners<WatchedLine>()
  const written: WatchedLine[] = []
  const takenBack = undoing(written)
  const attempts = createAttempts(journal, tables.tasks)
  const approvalIds = createApprovalIds(tables.approvals)
  const subscriptions = createSubscriptions(tables.webhooks)
  const readOnly = createReadOnlyAccounts(tables)

  return {
    settings,
    journal,
    transactions: createTransactions({
      journal,
      now: settings.now,
      onCommit() {
        commits.raise(revokes ? REVOKING : undefined)
        revokes = false
        if (written.length > 0) for (const line of written.splice(0)) lines.call(line)
      },
    }),
    commits,
    lines,
    recordLine(line) {
      written.push(line)
      journal.note(takenBack, '', undefined)
    },
    recordRevocation() {
      revokes = true
    },
    log,
    idempotency: createIdempotencyRecords(journal),
    attempts,
    approvalIds,
    subscriptions,
    subtasks: createSubtasks(tables.tasks),
    users: createUsers(tables.users),
    tables,
    readOnly,
    publish(row) {
      readOnly.requireWritable(row.workspaceId)
      log.append(row)
      const subscribers = subscriptions.to(row.workspaceId, row.type)
      if (subscribers.length === 0) return
      const event = toLoggedEvent(row)
      for (const { id: webhookId, enabled } of subscribers) {
        const id = settings.current.newId('evt')
        const due = newDelivery(id, webhookId, event, row.at)
        tables.deliveries.set(id, enabled ? due : skipped(due))
      }
    },
    onDeletion(hook) {
      deletionHooks.push(hook)
    },
    deletionHooks,
    requireWorkspace(workspaceId) {
      if (tables.workspaces.get(workspaceId) === undefined) {
        throw new TaskboardError('NOT_FOUND', 'no such workspace')
      }
    },
  }
}

/** Takes back the last of a list, and puts it there again. */
function undoing(written: WatchedLine[]): Reversible {
  return {
    swap(_, line) {
      if (line === undefined) return written.pop()
      written.push(line as WatchedLine)
      return undefined
    },
  }
}

/** A delivery that is due immediately. */
export function newDelivery(id: string, webhookId: string, event: LoggedEvent, now: Instant): DeliveryRow {
  const delivery = {
    id,
    webhookId,
    workspaceId: event.workspaceId,
    event,
    status: 'pending',
    attemptCount: 0,
    attempts: [],
    nextAttemptAt: now,
    createdAt: now,
  } as const
  return { delivery, claim: null }
}

/** The ids of the approvals of each task, oldest first. Follows the table of approvals. */
interface ApprovalIds {
  of(taskId: string): readonly string[]
}

function createApprovalIds(approvals: Table<StoredApproval>): ApprovalIds {
  const byTask = new Map<string, string[]>()

  approvals.onChange((before, after) => {
    if (before !== undefined && after !== undefined) return
    if (after !== undefined) byTask.set(after.taskId, [...(byTask.get(after.taskId) ?? []), after.id].sort())
    if (before === undefined) return
    const left = (byTask.get(before.taskId) ?? []).filter((id) => id !== before.id)
    if (left.length === 0) byTask.delete(before.taskId)
    else byTask.set(before.taskId, left)
  })

  return { of: (taskId) => byTask.get(taskId) ?? [] }
}
