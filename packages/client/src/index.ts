export { createClient } from './create-client.js'
export type { TaskboardClient } from './create-client.js'
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
  TokenFunction,
  WebSocketConstructor,
  WebSocketLike,
} from './client-options.js'
export type { Graphql } from './graphql.js'
export type { AllMethod, Method, OperationId } from './operation.js'
export type { BoardMethods } from './methods/board-methods.js'
export type { RetryOptions } from './retry.js'
export type * from './wire.js'
