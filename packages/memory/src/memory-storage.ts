import type { Storage, Task } from '@taskboard/core'
import type { TaskCounts } from '@taskboard/core/storage'
import { createAccessStore } from './access/access-store.js'
import { createAgentStore } from './agents/agent-store.js'
import { createAnalyticsStore } from './analytics/analytics-store.js'
import { createApprovalStore } from './board/approval-store.js'
import { createAuditStore } from './audit/audit-store.js'
import { createBotStore } from './bots/bot-store.js'
import { createChannelStore } from './channels/channel-store.js'
import { createCommentStore } from './board/comment-store.js'
import { createConversations } from './board/conversations.js'
import { createDatabase, type Database } from './tables/database.js'
import { createEventStore } from './events/event-store.js'
import { createLeaseIndex } from './board/claim/lease-index.js'
import { createLinkStore } from './links/link-store.js'
import { createLimitStore } from './limits/limit-store.js'
import { createNotificationStore } from './events/notification-store.js'
import { createPrune, type Pruned } from './tables/prune.js'
import { createQuotaStore } from './limits/quota-store.js'
import { createReadyQueue, type ReadyQueue } from './board/claim/ready-queue.js'
import { createRealtimeStore } from './realtime/realtime-store.js'
import { createScheduleStore } from './board/schedule-store.js'
import { createSessionStore } from './access/session-store.js'
import { createAbleAgents } from './board/claim/able-agents.js'
import { createTable } from './tables/table.js'
import { createTaskChanges, type TaskChanges } from './board/task-changes.js'
import { createTaskStore } from './board/task-store.js'
import type { MemoryTransaction } from './tables/transactions.js'
import { createUsageStore } from './usage/usage-store.js'
import { createWebhookStore } from './webhooks/webhook-store.js'

/**
 * The reference storage. It keeps everything in this process's memory, and nothing survives the process. It opens no handle and
 * sets no timer, and can be used before `bind` with the default weights and the process's clock.
 *
 * Verbs run one at a time. While a transaction is open, calls without its `tx` read the state before it, and their writes
 * wait until it ends. A write without `tx` inside the transaction's own work rejects with `MISSING_FIELD` (`tx`). Limits take no
 * part in transactions.
 * @example
 * ```ts
 * import { createTaskboard } from '@taskboard/core'
 * import { memoryStorage } from '@taskboard/memory'
 *
 * const taskboard = createTaskboard({ storage: memoryStorage() })
 * const { workspace } = await taskboard.accounts.create({ name: 'Acme', tier: 'professional' })
 * const board = taskboard.board(workspace.id)
 * const tasks = await taskboard.transaction(async (tx) => [
 *   await board.add({ title: 'Pack the order' }, { tx }),
 *   await board.add({ title: 'Send the order' }, { tx }),
 * ])
 * console.log(tasks.length) // 2
 * ```
 */
export function memoryStorage(): Storage<MemoryTransaction> {
  return createMemory().storage
}

function countTasks(tasks: Iterable<Task>): TaskCounts {
  let waiting = 0
  let running = 0
  for (const { column, hold, lease } of tasks) {
    if (lease !== null) running += 1
    else if (column === 'TODO' && hold === null) waiting += 1
  }
  return { waiting, running }
}

function checkIn({ transactions, tables }: Database): Storage<MemoryTransaction>['check'] {
  return ({ withCounts }) =>
    transactions.read(null, () => ({
      isCurrent: true,
      counts: withCounts ? countTasks(tables.tasks.values()) : null,
    }))
}

const ONLY_ROW = ''

function keepKeyCheckIn({ journal, transactions }: Database): Storage<MemoryTransaction>['keepKeyCheck'] {
  const keyChecks = createTable<string>(journal)
  return ({ sealed, replaces }, call) =>
    transactions.write(call, () => {
      const kept = keyChecks.get(ONLY_ROW) ?? null
      if (kept === replaces) keyChecks.set(ONLY_ROW, sealed)
      return keyChecks.get(ONLY_ROW) ?? sealed
    })
}

function prunesOf(
  { transactions, idempotency }: Database,
  changes: TaskChanges,
): Pruned<'pruneDoneTasks' | 'pruneIdempotency'> {
  return {
    pruneDoneTasks: ({ olderThanMs, limit }, call) =>
      transactions.write(call, (now) => changes.removeDone(now - olderThanMs, limit, now)),
    pruneIdempotency: ({ olderThanMs, limit }, call) =>
      transactions.write(call, (now) => idempotency.prune(now - olderThanMs, limit)),
  }
}

/** A storage and its data. */
export function createMemory(): {
  readonly storage: Storage<MemoryTransaction>
  readonly database: Database
} {
  const database: Database = createDatabase(() => queue.replaceAll())
  const { settings, journal, transactions, tables, idempotency } = database
  // Before the queue, which asks for them when it learns of a task's change.
  const leases = createLeaseIndex(tables.tasks)
  const able = createAbleAgents(tables.agents, tables.budgets, tables.rests)
  const queue: ReadyQueue = createReadyQueue({
    journal,
    tasks: tables.tasks,
    agents: tables.agents,
    leases,
    able,
    runtimes: tables.runtimes,
    scoring: () => settings.current.scoring,
  })
  const changes = createTaskChanges(database)
  const conversations = createConversations(database)
  const { targets, ...notifications } = createNotificationStore(database)
  const { pruneEvents, ...events } = createEventStore(database)
  const { pruneDeliveries, ...webhooks } = createWebhookStore(database)
  const { pruneLimits, ...limits } = createLimitStore(database)
  const { pruneSessions, pruneLoginAttempts, ...sessions } = createSessionStore(database)
  const { pruneInvitations, ...access } = createAccessStore(database)
  const { pruneLinks, ...links } = createLinkStore(database)
  const { pruneAudit, ...audit } = createAuditStore(database)
  const { bots, pruneBotUpdates } = createBotStore(database)

  const storage: Storage<MemoryTransaction> = {
    name: 'memory',
    durable: false,
    commitNotifications: 'complete',
    tasks: createTaskStore(database, { queue, leases, changes, conversations }),
    comments: createCommentStore(database, changes, conversations),
    approvals: createApprovalStore(database, changes, conversations),
    links,
    agents: createAgentStore(database, queue, leases),
    analytics: createAnalyticsStore(database),
    events,
    notifications,
    channels: createChannelStore(database, targets),
    bots,
    webhooks,
    limits,
    quotas: createQuotaStore(database),
    access,
    sessions,
    schedules: createScheduleStore(database),
    usage: createUsageStore(database, changes),
    audit,
    realtime: createRealtimeStore(database),
    bind: settings.bind,
    open: () => Promise.resolve(),
    close: () => Promise.resolve(),
    transaction: transactions.transaction,
    inOneCommit: transactions.inOneCommit,
    saveIdempotentResponse: ({ claim, answer }, call) =>
      transactions.write(call, () => idempotency.saveIdempotentResponse(claim, answer)),
    check: checkIn(database),
    keepKeyCheck: keepKeyCheckIn(database),
    prune: createPrune({
      ...prunesOf(database, changes),
      pruneEvents,
      pruneDeliveries,
      pruneLimits,
      pruneSessions,
      pruneInvitations,
      pruneAudit,
      pruneBotUpdates,
      pruneLoginAttempts,
      pruneLinks,
    }),
  }
  return { storage, database }
}
