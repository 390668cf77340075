// `@taskboard/core/storage`: what adapters of storages, senders and resolvers use, and their tests.

export {
  isReadOnlyRefusal,
  keyUseMs,
  loginAttemptRules,
  mayInvite,
  mostRotatedTokens,
  readOnlyRefusal,
  sessionOver,
  showRefreshToken,
  takeLoginAttempt,
  withoutOne,
} from '../access/index.js'
export type {
  AccessStore,
  AccountUpdate,
  ApiKeyQuery,
  ApiKeyRotation,
  AttemptDecision,
  AttemptKind,
  DeletionProgress,
  FoundPrincipal,
  Invitation,
  KeyCheck,
  LoginAttempts,
  NewStoredUser,
  RefreshFamily,
  RefreshOutcome,
  RefreshRequest,
  SealedKind,
  SealedReplacement,
  SealedRow,
  Session,
  SessionOrigin,
  SessionRecord,
  SessionStore,
  SignIn,
  WorkspaceUpdate,
} from '../access/index.js'
export { requireOptionNames } from '../errors/index.js'
export { agentFields, anyAgentType, mostAhead, ratedAttempts, timedAttempts } from '../agents/index.js'
export type {
  AddedAgent,
  AgentChange,
  AgentPart,
  AgentPresenceReport,
  AgentQuery,
  AgentReading,
  AgentStore,
  Forecast,
  ForecastTask,
  NewAgent,
} from '../agents/index.js'
export { wireName } from '../fields/index.js'
export type { FieldKind, NamedField } from '../fields/index.js'
export type { ChannelQuery, ChannelStore, NewStoredChannel, StoredChannelChange } from '../channels/index.js'
export { linkKeptMs } from '../links/index.js'
export type { LinkStore, LinkSubject, NewStoredLink, StoredLink } from '../links/index.js'
export { storedActor } from '../audit/index.js'
export type { AuditOwner, AuditQuery, AuditStore, NewAuditRecord } from '../audit/index.js'
export { countEvent, dayOf } from '../analytics/index.js'
export type { AnalyticsStore, Baselines, DayFigures, EventCount, FiguresQuery } from '../analytics/index.js'
export {
  anyTask,
  approvalAt,
  backoffDelayMs,
  budgetHold,
  changedSchedule,
  createSchedule,
  commentsOfRun,
  changedFields,
  createTask,
  cursorAfter,
  defaultBackoff,
  dependenciesWhileWaiting,
  eventOfApproval,
  isCompletedBy,
  isReady,
  makeTask,
  mostAttempts,
  meetsConditions,
  mostOpenSubtasks,
  openStates,
  outcomeOfComment,
  outcomeOfDecision,
  outcomeOfRequest,
  parseApprovalRequest,
  nextOccurrence,
  occur,
  parseNewTask,
  parseTaskList,
  requireSubtaskRoom,
  revocationBy,
  taskLevels,
  searchPlace,
  searchWords,
  updatedEvent,
} from '../board/index.js'
export type {
  AnsweredQuestion,
  ApprovalPage,
  ApprovalQuery,
  ApprovalRequest,
  ApprovalStore,
  ClaimBatch,
  ClaimByType,
  ClaimForAgent,
  ClaimProof,
  ClaimTarget,
  CommentDraft,
  CommentPage,
  CommentQuery,
  CommentStore,
  Completion,
  NewSchedule,
  ListedTask,
  NewTask,
  OccurrenceRequest,
  RequestOutcome,
  ScheduleChange,
  ScheduleList,
  ScheduleQuery,
  ScheduleStore,
  StoredApproval,
  TaskAddition,
  TaskChange,
  TaskConditions,
  TaskCursor,
  TaskField,
  TaskInsertion,
  TaskListQuery,
  TaskPage,
  TaskPart,
  TaskQuery,
  TaskReading,
  TaskSearch,
  TaskSearchPage,
  TaskSplit,
  TaskStore,
  TaskTarget,
  TaskWrite,
  TransitionResult,
} from '../board/index.js'
export {
  createCommitSignal,
  createListeners,
  createNewId,
  sleep,
  systemClock,
  systemRandom,
} from '../environment/index.js'
export type { CallContext, CommitSignal, Listeners, NewId, Timer } from '../environment/index.js'
export { countedEventTypes, currentPayloadVersion, describeEvent } from '../events/index.js'
export type {
  ChannelHealth,
  CountedEventType,
  EventData,
  EventDraft,
  EventStore,
  FeedPage,
  FeedPosition,
  WatchedLine,
  LoggedEvent,
  NotificationBatch,
  NotificationClaim,
  NotificationStore,
  StoredChannel,
} from '../events/index.js'
export { idempotencyRetentionMs } from '../idempotency/index.js'
export {
  eachHeld,
  emptyTierWindow,
  emptyWindow,
  heldResources,
  monthStart,
  newestAdmission,
  remainingInWindow,
  takeFromTierWindow,
  takeFromWindow,
  tierWindowIdleAt,
  toTierDecision,
} from '../limits/index.js'
export type {
  AccountUsage,
  DecisionOf,
  HeldResource,
  LimitRequest,
  LimitStore,
  QuotaStore,
  RollingWindow,
  TakenTask,
  TierDecision,
  TierRates,
  TierRequest,
  TierWindow,
} from '../limits/index.js'
export { compareTied, lanes, laneSlope, placeTask, sameScoring, scoreUnits } from '../priority/index.js'
export type { Lane, Tied } from '../priority/index.js'
export type { LogEnd, LogEndQuery, RealtimeStore, SlotRequest } from '../realtime/index.js'
export { createStorageSettings } from '../wiring/storage-settings.js'
export type { BoundSettings } from '../wiring/storage-settings.js'
export type { Pruning, StorageState, TaskCounts } from '../storage/index.js'
export {
  addUsage,
  entryDay,
  isBudgetSpent,
  nextMonthStart,
  noUsage,
  requireCorrectable,
  requireNoMore,
} from '../usage/index.js'
export type { MonthSums, UsageEntry, UsageQuery, UsageRecord, UsageStore } from '../usage/index.js'
export { createEndpointGuard, rotateSecrets } from '../webhooks/index.js'
export type {
  ClaimedDelivery,
  Delivery,
  DeliveryClaim,
  DeliveryQuery,
  DeliveryResult,
  ReturnedDelivery,
  WebhookQuery,
  DeliveryTarget,
  NewDeliveryBounds,
  NewDeliveryClaimer,
  NewStoredWebhook,
  Sender,
  StoredSecret,
  StoredWebhook,
  StoredWebhookChange,
  WebhookStore,
} from '../webhooks/index.js'
