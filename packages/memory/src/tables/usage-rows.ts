import type { Instant, Budget, UsageAmounts } from '@taskboard/core'
import { addUsage, noUsage } from '@taskboard/core/storage'
import type { Table } from './table.js'

/** The reports on a task of one attempt and one model. */
export interface TaskUsageRow {
  readonly fencingToken: number | null
  readonly model: string
  readonly reports: number
  readonly amounts: UsageAmounts
}

/** The reports of one day on tasks of one type, by one agent with one model. */
export interface DayUsageRow {
  readonly workspaceId: string
  readonly day: number
  readonly agentId: string
  readonly type: string
  readonly model: string
  readonly reports: number
  readonly amounts: UsageAmounts
}

/** What a month has spent, of an agent or a workspace. */
export interface MonthUsage {
  readonly month: Instant
  readonly amounts: UsageAmounts
}

/** The budget of an agent or a workspace. */
export interface StoredBudget {
  readonly workspaceId: string
  /** Null for the workspace itself. */
  readonly agentId: string | null
  readonly budget: Budget | null
  /** Until when it is spent; 0 when it isn't. */
  readonly spentUntil: Instant
}

/** Until when an agent takes no tasks, because it couldn't work. */
export interface AgentRest {
  readonly agentId: string
  readonly until: Instant
}

/** The id of a row of budgets, or of the usage of a month. */
export const holderKey = (workspaceId: string, agentId: string | null): string =>
  `${workspaceId} ${agentId ?? ''}`

/** The sum of all reports on a task. */
export function usageOfTask(taskUsage: Table<readonly TaskUsageRow[]>, taskId: string): UsageAmounts {
  return (taskUsage.get(taskId) ?? []).reduce((sum, { amounts }) => addUsage(sum, amounts), noUsage)
}
