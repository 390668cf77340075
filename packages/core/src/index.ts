// `@taskboard/core`: what a host application and its tests use, and the parts that are of use alone.

export { scopes, tiers } from './access/index.js'
export type {
  Account,
  Accounts,
  AllowedOrigins,
  ApiKeyRecord,
  NewAccount,
  NewApiKey,
  PasswordHasher,
  Principal,
  Scope,
  Tier,
  TxOption,
  User,
  Workspace,
} from './access/index.js'
export { defineAgent, RetryLater, TaskFailure } from './agents/index.js'
export type {
  Agent,
  AgentChangeInput,
  AgentDefinition,
  AgentOverview,
  Agents,
  AgentStatus,
  ApprovalResult,
  ChatContext,
  NewAgentInput,
  TaskClaim,
  TaskContext,
} from './agents/index.js'
export type { Analytics, AnalyticsQuery, TaskAnalytics } from './analytics/index.js'
export {
  approvalStatuses,
  askerKinds,
  columns,
  commentKinds,
  holdReasons,
  overlaps,
  priorities,
  taskStatus,
  taskStatuses,
  transition,
} from './board/index.js'
export type {
  Channel,
  ChannelChange,
  ChannelInput,
  ChannelNotification,
  ChannelPage,
  Channels,
  ChannelTest,
  ConfigTools,
  DeliveryTools,
  NotificationType,
} from './channels/index.js'
export type {
  Actor,
  Approval,
  ApprovalAnswer,
  ApprovalDecision,
  ApprovalDirectory,
  ApprovalFilter,
  ApprovalFindings,
  ApprovalInput,
  ApprovalStatus,
  ActingAs,
  Asker,
  Attempt,
  Backoff,
  Board,
  BoardApprovals,
  BoardConversation,
  BoardSchedules,
  ChatReply,
  Column,
  Comment,
  CommentKind,
  CommentList,
  DelegationInput,
  Hold,
  HoldReason,
  Lease,
  ListedTaskInput,
  NamedActor,
  Overlap,
  Priority,
  Schedule,
  ScheduleChangeInput,
  ScheduleInput,
  SchedulePage,
  Task,
  TaskAgent,
  TaskChangeInput,
  TaskCommand,
  TaskDetail,
  TaskFilter,
  TaskSort,
  TaskInput,
  TaskList,
  TaskLogEntry,
  TaskOutput,
  TaskStatus,
  TaskSummary,
} from './board/index.js'
export { silentLogger } from './environment/index.js'
export type { Clock, Instant, Logger, Telemetry } from './environment/index.js'
export { isTaskboardError, TaskboardError } from './errors/index.js'
export type { ErrorCode } from './errors/index.js'
export { eventPayloadSchemas, shortDigest, webhookEventTypes } from './events/index.js'
export type {
  EventPayload,
  EventType,
  Notification,
  NotificationChannel,
  NotificationEventType,
  Notifications,
  PublishData,
  TaskboardEvent,
  TaskboardEvents,
  WebhookEventType,
  WebhookPayload,
} from './events/index.js'
export { boardErrorEnvelope, enterpriseErrorEnvelope } from './http/index.js'
export type { ErrorEnvelope } from './http/index.js'
export { createRateLimiter, defaultTiers } from './limits/index.js'
export type { LimitDecision, RateLimiter, RateLimiterOptions, TierOptions } from './limits/index.js'
export { createScoring, defaultScoring, explainScore, scoreTask } from './priority/index.js'
export type { Scorable, ScoreExplanation, Scoring, ScoringOptions } from './priority/index.js'
export type { Storage } from './storage/index.js'
export type { TaskboardOptions } from './taskboard-options.js'
export { createTaskboard } from './taskboard.js'
export type { Taskboard } from './taskboard.js'
export { toUsageReport } from './usage/index.js'
export type {
  Budget,
  BudgetInput,
  BudgetPage,
  ModelPrice,
  ModelPrices,
  ReportLimits,
  MonthlyBudget,
  RecordedUsage,
  Usage,
  UsageAmounts,
  UsageFilter,
  UsageInput,
  UsagePage,
  UsageSum,
} from './usage/index.js'
export {
  createRetrySchedule,
  defaultRetrySchedule,
  newWebhookSecret,
  nextAttemptAt,
  signPayload,
  verifySignature,
} from './webhooks/index.js'
export type {
  DeliveryRecord,
  RetrySchedule,
  Webhook,
  WebhookInput,
  WebhookOptions,
  Webhooks,
} from './webhooks/index.js'
