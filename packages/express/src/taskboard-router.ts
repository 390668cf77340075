import {
  announcesBody,
  answerOnNode,
  apiRoutes,
  createRouteTable,
  fallbackRoutes,
  flatRoutes,
  requireOptionNames,
  toHttpRequest,
  unreadBody,
  type HttpRequest,
  type RequestBody,
  type Route,
  type RouteGroup,
  type RouteTable,
  type TransportServices,
} from '@taskboard/core/transport'
import { Router, type ErrorRequestHandler, type Request, type RequestHandler } from 'express'

export interface TaskboardRouterOptions {
  /** Routes besides the routes of the task board, for example GraphQL and the dashboard. */
  readonly routes?: readonly (Route | RouteGroup)[] | undefined
  /**
   * Unknown paths below the task board's get a response of the host (`'host'`, the default), or a 404 in the envelope of the API (`'envelope'`).
   */
  readonly notFound?: 'host' | 'envelope' | undefined
}

/**
 * An Express router (for Express 4 and 5) with the task board's routes. Mount it anywhere: the routes' paths are below the
 * mount path. Requests for other paths pass through, except with `notFound: 'envelope'`. A parser of the host may have read the
 * body before.
 * @example
 * ```ts
 * import { once } from 'node:events'
 * import { createTaskboard } from '@taskboard/core'
 * import { taskboardRouter } from '@taskboard/express'
 * import { memoryStorage } from '@taskboard/memory'
 * import express from 'express'
 *
 * const taskboard = createTaskboard({ storage: memoryStorage() })
 * const server = express().use('/kanban', taskboardRouter(taskboard)).listen(0)
 * await once(server, 'listening') // GET /kanban/api/board?action=todo lists the waiting tasks
 * await taskboard.close()
 * server.close()
 * ```
 */
export function taskboardRouter(
  taskboard: { readonly services: TransportServices },
  options: TaskboardRouterOptions = {},
): Router {
  requireOptionNames<TaskboardRouterOptions>(options, { routes: true, notFound: true })
  const { routes: more = [], notFound = 'host' } = options
  const router = Router()
  const routes = [...apiRoutes(taskboard), ...flatRoutes(more)]
  const fallbacks = fallbackRoutes(taskboard, notFound)
  const handlerOf = createHandlerOf(taskboard.services)
  for (const route of routes) router.all(route.path, handlerOf(route))
  for (const fallback of fallbacks) router.use(fallback.prefix, handlerOf(fallback))
  router.use(answerUndecodable(createRouteTable(routes, fallbacks), handlerOf))
  return router
}

type HandlerOf = (
  route: Pick<Route, 'handle' | 'readsOrigin'>,
  params?: HttpRequest['params'],
) => RequestHandler

function createHandlerOf({ readsHeaders }: TransportServices): HandlerOf {
  return ({ handle, readsOrigin = readsHeaders }, params) =>
    (request, response, next) => {
      const plain = toHttpRequest(request, {
        target: request.baseUrl + request.url,
        response,
        clientAddress: () => request.ip ?? '',
        targetOrigin: readsOrigin ? () => targetOriginOf(request) : undefined,
        body: bodyOf(request),
        params: params ?? (request.params as HttpRequest['params']),
      })
      answerOnNode(handle(plain), request, response).then(undefined, next)
    }
}

/** Express rejects a path with malformed percent-encoding; this passes it to the route that it names. */
function answerUndecodable(table: RouteTable, handlerOf: HandlerOf): ErrorRequestHandler {
  return (error, request, response, next) => {
    if (!(error instanceof URIError)) return next(error)
    const found = table.find(request.path)
    if (found === null) return next()
    return handlerOf(found.route, found.params)(request, response, next)
  }
}

/** Express 4's parsers set an empty `body` on requests that they skip, so this checks whether bytes were read. */
function bodyOf(request: Request): RequestBody {
  if (!announcesBody(request)) return { kind: 'none' }
  if (!request.readableDidRead && !request.readableEnded) return unreadBody(request)
  const value: unknown = request.body
  return { kind: 'parsed', value }
}

/** Like `request.protocol` and `request.host` of Express 5; the `host` of Express 4 lacks the port. */
function targetOriginOf(request: Request): string {
  const isTrusted = request.app.get('trust proxy fn') as (address: string | undefined, hop: number) => boolean
  const [forwarded = ''] = request.get('x-forwarded-host')?.split(',') ?? []
  const isForwarded = forwarded !== '' && isTrusted(request.socket.remoteAddress, 0)
  return `${request.protocol}://${isForwarded ? forwarded.trim() : (request.get('host') ?? '')}`
}
