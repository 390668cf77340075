import { createAccounts, wakeAtCommit, type Accounts, type People } from '../access/index.js'
import { createAgentAnnouncer, createAgents, createEstimates, type Agents } from '../agents/index.js'
import { createAnalytics, resolveBaselines, type Analytics } from '../analytics/index.js'
import { createAudit, type Audit } from '../audit/index.js'
import { createBackground } from './background.js'
import { botsOf } from './bots-of.js'
import { createBoardParts } from './board-deps.js'
import { createCallers } from './callers.js'
import { hostChannels, type Channels, type UserChannels } from '../channels/index.js'
import {
  cachedBoards,
  createApprovalDirectory,
  createBoard,
  createScheduleLoop,
  createTaskDirectory,
  parseNewTask,
  parseTaskList,
  type ApprovalDirectory,
  type Board,
  type BoardDeps,
  type TaskDirectory,
} from '../board/index.js'
import {
  createNotifications,
  createPublisher,
  type Notifications,
  type PublishData,
  type PublishOptions,
  type TaskboardEvent,
  type IntegrationEventType,
  type TaskboardEvents,
} from '../events/index.js'
import { createTierLimits } from '../limits/index.js'
import { createLifecycle } from './lifecycle.js'
import { linksOf } from './links-of.js'
import type { Links, LinkServices } from '../links/index.js'
import { resealSecrets, type ResealedSecrets, type ResealOptions } from './reseal.js'
import { userChannelsOf } from './user-channels-of.js'
import { peopleOf } from './people-of.js'
import { createScheduleQuota } from './schedule-quota.js'
import { withRefusals } from './refusals.js'
import { retentionOf } from './retention.js'
import { createRealtime, resolveRealtimeOptions, type Realtime } from '../realtime/index.js'
import { createTaskTraces } from './task-traces.js'
import type { TransportServices } from './transport-services.js'
import { addressesOf, defaultAgentOf, pollIntervalOf, type TaskboardOptions } from './taskboard-options.js'
import { checkedCalls } from './checked-calls.js'
import { createSender, createWiring, keepsAudit, type Wiring } from './wiring.js'
import { createTransactions } from './transactions.js'
import { createUsage, type Usage } from '../usage/index.js'
import { createDeliverer, createWebhooks, type Deliverer, type Webhooks } from '../webhooks/index.js'

/**
 * A task board within a host application. Creating one opens nothing, listens to nothing and starts no timer. You can use its
 * boards, accounts and webhooks at the same time. `start` starts the background work, `close` stops it.
 */
export interface Taskboard<Tx = unknown> {
  readonly accounts: Accounts<Tx>
  /** Who did what in the accounts, and what was rejected. */
  readonly audit: Audit<Tx>
  readonly agents: Agents<Tx>
  readonly analytics: Analytics<Tx>
  /** Queries the tasks of all boards, with filters. */
  readonly tasks: TaskDirectory<Tx>
  /** Queries the approvals of all boards, with filters. A board decides them. */
  readonly approvals: ApprovalDirectory<Tx>
  /** What agents have used, and the budgets of agents and workspaces. */
  readonly usage: Usage<Tx>
  readonly webhooks: Webhooks<Tx>
  /** The host's notification channels. */
  readonly notifications: Notifications<Tx>
  /** The notification channels that users set up. */
  readonly channels: Channels<Tx>
  /** Links that decide an approval, or answer a question, as one person. */
  readonly links: Links<Tx>
  /** Emits the events of all boards, after the commit, from `start` to `close`. */
  readonly events: TaskboardEvents
  /** A handle on one workspace's board. Cheap. Its calls reject with `NOT_FOUND` for an unknown workspace, or `TASK_NOT_FOUND` for a task in it. */
  board(workspaceId: string): Board<Tx>
  /** Raises `email.received`, `order.new` or `agent.alert`, which needs a `message`, for a workspace. A retried call raises another one. */
  publish<T extends IntegrationEventType>(
    workspaceId: string,
    type: T,
    data: PublishData<T>,
    options?: PublishOptions<Tx>,
  ): Promise<TaskboardEvent>
  /**
   * Runs `work` in a transaction of the storage. Pass `tx` to every call that is part of it. It commits when `work` resolves and
   * rolls back completely when `work` rejects. It retries nothing.
   * @throws TaskboardError `MISSING_FIELD` (`tx`) within the `work` of another one, for which it would wait.
   */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /**
   * Seals all secrets of webhooks, channels and second factors with the first key of `secrets.encryptionKey`, after which the other keys can
   * go. Call it when all processes have that key first. After an interruption, call it again.
   * @throws TaskboardError `INVALID_CONFIG` (`secrets.encryptionKey`) when no key matches the stored secrets.
   */
  resealSecrets(options?: ResealOptions): Promise<ResealedSecrets>
  /** Recomputes the stored order after a change of weights or horizons. Returns how many tasks changed. */
  rescore(): Promise<number>
  /**
   * Starts agents, deliveries, notifications and sweeps. Further calls return the promise of the first.
   * @throws TaskboardError `INVALID_CONFIG` when the stored keys were made with other weights; `CONFLICT` after `close`.
   */
  start(): Promise<void>
  /**
   * Lets runs and sends in progress finish for at most `drainTimeoutMs` (default 10 s), and releases the rest. It leaves no timer, socket
   * or other handle open. Idempotent. Doesn't close the host's pool or server.
   */
  close(options?: { readonly drainTimeoutMs?: number | undefined }): Promise<void>
  /** Pass it to an adapter, which mounts it. */
  readonly services: TransportServices<Tx>
}

const MINUTE_MS = 60_000
const DEFAULT_BOARD_PER_MINUTE = 60

/**
 * Creates a task board from a storage and options.
 * @throws TaskboardError `INVALID_CONFIG` for invalid options; `field` names the first.
 * @example
 * ```ts
 * import { createTaskboard } from '@taskboard/core'
 * import { memoryStorage } from '@taskboard/memory'
 *
 * const taskboard = createTaskboard({ storage: memoryStorage() })
 * await taskboard.start()
 * const { workspace } = await taskboard.accounts.create({ name: 'Acme', tier: 'professional' })
 * const task = await taskboard.board(workspace.id).add({ title: 'Compare the three offers' })
 * console.log(task.column) // TODO
 * await taskboard.close()
 * ```
 */
export function createTaskboard<Tx = unknown>(options: TaskboardOptions<Tx>): Taskboard<Tx> {
  const wiring = createWiring(options)
  const { environment, storage } = wiring
  const channels = hostChannels(options.notifications ?? [])
  const callers = createCallers({ ...wiring, store: storage.access, counts: wiring.auditCounts })
  const people = peopleOf(wiring, callers.reach)
  const links = linksOf(wiring, people)
  const userChannels = userChannelsOf(wiring, links)
  const pollIntervalMs = pollIntervalOf(options)
  const { schedules: scheduleStore, events } = storage
  const scheduleLoop = createScheduleLoop({
    environment,
    schedules: scheduleStore,
    events,
    quota: createScheduleQuota(wiring),
    pollIntervalMs,
  })
  const announcer = createAgentAnnouncer(
    environment,
    storage.agents,
    storage.commitNotifications === 'complete',
  )
  const boardDeps = createBoardParts({ ...wiring, scheduleLoop, announcer })
  const deliverer = createDeliverer({
    ...wiring,
    store: storage.webhooks,
    sender: options.webhooks?.sender ?? createSender(wiring),
    settings: wiring.webhookSettings,
    traceparentOf: createTaskTraces(environment, storage.tasks),
    pollIntervalMs,
  })
  const services = withRefusals(
    createTransportServices(wiring, { boardDeps, deliverer, userChannels, callers, people, links }),
    environment.telemetry,
  )
  const background = createBackground({
    ...wiring,
    keptSecrets: options.secrets === undefined ? null : wiring.secrets,
    agents: options.agents ?? [],
    boardFor: (workspaceId, actor) => createBoard(boardDeps, workspaceId, actor),
    channels,
    userRoutes: userChannels.routes,
    closeChannels: () => userChannels.close(),
    announcer,
    realtime: services.realtime,
    bots: services.bots,
    deliverer,
    scheduleLoop,
    auditCounts: wiring.auditCounts.loop,
    longestOutageMs: wiring.bounds.longestOutageMs,
    retention: retentionOf(options),
    pollIntervalMs,
  })
  return checkedCalls<Tx, Taskboard<Tx>>({
    accounts: services.accounts,
    audit: services.audit,
    agents: services.agents,
    analytics: services.analytics,
    tasks: services.tasks,
    approvals: services.approvals,
    usage: services.usage,
    notifications: createNotifications({ environment, store: storage.notifications, channels }),
    channels: userChannels.channels,
    links: links.host,
    events: wiring.emitter.events,
    publish: createPublisher({ environment, store: storage.events }),
    webhooks: services.webhooks,
    board: (workspaceId) => services.board(workspaceId),
    transaction: createTransactions(storage),
    rescore: () => storage.tasks.rescore(environment.call()),
    resealSecrets: (sealing) => resealSecrets(wiring, sealing),
    ...createLifecycle({ ...wiring, background }),
    services,
  })
}

interface Parts<Tx> {
  readonly boardDeps: BoardDeps<Tx>
  readonly deliverer: Deliverer
  readonly userChannels: UserChannels<Tx>
  readonly callers: ReturnType<typeof createCallers>
  readonly people: People
  readonly links: LinkServices<Tx>
}

function createTransportServices<Tx>(wiring: Wiring<Tx>, parts: Parts<Tx>): TransportServices<Tx> {
  const services = servicesBelowBots(wiring, parts)
  return { ...services, bots: botsOf(wiring, services) }
}

function accountsOf<Tx>(wiring: Wiring<Tx>, { callers }: Parts<Tx>): Accounts<Tx> {
  const { environment, storage, options, access } = wiring
  return createAccounts({
    ...access,
    environment,
    store: storage.access,
    signIns: storage.sessions,
    defaultAgent: defaultAgentOf(options),
    resetSecondFactor: async (userId, by) => access.login?.mfa.reset(userId, by),
    keepAudit: keepsAudit(options),
    onDeletion(isCommitted) {
      callers.reach.forget()
      if (isCommitted) wiring.deletions.wake()
      else wakeAtCommit(storage.events, wiring.deletions)
    },
  })
}

function servicesBelowBots<Tx>(wiring: Wiring<Tx>, parts: Parts<Tx>): Omit<TransportServices<Tx>, 'bots'> {
  const { boardDeps, deliverer, userChannels, callers, people, links } = parts
  const { environment, storage, scoring, options, bounds, access, guard, secrets, phase } = wiring
  const rate = { limit: options.limits?.boardPerMinute ?? DEFAULT_BOARD_PER_MINUTE, windowMs: MINUTE_MS }
  const { auditCounts: counts, quota, tiers } = wiring
  const tierLimits = createTierLimits({ environment, store: storage.limits, tiers })
  return {
    environment,
    scoring,
    health: { phase, check: () => storage.check({ withCounts: false }, environment.call()) },
    ...addressesOf(options),
    bodyLimitBytes: bounds.bodyLimitBytes,
    ...callers,
    takeBoardLimit: ({ id }) => storage.limits.take({ key: `board:${id}`, ...rate }, environment.call()),
    takeTierLimit: (principal) => tierLimits.take(principal),
    quota,
    tiers,
    directMembers: options.members?.direct ?? false,
    accounts: accountsOf(wiring, parts),
    audit: createAudit({ environment, store: storage.audit }),
    countRefusal: (by, accountId) => counts.count({ action: 'access.refused', of: { accountId }, by }),
    keys: access.keys,
    people,
    links: links.served,
    login: access.login,
    agents: createAgents({
      environment,
      store: storage.agents,
      onChanged(agentId) {
        wiring.directory.forget(agentId)
        wiring.routes.wake()
      },
    }),
    analytics: createAnalytics({
      environment,
      store: storage.analytics,
      baselines: resolveBaselines(options.analytics),
    }),
    estimates: createEstimates(environment, storage.agents),
    board: cachedBoards((workspaceId) => createBoard(boardDeps, workspaceId)),
    parseTask: (input, workspaceId) => parseNewTask(input, workspaceId, boardDeps.settings.maxAttempts),
    parseTasks: (inputs, workspaceId) => parseTaskList(inputs, workspaceId, boardDeps.settings.maxAttempts),
    tasks: createTaskDirectory({ environment, tasks: storage.tasks, scoring }),
    approvals: createApprovalDirectory({ environment, tasks: storage.tasks, approvals: storage.approvals }),
    schedules: boardDeps.schedules,
    usage: createUsage({ environment, store: storage.usage }),
    saveIdempotentResponse: (claim, answer) =>
      storage.saveIdempotentResponse({ claim, answer }, environment.call()),
    webhooks: createWebhooks({
      environment,
      store: storage.webhooks,
      secrets,
      guard,
      settings: wiring.webhookSettings,
      onChanged: (webhookId) => deliverer.forget(webhookId),
    }),
    channels: userChannels.channels,
    confirmations: userChannels.confirmations,
    webhookHeaderPrefix: wiring.webhookSettings.headerPrefix,
    maxDeliveryAttempts: wiring.webhookSettings.schedule.delaysMs.length + 1,
    realtime: realtimeOf(wiring),
  }
}

function realtimeOf<Tx>({ environment, storage, options, bounds, tiers }: Wiring<Tx>): Realtime {
  return createRealtime({
    environment,
    store: storage.realtime,
    events: storage.events,
    workspaces: storage.access,
    settings: resolveRealtimeOptions(options.realtime, bounds),
    tiers,
  })
}
