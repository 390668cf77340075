export { flatRoutes } from './http.js'
export type { FallbackRoute, HttpRequest, HttpResponse, RequestBody, Route, RouteGroup } from './http.js'
export { boardErrorEnvelope, boardErrorTable } from './v1/envelope.js'
export type { BoardErrorBody } from './v1/envelope.js'
export { v2ErrorEnvelope, v2ErrorTable } from './v2/envelope.js'
export type { V2ErrorBody } from './v2/envelope.js'
export type { ErrorEnvelope, ErrorTable } from './error-envelope.js'
export { boardRoutes } from './v1/board-routes.js'
export { v2Routes } from './v2/v2-routes.js'
export { createOperationCaller } from './v2/operation-caller.js'
export type { OperationCaller, OperationRequest } from './v2/operation-caller.js'
export { operationSchemas } from './v2/operation-schemas.js'
export { parseFields } from './field-names.js'
export type { OperationSchemas } from './v2/operation-schemas.js'
export { protectedRoute } from './v2/protected-route.js'
export { type BrowserSessionOptions, browserSessionRoutes } from './browser-sessions.js'
export type { PathDescription } from './v2/described-routes.js'
export type { ProtectedCall, ProtectedRouteOptions } from './v2/protected-route.js'
export {
  apiRoutes,
  fallbackRoutes,
  type FetchContext,
  type FetchHandlerOptions,
  toFetchHandler,
} from './fetch-handler.js'
export {
  answerOnNode,
  type NodeHandlerOptions,
  type NodeServerRequest,
  type NodeServerResponse,
  toNodeHandler,
} from './node-handler.js'
export {
  type ClosableServer,
  closeServer,
  type CloseServerOptions,
  type ClosingResponse,
} from './close-server.js'
export { createRouteTable } from './route-table.js'
export { servicesOf } from './services-of.js'
export type { FoundRoute, RouteTable } from './route-table.js'
export {
  announcesBody,
  type ByteStream,
  discardRest,
  type NodeMessage,
  type NodeRequestContext,
  type NodeResponse,
  toHttpRequest,
  unreadBody,
} from './node-request.js'
export { healthRoutes, type HealthRouteOptions } from './health-routes.js'
export { detachRealtime, realtimeEndpoint } from './realtime-endpoint.js'
export type { RealtimeEndpoint } from './realtime-endpoint.js'
