import { mountPath, requireOptionNames, TaskboardError } from '../errors/index.js'
import type { TransportServices } from '../wiring/transport-services.js'
import { boardErrorEnvelope } from './v1/envelope.js'
import { botRoutes } from './bot-routes.js'
import { boardRoutes } from './v1/board-routes.js'
import { answerUnknownBoardPath } from './v1/handle.js'
import { v2Routes } from './v2/v2-routes.js'
import { answerUnknownV2Path } from './v2/handle.js'
import {
  flatRoutes,
  type FallbackRoute,
  type HttpRequest,
  type HttpResponse,
  type RequestBody,
  type Route,
  type RouteGroup,
} from './http.js'
import { joinChunks } from './json-body.js'
import { createRouteTable } from './route-table.js'
import { servicesOf } from './services-of.js'

/**
 * Responds to unknown paths below the paths of each API with 404 in that API's envelope (`NOT_FOUND`, and `RESOURCE_NOT_FOUND` for the API
 * v2). The answer is the same for every caller, so no credential is required. A longer prefix comes before a shorter one that it begins
 * with. `notFound` is the option of an adapter: with `'host'` there are none.
 * @throws TaskboardError `INVALID_CONFIG` for another `notFound`.
 * @example
 * ```ts
 * import { createTaskboard } from '@taskboard/core'
 * import { fallbackRoutes } from '@taskboard/core/transport'
 * import { memoryStorage } from '@taskboard/memory'
 *
 * const taskboard = createTaskboard({ storage: memoryStorage() })
 * console.log(fallbackRoutes(taskboard).map(({ prefix }) => prefix)) // [ '/api/webhooks/create', '/api/board', '/v2' ]
 * ```
 */
export function fallbackRoutes(
  { services }: { readonly services: TransportServices },
  notFound: 'host' | 'envelope' = 'envelope',
): readonly FallbackRoute[] {
  if (notFound === 'host') return []
  if (notFound !== 'envelope') {
    const rule = "notFound must be 'host' or 'envelope'"
    throw new TaskboardError('INVALID_CONFIG', rule, { field: 'notFound' })
  }
  const { board, webhooks, v2 } = services.paths
  const fallbacks: readonly FallbackRoute[] = [
    { prefix: board, handle: async (request) => answerUnknownBoardPath(services, request) },
    { prefix: webhooks, handle: async (request) => answerUnknownBoardPath(services, request) },
    { prefix: v2, handle: async (request) => answerUnknownV2Path(services, request) },
  ]
  return fallbacks.toSorted((one, other) => other.prefix.length - one.prefix.length)
}

/**
 * Every route of a task board: the board API (v1), API v2, and those that messengers of `bots` call.
 * @throws TaskboardError `INVALID_CONFIG` (`taskboard`) when it is none.
 * @example
 * ```ts
 * import { createTaskboard } from '@taskboard/core'
 * import { apiRoutes } from '@taskboard/core/transport'
 * import { memoryStorage } from '@taskboard/memory'
 *
 * const taskboard = createTaskboard({ storage: memoryStorage() })
 * const paths = apiRoutes(taskboard).map(({ path }) => path)
 * console.log(paths.includes('/v2/tasks/:task_id')) // true
 * ```
 */
export function apiRoutes(taskboard: { readonly services: TransportServices }): readonly Route[] {
  servicesOf(taskboard)
  return [...boardRoutes(taskboard), ...v2Routes(taskboard), ...botRoutes(taskboard)]
}

export interface FetchHandlerOptions {
  /** Where the handler is mounted, for example `/kanban`. Removed from the path before routing. Default none. */
  readonly basePath?: string | undefined
  /** Routes next to the task board's own, for example GraphQL and the dashboard. */
  readonly routes?: readonly (Route | RouteGroup)[] | undefined
  /**
   * Answers paths that aren't the task board's. Default: 404 in the envelope of the API whose path it begins with, else in the envelope of
   * the Board API.
   */
  readonly notFound?: ((request: Request) => Response | Promise<Response>) | undefined
}

/** What a Web request doesn't carry. */
export interface FetchContext {
  /**
   * The client's address, as the host sees it through its trusted proxies. Without it, all callers with a wrong key share one limit for
   * failed credentials, and all logins share another. A stranger's wrong passwords then lock users out. Pass it if you have a login.
   * Callers with a valid key aren't affected.
   */
  readonly clientAddress?: string | undefined
  /** The id that the host has given the request: `X-Request-Id` of the response, and in the log. Default: the client's, or a new one. */
  readonly requestId?: string | undefined
}

/**
 * The task board's routes for hosts that use the Web's `Request` and `Response` (Hono, Next). Don't read the body of the request
 * before.
 * @throws TaskboardError `INVALID_CONFIG` for a `basePath` that no request can match, and a `notFound` that isn't a function.
 * @example
 * ```ts
 * import { createTaskboard } from '@taskboard/core'
 * import { toFetchHandler } from '@taskboard/core/transport'
 * import { memoryStorage } from '@taskboard/memory'
 *
 * const taskboard = createTaskboard({ storage: memoryStorage() })
 * const handle = toFetchHandler(taskboard)
 * const response = await handle(new Request('https://board.example/v2/tasks'))
 * console.log(response.status) // 401
 * ```
 */
export function toFetchHandler(
  taskboard: { readonly services: TransportServices },
  options: FetchHandlerOptions = {},
): (request: Request, context?: FetchContext) => Promise<Response> {
  requireOptionNames<FetchHandlerOptions>(options, { basePath: true, routes: true, notFound: true })
  const { notFound, routes: more = [] } = options
  requireFunction('notFound', notFound)
  const basePath = mountPath('basePath', options.basePath ?? '')
  const routes = createRouteTable(
    [...apiRoutes(taskboard), ...flatRoutes(more)],
    notFound === undefined ? fallbackRoutes(taskboard) : [],
  )

  return async (request, { clientAddress = '', requestId } = {}) => {
    const { pathname, search, protocol, host } = new URL(request.url)
    const found = pathname.startsWith(basePath) ? routes.find(pathname.slice(basePath.length)) : null
    if (found === null)
      return notFound === undefined ? toResponse(notFoundResponse(), request.method) : notFound(request)
    const plain: HttpRequest = {
      method: request.method,
      path: pathname,
      params: found.params,
      query: search.slice(1),
      header: (name) => request.headers.get(name) ?? undefined,
      // Behind a proxy, the URL may contain the host of the process, and the header the host that the client addressed.
      targetOrigin: `${protocol}//${request.headers.get('host') ?? host}`,
      clientAddress,
      requestId,
      raw: request,
      body: bodyOf(request),
      signal: request.signal,
    }
    return toResponse(await found.route.handle(plain), request.method)
  }
}

/**
 * Checks an option that would else fail with the first request.
 * @throws TaskboardError `INVALID_CONFIG` naming it.
 */
export function requireFunction(field: string, value: unknown): void {
  if (value === undefined || typeof value === 'function') return
  throw new TaskboardError('INVALID_CONFIG', `${field} must be a function`, { field })
}

/** The response to a path of no API, for hosts without their own. */
export function notFoundResponse(): HttpResponse {
  return errorResponse(new TaskboardError('NOT_FOUND', 'there is no such path'))
}

/** An error about a path of no API. */
export function errorResponse(error: TaskboardError): HttpResponse {
  const { status, body } = boardErrorEnvelope(error)
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
}

function toResponse({ status, headers, body, stream }: HttpResponse, method: string): Response {
  if (stream !== undefined) return new Response(stream, { status, headers })
  // The platform refuses a body with these statuses, even an empty one.
  if (status === 204 || status === 304) return new Response(null, { status, headers })
  if (method !== 'HEAD') return new Response(body as string | Uint8Array<ArrayBuffer>, { status, headers })
  const length = String((typeof body === 'string' ? new TextEncoder().encode(body) : body).length)
  return new Response(null, { status, headers: { ...headers, 'content-length': length } })
}

function bodyOf(request: Request): RequestBody {
  const { body } = request
  if (request.bodyUsed) return { kind: 'parsed', value: undefined }
  if (body === null || request.headers.get('content-length') === '0') return { kind: 'none' }
  return { kind: 'unread', read: (maxBytes) => readWebStream(body, maxBytes) }
}

async function readWebStream(
  stream: ReadableStream<Uint8Array>,
  maxBytes: number,
): Promise<Uint8Array | null> {
  const reader = stream.getReader()
  const chunks: Uint8Array[] = []
  let total = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return joinChunks(chunks, total)
    total += value.length
    if (total > maxBytes) {
      await reader.cancel()
      return null
    }
    chunks.push(value)
  }
}
