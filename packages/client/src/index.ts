export { createClient } from './create-client.js'
export type { AuthMethods, BoardMethods, TaskboardClient } from './create-client.js'
export { TaskboardApiError, TaskboardGraphqlError } from './api-error.js'
export type { GraphqlError, TaskboardErrorCode } from './api-error.js'
export type {
  CallOptions,
  ClientCredential,
  ClientOptions,
  ClientPaths,
  ClientSettings,
  Fetch,
  LoginCredential,
  RealtimeTimings,
  TokenFunction,
  WebSocketConstructor,
  WebSocketLike,
} from './client-options.js'
export type { Graphql } from './graphql.js'
export type { AllMethod, Method, OperationId } from './operation.js'
export { TaskboardRealtimeError } from './realtime/realtime-error.js'
export type {
  ChannelPosition,
  Realtime,
  RealtimeActor,
  RealtimeEvent,
  RealtimeMessage,
  RealtimeState,
  SubscribeOptions,
  Subscription,
} from './realtime/index.js'
export type { RetryOptions } from './retry.js'
export type * from './wire.js'
export { TaskFailure } from './worker/task-failure.js'
export type {
  ApprovalResult,
  TaskClaim,
  TaskContext,
  TaskOutcome,
  Worker,
  WorkerOptions,
} from './worker/index.js'
