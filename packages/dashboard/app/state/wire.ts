import type { Account, ListedTask, Task } from '@taskboard/client'

export type {
  Account,
  Agent,
  ApiKey,
  Approval,
  Budget,
  Comment,
  Delivery,
  MonthlyBudget,
  NotificationChannel,
  NotificationChannelType as ChannelType,
  Schedule,
  Task,
  TaskAnalytics,
  TaskAttempt,
  TaskDetail,
  UpdateTaskBody as TaskChange,
  UsageSum,
  Webhook,
  Workspace,
} from '@taskboard/client'
/** A task on the board, with its cost when the list was asked for it. */
export type CardTask = ListedTask
/** What a caller may do. */
export type Scope = Account['caller']['scopes'][number]
export type Column = Task['column']
export type Priority = Task['priority']
export type TaskStatus = Task['status']
export type HoldReason = NonNullable<Task['hold']>['reason']

export const columns = ['todo', 'doing', 'done'] as const satisfies readonly Column[]
export const priorities = ['urgent', 'high', 'medium', 'low'] as const satisfies readonly Priority[]
