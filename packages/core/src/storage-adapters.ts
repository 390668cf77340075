// `@taskboard/core/storage`: what adapters of storages, senders and resolvers use, and their tests.

export {
  loginAttemptRules,
  mostRotatedTokens,
  sessionOver,
  showRefreshToken,
  takeLoginAttempt,
} from './access/index.js'
export type {
  AccessStore,
  ApiKeyPage,
  ApiKeyQuery,
  ApiKeyRotation,
  AttemptDecision,
  AttemptKind,
  Credential,
  FoundPrincipal,
  LoginAttempts,
  MfaChange,
  NewStoredApiKey,
  NewStoredUser,
  Reach,
  RefreshFamily,
  RefreshOutcome,
  RefreshRequest,
  Session,
  SessionStore,
  SignIn,
} from './access/index.js'
export { anyAgentType, emptyProfile, mostAhead, ratedAttempts, timedAttempts } from './agents/index.js'
export type {
  AgentChange,
  AgentPart,
  AgentPresenceReport,
  AgentProfile,
  AgentQuery,
  AgentReading,
  AgentStore,
  Forecast,
  ForecastTask,
  NewAgent,
} from './agents/index.js'
export { countEvent, dayOf } from './analytics/index.js'
export type {
  AnalyticsStore,
  Baselines,
  Day,
  DayFigures,
  EventCount,
  FiguresQuery,
} from './analytics/index.js'
export {
  backoffDelayMs,
  createTask,
  cursorAfter,
  defaultBackoff,
  dependenciesWhileWaiting,
  isCompletedBy,
  isReady,
  makeTask,
  mostOpenSubtasks,
  readNewTask,
  readTaskList,
  requireSubtaskRoom,
  revocationBy,
  taskLevels,
} from './board/index.js'
export type {
  AttemptOutcome,
  ClaimBatch,
  ClaimByType,
  ClaimForAgent,
  ClaimProof,
  ClaimTarget,
  Completion,
  ListedTask,
  NewTask,
  TaskAddition,
  TaskBackground,
  TaskChange,
  TaskCursor,
  TaskField,
  TaskFields,
  TaskInsertion,
  TaskListQuery,
  TaskPage,
  TaskPart,
  TaskParts,
  TaskQuery,
  TaskReading,
  TaskSearch,
  TaskSearchPage,
  TaskSplit,
  TaskStore,
  TaskTarget,
  TaskWrite,
  TransitionResult,
} from './board/index.js'
export {
  consoleLogger,
  createCommitSignal,
  createNewId,
  sleep,
  systemClock,
  systemRandom,
} from './environment/index.js'
export type { CallContext, Commit, CommitSignal, IdPrefix, NewId, Timer } from './environment/index.js'
/** @deprecated Use `CallContext`. */
export type { CallContext as At } from './environment/index.js'
export { countedEventTypes, currentPayloadVersion, describeEvent } from './events/index.js'
export type {
  CountedEventType,
  EventData,
  EventDraft,
  EventStore,
  FeedPage,
  FeedPosition,
  LoggedEvent,
  NotificationBatch,
  NotificationClaim,
  NotificationStore,
  NotificationTarget,
  NotificationTargetChange,
  PublishedAlertData,
  RaisedAlertData,
} from './events/index.js'
/** @deprecated The names that these types had. */
export type {
  EventData as EventFacts,
  PublishedAlertData as PublishedAlertFacts,
  RaisedAlertData as RaisedAlertFacts,
} from './events/index.js'
export { idempotencyRetentionMs } from './idempotency/index.js'
export type { Created, IdempotencyClaim } from './idempotency/index.js'
export {
  emptyTierWindow,
  emptyWindow,
  monthStart,
  newestAdmission,
  remainingInWindow,
  takeFromTierWindow,
  takeFromWindow,
  tierWindowIdleAt,
  toTierDecision,
} from './limits/index.js'
export type {
  AccountUsage,
  DecisionOf,
  HeldResource,
  LimitRequest,
  LimitStore,
  QuotaStore,
  QuotaTerms,
  RollingWindow,
  TakenTask,
  TierChange,
  TierDecision,
  TierRates,
  TierRequest,
  Tiers,
  TierTerms,
  TierUsage,
  TierWindow,
} from './limits/index.js'
export { compareTied, lanes, laneSlope, placeTask, sameScoring, scoreUnits } from './priority/index.js'
export type { Lane, Placement, ScoringWeights, Tied } from './priority/index.js'
export type {
  HolderLease,
  LogEnd,
  LogEndQuery,
  RealtimeStore,
  SlotRelease,
  SlotRequest,
} from './realtime/index.js'
export { createStorageSettings } from './storage-settings.js'
export type { BoundSettings } from './storage-settings.js'
export type { Pruning, StorageSettings } from './storage/index.js'
export { createEndpointGuard, rotateSecrets } from './webhooks/index.js'
export type {
  ClaimedDelivery,
  Delivery,
  DeliveryAttempt,
  DeliveryClaim,
  DeliveryQuery,
  DeliveryResult,
  ReturnedDelivery,
  WebhookQuery,
  DeliveryStatus,
  DeliveryTarget,
  DisabledReason,
  EndpointGuard,
  EndpointGuardOptions,
  NewStoredWebhook,
  ResolvedAddress,
  Resolver,
  Sender,
  SendErrorKind,
  SendRequest,
  SendResult,
  SigningKey,
  StoredSecret,
  StoredWebhook,
  StoredWebhookChange,
  WebhookStore,
} from './webhooks/index.js'
