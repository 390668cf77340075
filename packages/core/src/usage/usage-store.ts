import type { Reach } from '../access/index.js'
import type { CallContext, Instant } from '../environment/index.js'
import type { Created, IdempotencyClaim } from '../idempotency/index.js'
import type { Budget, BudgetHolder } from './budget.js'
import type { UsageAmounts, UsageReport } from './usage.js'

/** A report to record. */
export interface UsageRecord {
  readonly workspaceId: string
  readonly taskId: string
  readonly report: UsageReport
  /**
   * Of the claim that reports: it must have the live lease, which is renewed. Null for a report from outside, which counts for the attempt
   * in progress, or for none.
   */
  readonly fencingToken: number | null
  /** As `leaseMs` of a `renew`. Without a fencing token it is ignored. */
  readonly leaseMs: number | null
  readonly idempotency: IdempotencyClaim | null
}

/** A recorded report. */
export interface RecordedUsage extends UsageReport {
  readonly id: string
  readonly workspaceId: string
  readonly taskId: string
  /** Of the attempt that it counts for; null for none. */
  readonly agentId: string | null
  readonly fencingToken: number | null
  readonly at: Instant
  /** The sum of all reports on the task. */
  readonly total: UsageAmounts
  /** The budget that is used up after it; null for none. Of several, the first of `budgetHolders`. */
  readonly spent: BudgetHolder | null
}

/** The first and the last day in a sum, in UTC, counted since the first of January 1970. */
export interface UsageDays {
  readonly firstDay: number
  readonly lastDay: number
}

/** What a sum is over. */
export const usageGroups = ['day', 'agent', 'type', 'model'] as const
export type UsageGroup = (typeof usageGroups)[number]

export type UsageQuery =
  /** The reports on one task: by attempt (the fencing token as text, empty for none) or by model. */
  | {
      readonly workspaceId: string
      readonly taskId: string
      readonly groupBy: 'attempt' | 'model'
      readonly limit: number
    }
  /** The reports on each of some tasks, whose ids the caller has found within its reach. The keys are their ids; those without a report have no sum. */
  | { readonly taskIds: readonly string[]; readonly groupBy: 'task' }
  /** All reports on the tasks of workspaces, including deleted tasks. */
  | (UsageDays & {
      readonly reach: Reach
      /** Null for all within reach. */
      readonly workspaceId: string | null
      readonly groupBy: UsageGroup
      readonly limit: number
      /** Only groups with a greater key. */
      readonly afterKey: string | null
    })

/** The sum of one group. */
export interface UsageSum extends UsageAmounts {
  /** A day as `2026-11-22`, the id of an agent or a task, a type, a model or an attempt. Empty for none. */
  readonly key: string
  readonly reports: number
}

/** The budget of an agent or of a workspace for each calendar month, UTC, with the usage of the current month. */
export interface MonthlyBudget {
  readonly workspaceId: string
  /** Null for the workspace itself. */
  readonly agentId: string | null
  /** Null when there is none. */
  readonly budget: Budget | null
  /** The start of the month. */
  readonly month: Instant
  readonly tokens: number
  readonly costMicros: number
  readonly isSpent: boolean
}

/** Usage of a month that isn't reported on a task: the usage of an agent in a chat, or a correction. */
export interface UsageEntry {
  readonly workspaceId: string
  /** Null for usage without an agent, which counts for the workspace alone. */
  readonly agentId: string | null
  /** Of a correction, its amounts are added as they are, so that negative ones take back. */
  readonly report: UsageReport
  /** Why a month is corrected; null for a report, which counts as one. */
  readonly correction: {
    readonly reason: string
    /** The start of the month, UTC; null for the present one. A past one counts on its last day. */
    readonly month: Instant | null
  } | null
  readonly idempotency: IdempotencyClaim | null
}

/** The budgets that an entry counts in, after it. */
export interface EnteredUsage {
  readonly id: string
  readonly workspace: MonthlyBudget
  /** Null without an agent. */
  readonly agent: MonthlyBudget | null
}

/**
 * What agents have used, and their budgets. Each verb is atomic. Sums are kept by task and attempt until the task is deleted, and by day permanently
 * . A report may spend more than is left: budgets are compared after it.
 */
export interface UsageStore<Tx = unknown> {
  /**
   * Records a report. The budget of the task, or the monthly one of its agent or workspace, may then be used up. A task that an
   * agent works on then goes to TODO under the hold `budget`, with `task.failed`. So does a task in TODO whose own budget is spent and that
   * has no hold. The attempt ends as `held`, which counts neither as failed nor as completed. From then to the end of the month, or until
   * the budget is raised, the agent gets no task. If it is the budget of the workspace, no agent of the workspace gets one.
   * @throws TaskboardError `TASK_NOT_FOUND`; `CONFLICT` for a fencing token that doesn't hold the live lease, and for an idempotency key
   *   that was used with another fingerprint.
   */
  recordUsage(record: UsageRecord, call: CallContext<Tx>): Promise<Created<RecordedUsage>>
  /**
   * Adds to the sums of days and of the month without a task. Agents may take tasks again immediately when their own monthly budget and the
   * workspace budget have something left, and take none otherwise.
   * @throws TaskboardError `NOT_FOUND` for a workspace that doesn't exist, or an agent that it doesn't have. `INVALID_FIELD` for a
   * correction of a month that hasn't begun (`month`). The same for one that would make the usage of the month negative, naming the amount.
   * `CONFLICT` for an idempotency key that was used with another fingerprint.
   */
  enterUsage(entry: UsageEntry, call: CallContext<Tx>): Promise<Created<EnteredUsage>>
  /**
   * Sums of reports, in the order of their keys, at most `limit`. Days without a report have no sum.
   * @throws TaskboardError `TASK_NOT_FOUND`; `NOT_FOUND` (`workspaceId`) for a workspace that doesn't exist or isn't within reach.
   */
  sumUsage(query: UsageQuery, call: CallContext<Tx>): Promise<readonly UsageSum[]>
  /**
   * Sets the budget of an agent, or (null) of a workspace, or removes it. Agents may take tasks again immediately when it is now more than
   * the usage of the month, and take none otherwise.
   * @throws TaskboardError `NOT_FOUND` for a workspace that doesn't exist, or an agent that it doesn't have.
   */
  setBudget(
    change: { readonly workspaceId: string; readonly agentId: string | null; readonly budget: Budget | null },
    call: CallContext<Tx>,
  ): Promise<MonthlyBudget>
  /**
   * The budgets of a workspace: its own first, even when it has none, then the budgets of agents in the order of their ids. At most
   * `limit`, after the agent `afterId`.
   * @throws TaskboardError `NOT_FOUND` for an unknown workspace.
   */
  listBudgets(
    query: { readonly workspaceId: string; readonly afterId: string | null; readonly limit: number },
    call: CallContext<Tx>,
  ): Promise<readonly MonthlyBudget[]>
}
