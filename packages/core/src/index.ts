// The public API, listed by hand and grouped by who needs it.

// --- A host application -------------------------------------------------------------------------------------------------
export { createTaskboard } from './taskboard.js'
export type { Taskboard } from './taskboard.js'
export type { TaskboardOptions } from './taskboard-options.js'
export { defineAgent, TaskFailure } from './agents/index.js'
export type {
  Agent,
  AgentChangeInput,
  AgentDefinition,
  AgentFilter,
  AgentOptions,
  AgentOverview,
  AgentPage,
  AgentProfile,
  Agents,
  AgentStatus,
  ChatContext,
  Estimates,
  NewAgentInput,
  OutputInput,
  TaskClaim,
  TaskContext,
} from './agents/index.js'
export type {
  AddOptions,
  Actor,
  Attempt,
  AttemptOutcome,
  Backoff,
  Board,
  ChatReply,
  Column,
  Hold,
  HoldReason,
  InstantInput,
  Lease,
  Priority,
  Task,
  TaskAgent,
  TaskChangeInput,
  TaskDetail,
  TaskDirectory,
  TaskFilter,
  TaskFindings,
  TaskInput,
  TaskList,
  TaskLogEntry,
  TaskOutput,
  TaskStatus,
  TaskSummary,
  WriteOptions,
} from './board/index.js'
export { columns, holdReasons, priorities } from './board/index.js'
export type {
  Account,
  Accounts,
  AllowedOrigins,
  ApiKeyRecord,
  BrowserRequest,
  NewAccount,
  NewApiKey,
  NewUser,
  NewWorkspace,
  PasswordHasher,
  Principal,
  Reach,
  Scope,
  SecretBoxOptions,
  Tier,
  TokenOptions,
  TxOption,
  User,
  Workspace,
} from './access/index.js'
export { reaches, requireScope, scopes, tiers } from './access/index.js'
export { eventPayloadSchemas, integrationEventTypes, webhookEventTypes } from './events/index.js'
export type {
  EventFacts,
  EventPayload,
  EventType,
  IntegrationEventType,
  Notification,
  NotificationChannel,
  Notifications,
  PublishData,
  PublishOptions,
  TaskboardEvent,
  TaskboardEventListener,
  TaskboardEvents,
  WebhookEventType,
  WebhookPayload,
} from './events/index.js'
export type {
  Analytics,
  AnalyticsOptions,
  AnalyticsQuery,
  Grouping,
  TaskAnalytics,
  WorkFigures,
} from './analytics/index.js'
export type {
  DeliveryPage,
  DeliveryRecord,
  DeliveryStatus,
  Webhook,
  WebhookChange,
  WebhookInput,
  WebhookOptions,
  Webhooks,
} from './webhooks/index.js'
export { isTaskboardError, TaskboardError } from './errors/index.js'
export type { ErrorCode, ErrorDetails } from './errors/index.js'
export type { Clock, Instant, Logger, Random, Timer } from './environment/index.js'

// --- Parts that are of use alone ----------------------------------------------------------------------------------------
export {
  backoffDelayMs,
  defaultBackoff,
  isReady,
  cursorAfter,
  taskCursor,
  taskStatus,
  taskStatuses,
  isCompletedBy,
  revocationBy,
  transition,
} from './board/index.js'
export type { TaskCommand, TransitionResult } from './board/index.js'
export {
  compareTied,
  createScoring,
  defaultScoring,
  explainScore,
  laneSlope,
  lanes,
  placeTask,
  sameScoring,
  scoreTask,
  scoreUnits,
} from './priority/index.js'
export type {
  Lane,
  Placement,
  Scorable,
  ScoreExplanation,
  Scoring,
  ScoringOptions,
  ScoringWeights,
  Tied,
} from './priority/index.js'
export {
  createEndpointGuard,
  createRetrySchedule,
  defaultRetrySchedule,
  newWebhookSecret,
  nextAttemptAt,
  rotateSecrets,
  signPayload,
  signStandardWebhook,
  standardWebhookHeaders,
  verifySignature,
} from './webhooks/index.js'
export type { EndpointGuard, EndpointGuardOptions, RetrySchedule, SigningKey } from './webhooks/index.js'
export {
  createRateLimiter,
  defaultTiers,
  emptyTierWindow,
  emptyWindow,
  monthStart,
  newestAdmission,
  remainingInWindow,
  retryAfterSeconds,
  takeFromTierWindow,
  takeFromWindow,
  tierWindowIdleAt,
  toTierDecision,
} from './limits/index.js'
export type {
  LimitDecision,
  QuotaTerms,
  RateLimiter,
  RateLimiterOptions,
  RollingWindow,
  TierChange,
  TierDecision,
  TierOptions,
  TierRates,
  Tiers,
  TierTerms,
  TierUsage,
  TierWindow,
} from './limits/index.js'
export { boardErrorEnvelope, enterpriseErrorEnvelope } from './http/index.js'
export type { BoardErrorBody, EnterpriseErrorBody, ErrorEnvelope } from './http/index.js'

// --- Adapters of HTTP servers -------------------------------------------------------------------------------------------
export { nextTurn } from './environment/index.js'
export {
  announcesBody,
  apiRoutes,
  boardRoutes,
  createOperationCaller,
  createRouteTable,
  enterpriseRoutes,
  discardRest,
  fallbackRoutes,
  protectedRoute,
  toFetchHandler,
  toHttpRequest,
  unreadBody,
} from './http/index.js'
export type {
  ByteStream,
  FallbackRoute,
  FetchHandlerOptions,
  FoundRoute,
  HttpRequest,
  HttpResponse,
  NodeMessage,
  NodeRequestContext,
  NodeResponse,
  OperationCaller,
  OperationRequest,
  PathDescription,
  ProtectedCall,
  ProtectedRouteOptions,
  RequestBody,
  Route,
  RouteTable,
} from './http/index.js'
export type { CredentialRequest, Surface, SurfacePaths } from './surface.js'

// --- Adapters of WebSocket servers --------------------------------------------------------------------------------------
export { detachRealtime, realtimeEndpoint } from './http/index.js'
export type { RealtimeEndpoint } from './http/index.js'
export { closeCodes, outgoing } from './realtime/index.js'
export type {
  ChannelMessage,
  CloseCodes,
  Conversation,
  MessageStream,
  Origin,
  Outgoing,
  Realtime,
  RealtimeConnection,
  RealtimeError,
  RealtimeOptions,
  RealtimeProtocol,
  RealtimeSettings,
  Socket,
  SocketListener,
  StreamRequest,
} from './realtime/index.js'

// --- Adapters of storages, senders and resolvers, and their tests -------------------------------------------------------
export type { Pruning, Storage, StorageSettings } from './storage/index.js'
export { createStorageSettings } from './storage-settings.js'
export type { BoundSettings } from './storage-settings.js'
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
  ApiKeyRotation,
  AttemptDecision,
  AttemptKind,
  LoginAttempts,
  MfaChange,
  MfaState,
  NewStoredApiKey,
  NewStoredUser,
  RefreshFamily,
  RefreshOutcome,
  RefreshRequest,
  Session,
  SessionStore,
  SignIn,
} from './access/index.js'
export { countEvent, dayOf } from './analytics/index.js'
export type {
  AnalyticsStore,
  Baselines,
  Day,
  DayFigures,
  EventCount,
  FiguresQuery,
} from './analytics/index.js'
export { anyAgentType, emptyProfile, mostAhead, ratedAttempts, timedAttempts } from './agents/index.js'
export type {
  AgentChange,
  AgentPresenceReport,
  AgentQuery,
  AgentStore,
  Forecast,
  ForecastTask,
  NewAgent,
} from './agents/index.js'
export type {
  ClaimBatch,
  ClaimByType,
  ClaimForAgent,
  ClaimProof,
  ClaimTarget,
  Completion,
  NewTask,
  TaskAddition,
  TaskBackground,
  TaskChange,
  TaskCursor,
  TaskListQuery,
  TaskPage,
  TaskPart,
  TaskParts,
  TaskQuery,
  TaskReading,
  TaskSearch,
  TaskSearchPage,
  TaskStore,
  TaskTarget,
  TaskWrite,
} from './board/index.js'
export { currentPayloadVersion, describeEvent } from './events/index.js'
export type {
  EventDraft,
  EventStore,
  FeedPage,
  FeedPosition,
  LoggedEvent,
  NotificationBatch,
  NotificationClaim,
  NotificationStore,
  NotificationTarget,
  PublishedAlertFacts,
  RaisedAlertFacts,
} from './events/index.js'
export type {
  ClaimedDelivery,
  Delivery,
  DeliveryAttempt,
  DeliveryClaim,
  DeliveryQuery,
  DeliveryResult,
  DeliveryTarget,
  NewStoredWebhook,
  StoredWebhookChange,
  DisabledReason,
  ResolvedAddress,
  Resolver,
  Sender,
  SendErrorKind,
  SendRequest,
  SendResult,
  StoredSecret,
  StoredWebhook,
  WebhookStore,
} from './webhooks/index.js'
export type { LogEnd, RealtimeStore, SlotRequest } from './realtime/index.js'
export type {
  AccountUsage,
  HeldResource,
  LimitRequest,
  LimitStore,
  QuotaStore,
  TakenTask,
  TierRequest,
} from './limits/index.js'
export { idempotencyRetentionMs } from './idempotency/index.js'
export type { Created, IdempotencyClaim } from './idempotency/index.js'
export {
  consoleLogger,
  createCommitSignal,
  createNewId,
  silentLogger,
  sleep,
  systemClock,
  systemRandom,
} from './environment/index.js'
export type { At, Commit, CommitSignal, IdPrefix, NewId } from './environment/index.js'
