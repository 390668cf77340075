import type { Instant } from '@taskboard/core'
import type { UsageAmounts } from '@taskboard/core/storage'

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
