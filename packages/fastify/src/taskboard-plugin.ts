import {
  announcesBody,
  apiRoutes,
  createRouteTable,
  detachRealtime,
  discardRest,
  fallbackRoutes,
  nextTurn,
  toHttpRequest,
  unreadBody,
  type ByteStream,
  type FallbackRoute,
  type HttpResponse,
  type RequestBody,
  type Route,
  type Surface,
} from '@taskboard/core/transport'
import type { FastifyContentTypeParser, FastifyPluginCallback, FastifyReply, FastifyRequest } from 'fastify'
import { keepMalformedPaths } from './malformed-paths.js'

export interface TaskboardPluginOptions {
  readonly taskboard: { readonly surface: Surface }
  /** What is served beside the task board's own routes, GraphQL for example. */
  readonly routes?: readonly Route[] | undefined
  /**
   * Who answers the paths below those of the task board that no route has: the host, to which they pass on (`'host'`, the
   * default), or the task board, with 404 in the envelope of the API (`'envelope'`).
   */
  readonly notFound?: 'host' | 'envelope' | undefined
}

/** What Fastify says of a content type that it cannot make out, or (with the method QUERY) misses. */
const CONTENT_TYPE_ERROR = /^FST_ERR_(?:CTP_|ROUTE_MISSING_CONTENT_TYPE$)/

interface RouteConfig {
  readonly taskboardRoute?: Route
}

/**
 * A Fastify plugin with the task board's routes; `prefix` works as with any plugin. It is encapsulated: the host's parsers,
 * hooks and error handler stay as they are, and the host's hooks run for these routes too. When the application closes, it closes
 * the realtime connections that `attachRealtime` accepted on its server (1001). The task board itself stays open.
 * @example
 * ```ts
 * import { createTaskboard } from '@taskboard/core'
 * import { taskboardPlugin } from '@taskboard/fastify'
 * import { memoryStorage } from '@taskboard/memory'
 * import Fastify from 'fastify'
 *
 * const taskboard = createTaskboard({ storage: memoryStorage() })
 * const app = Fastify().register(taskboardPlugin, { taskboard, prefix: '/kanban' })
 * const response = await app.inject('/kanban/api/board?action=list')
 * console.log(response.json().code) // UNAUTHORIZED
 * await app.close()
 * ```
 */
export const taskboardPlugin: FastifyPluginCallback<TaskboardPluginOptions> = (instance, options, done) => {
  const { readsHeaders } = options.taskboard.surface
  // Bodies stay on the wire until a request has shown its credential.
  instance.removeAllContentTypeParsers()
  instance.addContentTypeParser('*', leaveUnread)
  // By its own name too: Fastify takes the other types apart anew for each request.
  instance.addContentTypeParser('application/json', leaveUnread)

  // A content type that Fastify cannot make out is refused by the route, in its turn; all else is the host's to handle.
  instance.setErrorHandler<Error & { readonly code?: string }>(async (error, request, reply) => {
    const { taskboardRoute } = request.routeOptions.config as RouteConfig
    if (taskboardRoute === undefined || !CONTENT_TYPE_ERROR.test(error.code ?? '')) throw error
    return answer(taskboardRoute, request, reply, readsHeaders)
  })

  const routes = [...apiRoutes(options.taskboard), ...(options.routes ?? [])]
  const fallbacks = options.notFound === 'envelope' ? fallbackRoutes(options.taskboard) : []
  for (const route of [...routes, ...fallbacks.flatMap((fallback) => pathsOf(fallback, routes))]) {
    const config: RouteConfig = { taskboardRoute: route }
    instance.all(route.path, { config }, (request, reply) => answer(route, request, reply, readsHeaders))
  }
  keepMalformedPaths(instance, createRouteTable(routes, fallbacks))
  // The server would wait for its open WebSockets, and so would `app.close()`.
  instance.addHook('preClose', async () => detachRealtime(options.taskboard, instance.server))
  done()
}

/** A fallback as routes: for what is below its prefix, and for the prefix itself unless that is a route. */
function pathsOf({ prefix, handle }: FallbackRoute, routes: readonly Route[]): readonly Route[] {
  const below = { path: `${prefix}/*`, handle }
  return routes.some(({ path }) => path === prefix) ? [below] : [{ path: prefix, handle }, below]
}

const leaveUnread: FastifyContentTypeParser = (_request, payload, parsed) => parsed(null, payload)

async function answer(
  route: Route,
  request: FastifyRequest,
  reply: FastifyReply,
  readsHeaders: boolean,
): Promise<string> {
  const { raw } = request
  const stream = (request.body ?? raw) as ByteStream
  const plain = toHttpRequest(raw, {
    target: raw.url ?? request.url,
    response: reply.raw,
    clientAddress: () => request.ip,
    targetOrigin: readsHeaders ? () => `${request.protocol}://${request.host}` : undefined,
    body: announcesBody(raw) ? unreadBody(stream) : NO_BODY,
    params: request.params as Readonly<Record<string, string>>,
  })
  const { status, headers, body }: HttpResponse = await route.handle(plain)
  await nextTurn()
  discardRest(stream)
  reply.code(status).headers(headers)
  return body
}

const NO_BODY: RequestBody = { kind: 'none' }
