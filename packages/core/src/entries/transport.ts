// `@taskboard/core/transport`: what adapters of HTTP and WebSocket servers use, and the types of what they carry.

export { principalKinds, reaches, requireScope } from '../access/index.js'
export { agentFields } from '../agents/index.js'
export type { AgentOptions } from '../agents/index.js'
export { logLevels, taskCursor, taskSorts } from '../board/index.js'
export { isFlood, isForPeople } from '../bots/index.js'
export type {
  Bot,
  BotDesk,
  BotLinks,
  BotRequest,
  BotResponse,
  BotRoute,
  Bots,
  Card,
  CardApproval,
  CardState,
  LinkOffer,
  Member,
  Messenger,
  NewLinkCode,
  Pressed,
  Replied,
  ShownCard,
  Spoken,
  SpokenTask,
  TaskReport,
} from '../bots/index.js'
export { yieldToEventLoop } from '../environment/index.js'
export type {
  Gauges,
  Measurement,
  Random,
  SpanDetails,
  SpanStart,
  TelemetrySpan,
  TracedTask,
} from '../environment/index.js'
export { baseUrlForm, mountPath, requireOptionNames, routePath, toBaseUrl } from '../errors/index.js'
export type { NamesOf } from '../errors/index.js'
export {
  actorKinds,
  agentStatuses,
  approvalDecisions,
  notificationEventTypes,
  realtimeEventTypes,
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
  ByteStream,
  V2ErrorBody,
  FallbackRoute,
  HttpRequest,
  HttpResponse,
  OperationCaller,
  PathDescription,
  ProtectedCall,
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
  RealtimeConnection,
  RealtimeProtocol,
  Socket,
  SocketListener,
  StreamRequest,
} from '../realtime/index.js'
export type { CredentialRequest, TransportServices } from '../wiring/transport-services.js'
export { microsPerUsd, usageGroups } from '../usage/index.js'
export {
  deliveryStatuses,
  disabledReasons,
  signStandardWebhook,
  standardWebhookHeaders,
} from '../webhooks/index.js'
