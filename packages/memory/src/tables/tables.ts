import type {
  Account,
  Agent,
  ApiKeyRecord,
  Asked,
  AuditRecord,
  Comment,
  Instant,
  Schedule,
  Task,
  TaskLogEntry,
  TaskOutput,
  Workspace,
} from '@taskboard/core'
import type {
  ConnectedConversation,
  EventCount,
  LoginAttempts,
  MessengerLink,
  Invitation,
  RefreshFamily,
  SessionOrigin,
  StoredApproval,
  StoredChannel,
  StoredLink,
  StoredWebhook,
} from '@taskboard/core/storage'
import type { LinkCodeRow, MessageRow, PollingRow } from './bot-rows.js'
import type { DeliveryRow } from './deliveries.js'
import type { Journal } from './journal.js'
import { createTable, createTableOfRows, type Table } from './table.js'
import { createTaskSlots, type TaskSlots, type TaskTable } from './task-slots.js'
import type { AgentRest, DayUsageRow, MonthUsage, StoredBudget, TaskUsageRow } from './usage-rows.js'
import type { StoredUser } from './users.js'

/** The name of the account comes from its row. */
export interface StoredInvitation extends Omit<Invitation, 'accountName'> {
  readonly tokenHash: string
  readonly isMailed: boolean
}

/** A session with its refresh tokens. */
export interface StoredSession extends SessionOrigin {
  readonly session: { readonly id: string; readonly userId: string }
  readonly familyHash: string
  readonly family: RefreshFamily
  readonly createdAt: Instant
  readonly lastUsedAt: Instant
  readonly provenAt: Instant
}

/** The lines of a task's log that are kept, oldest first, and how many older ones aren't. */
export interface TaskLog {
  readonly lines: readonly TaskLogEntry[]
  readonly deleted: number
}

/** The totals of a workspace's log, up to the event of that `seq`, by day and type. */
export interface RollUp {
  readonly seq: number
  readonly counts: Counts
}

/** What is deleted in batches. Its account, workspaces, callers and agents are gone already. */
export interface Deletion {
  /** Null when the account stays. */
  readonly accountId: string | null
  readonly workspaceIds: ReadonlySet<string>
  /** Users and keys. */
  readonly callerIds: ReadonlySet<string>
}

export type Counts = ReadonlyMap<string, EventCount>

export interface Tables {
  readonly accounts: Table<Account>
  readonly workspaces: Table<Workspace>
  readonly apiKeys: Table<ApiKeyRecord & { readonly hash: string }>
  readonly users: Table<StoredUser>
  readonly sessions: Table<StoredSession>
  readonly invitations: Table<StoredInvitation>
  /** By a digest of the guesser and the target. */
  readonly loginAttempts: Table<LoginAttempts>
  readonly agents: Table<Agent>
  /** Until when a runtime of each agent type is known to be at work. */
  readonly runtimes: Table<Instant>
  /** Until when a worker outside the runtimes works for an agent, according to its claims. */
  readonly workers: Table<Instant>
  /** By workspace and agent: whether it was paused before its account became read-only. */
  readonly pausedBefore: Table<boolean>
  /** By agent. */
  readonly rests: Table<AgentRest>
  /** By workspace. */
  readonly rollUps: Table<RollUp>
  readonly schedules: Table<Schedule>
  /** By `holderKey`. */
  readonly budgets: Table<StoredBudget>
  /** By task. */
  readonly taskUsage: Table<readonly TaskUsageRow[]>
  readonly usageDays: Table<DayUsageRow>
  /** By `holderKey`. */
  readonly usageMonths: Table<MonthUsage>
  readonly tasks: TaskTable
  readonly taskLogs: Table<TaskLog>
  readonly outputs: Table<readonly TaskOutput[]>
  /** By task and place. */
  readonly comments: Table<Comment>
  /** By task. */
  readonly commentCounts: Table<number>
  /** Who asked the last question of a task. */
  readonly questions: Table<Asked>
  readonly approvals: Table<StoredApproval>
  /** By the hash of the token. */
  readonly links: Table<StoredLink>
  readonly webhooks: Table<StoredWebhook>
  /** The notification channels that users set up. */
  readonly channels: Table<StoredChannel>
  readonly deliveries: Table<DeliveryRow>
  /** By bot and account of the messenger. */
  readonly botLinks: Table<MessengerLink>
  readonly botLinkCodes: Table<LinkCodeRow>
  /** By bot and conversation of the messenger. */
  readonly conversations: Table<ConnectedConversation>
  readonly botMessages: Table<MessageRow>
  /** When each update was taken, by bot and update. */
  readonly botUpdates: Table<Instant>
  /** By bot. */
  readonly botPolling: Table<PollingRow>
  readonly audit: Table<AuditRecord>
  /** By the id of the account or workspace. */
  readonly deletions: Table<Deletion>
}

export function createTables(journal: Journal): Tables {
  return {
    accounts: createTable<Account>(journal),
    workspaces: createTable<Workspace>(journal),
    apiKeys: createTable<ApiKeyRecord & { readonly hash: string }>(journal),
    users: createTable<StoredUser>(journal),
    sessions: createTable<StoredSession>(journal),
    invitations: createTable<StoredInvitation>(journal),
    loginAttempts: createTable<LoginAttempts>(journal),
    agents: createTable<Agent>(journal),
    runtimes: createTable<Instant>(journal),
    workers: createTable<Instant>(journal),
    pausedBefore: createTable<boolean>(journal),
    rests: createTable<AgentRest>(journal),
    rollUps: createTable<RollUp>(journal),
    schedules: createTable<Schedule>(journal),
    budgets: createTable<StoredBudget>(journal),
    taskUsage: createTable<readonly TaskUsageRow[]>(journal),
    usageDays: createTable<DayUsageRow>(journal),
    usageMonths: createTable<MonthUsage>(journal),
    tasks: createTableOfRows<Task, TaskSlots>(journal, createTaskSlots),
    taskLogs: createTable<TaskLog>(journal),
    outputs: createTable<readonly TaskOutput[]>(journal),
    comments: createTable<Comment>(journal),
    commentCounts: createTable<number>(journal),
    questions: createTable<Asked>(journal),
    approvals: createTable<StoredApproval>(journal),
    links: createTable<StoredLink>(journal),
    webhooks: createTable<StoredWebhook>(journal),
    channels: createTable<StoredChannel>(journal),
    deliveries: createTable<DeliveryRow>(journal),
    botLinks: createTable<MessengerLink>(journal),
    botLinkCodes: createTable<LinkCodeRow>(journal),
    conversations: createTable<ConnectedConversation>(journal),
    botMessages: createTable<MessageRow>(journal),
    botUpdates: createTable<Instant>(journal),
    botPolling: createTable<PollingRow>(journal),
    audit: createTable<AuditRecord>(journal),
    deletions: createTable<Deletion>(journal),
  }
}
