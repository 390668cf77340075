// `@taskboard/core/transport`: what adapters of HTTP and WebSocket servers use, and the types of what they carry.

export { principalKinds, reaches, requireScope } from '../access/index.js'
export type {
  BrowserRequest,
  NewUser,
  NewWorkspace,
  SecretBoxOptions,
  TokenOptions,
} from '../access/index.js'
export { agentFields } from '../agents/index.js'
export type { AgentFilter, AgentOptions, AgentPage, Estimates, OutputInput } from '../agents/index.js'
export type { AnalyticsOptions, Grouping, WorkFigures } from '../analytics/index.js'
export { logLevels, taskCursor, taskSorts } from '../board/index.js'
export type {
  AddOptions,
  InstantInput,
  TaskDirectory,
  TaskFilter,
  FoundTask,
  TaskFindings,
  TaskLogList,
  TaskSort,
  WriteOptions,
} from '../board/index.js'
export { yieldToEventLoop } from '../environment/index.js'
export type {
  Gauges,
  LimitName,
  Measurement,
  Random,
  SpanDetails,
  SpanStart,
  TelemetrySpan,
  TracedTask,
} from '../environment/index.js'
export { baseUrlForm, mountPath, requireOptionNames, routePath, toBaseUrl } from '../errors/index.js'
export type { ErrorDetails, NamesOf } from '../errors/index.js'
export {
  actorKinds,
  agentStatuses,
  approvalDecisions,
  integrationEventTypes,
  realtimeEventTypes,
} from '../events/index.js'
export type {
  IntegrationEventType,
  PublishOptions,
  RealtimeEventType,
  TaskboardEventListener,
} from '../events/index.js'
export type { FieldKind, NamedField } from '../fields/index.js'
export {
  announcesBody,
  answerOnNode,
  apiRoutes,
  boardRoutes,
  browserSessionRoutes,
  closeServer,
  createOperationCaller,
  createRouteTable,
  detachRealtime,
  discardRest,
  v2Routes,
  fallbackRoutes,
  flatRoutes,
  healthRoutes,
  operationSchemas,
  protectedRoute,
  parseFields,
  realtimeEndpoint,
  servicesOf,
  toFetchHandler,
  toHttpRequest,
  toNodeHandler,
  unreadBody,
} from '../http/index.js'
export type {
  BoardErrorBody,
  BrowserSessionOptions,
  ByteStream,
  ClosableServer,
  CloseServerOptions,
  ClosingResponse,
  V2ErrorBody,
  FallbackRoute,
  FetchContext,
  FetchHandlerOptions,
  FoundRoute,
  HealthRouteOptions,
  HttpRequest,
  HttpResponse,
  NodeHandlerOptions,
  NodeMessage,
  NodeRequestContext,
  NodeResponse,
  NodeServerRequest,
  NodeServerResponse,
  OperationCaller,
  OperationRequest,
  OperationSchemas,
  PathDescription,
  ProtectedCall,
  ProtectedRouteOptions,
  RealtimeEndpoint,
  RequestBody,
  Route,
  RouteGroup,
  RouteTable,
} from '../http/index.js'
export { heldResources, retryAfterSeconds } from '../limits/index.js'
export { closeCodes, encodeFrames } from '../realtime/index.js'
export type {
  ChannelMessage,
  CloseCodes,
  Conversation,
  MessageStream,
  Origin,
  EncodedFrames,
  Realtime,
  RealtimeConnection,
  RealtimeError,
  RealtimeOptions,
  RealtimeProtocol,
  RealtimeSettings,
  Socket,
  SocketListener,
  StreamRequest,
} from '../realtime/index.js'
export type {
  CredentialRequest,
  HealthServices,
  RoutePaths,
  TransportServices,
} from '../wiring/transport-services.js'
export { microsPerUsd, usageGroups } from '../usage/index.js'
export {
  deliveryStatuses,
  disabledReasons,
  signStandardWebhook,
  standardWebhookHeaders,
} from '../webhooks/index.js'
export type { DeliveryPage, WebhookChange } from '../webhooks/index.js'
