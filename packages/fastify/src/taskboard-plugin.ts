import { Readable } from 'node:stream'
import type { ReadableStream as NodeStream } from 'node:stream/web'
import {
  announcesBody,
  apiRoutes,
  createRouteTable,
  detachRealtime,
  discardRest,
  fallbackRoutes,
  flatRoutes,
  requireOptionNames,
  yieldToEventLoop,
  toHttpRequest,
  unreadBody,
  type ByteStream,
  type FallbackRoute,
  type HttpResponse,
  type RequestBody,
  type Route,
  type RouteGroup,
  type TransportServices,
  type RouteTable,
} from '@taskboard/core/transport'
import type {
  FastifyContentTypeParser,
  FastifyInstance,
  FastifyPluginAsync,
  FastifyReply,
  FastifyRequest,
  RegisterOptions,
} from 'fastify'

export interface TaskboardPluginOptions {
  readonly taskboard: { readonly services: TransportServices }
  /** Routes besides the routes of the task board, for example GraphQL and the dashboard. */
  readonly routes?: readonly (Route | RouteGroup)[] | undefined
  /**
   * Unknown paths below the task board's get a response of the host (`'host'`, the default), or a 404 in the envelope of the API (`'envelope'`).
   */
  readonly notFound?: 'host' | 'envelope' | undefined
}

/** Fastify's error codes for a content type that is invalid or (with the method QUERY) missing. */
const CONTENT_TYPE_ERROR = /^FST_ERR_(?:CTP_|ROUTE_MISSING_CONTENT_TYPE$)/

/** The plugin's own, and Fastify's. */
const NAMES = {
  taskboard: true,
  routes: true,
  notFound: true,
  prefix: true,
  logLevel: true,
  logSerializers: true,
} as const

interface RouteConfig {
  readonly taskboardRoute?: Route
}

/**
 * A Fastify plugin with the task board's routes; `prefix` works as with any plugin. It is encapsulated: the host's parsers, hooks and error
 * handler stay as they are, and the host's hooks run for these routes too. When the application closes, it closes the realtime connections
 * that `attachRealtime` accepted on its server (1001). The task board itself stays open. `ready()` rejects with the fault of the options:
 * `INVALID_CONFIG`, or Fastify's error for a path that is taken.
 * @example
 * ```ts
 * import { createTaskboard } from '@taskboard/core'
 * import { taskboardPlugin } from '@taskboard/fastify'
 * import { memoryStorage } from '@taskboard/memory'
 * import Fastify from 'fastify'
 *
 * const taskboard = createTaskboard({ storage: memoryStorage() })
 * const app = Fastify().register(taskboardPlugin, { taskboard, prefix: '/kanban' })
 * const response = await app.inject('/kanban/api/board?action=todo')
 * console.log(response.json().code) // UNAUTHORIZED
 * await app.close()
 * ```
 */
// Async, since Fastify ends the process for what a plugin with a callback throws.
export const taskboardPlugin: FastifyPluginAsync<TaskboardPluginOptions> = async (instance, options) => {
  const routes = [...apiRoutes(options.taskboard), ...flatRoutes(options.routes ?? [])]
  requireOptionNames<TaskboardPluginOptions & Required<RegisterOptions>>(options, NAMES)
  const open = openStreams()
  const answering = { readsHeaders: options.taskboard.services.readsHeaders, open }
  // Bodies are read only after the credential was checked.
  instance.removeAllContentTypeParsers()
  instance.addContentTypeParser('*', leaveUnread)
  // By its own name too: Fastify parses other types again for each request.
  instance.addContentTypeParser('application/json', leaveUnread)

  // The route refuses a content type that Fastify cannot parse; the host handles all other errors.
  instance.setErrorHandler<Error & { readonly code?: string }>(async (error, request, reply) => {
    const { taskboardRoute } = request.routeOptions.config as RouteConfig
    if (taskboardRoute === undefined || !CONTENT_TYPE_ERROR.test(error.code ?? '')) throw error
    return answer(taskboardRoute, request, reply, answering)
  })

  const fallbacks = fallbackRoutes(options.taskboard, options.notFound ?? 'host')
  for (const route of [
    ...oneForEachUrl(instance, routes),
    ...fallbacks.flatMap((fallback) => pathsOf(fallback, routes)),
  ]) {
    const config: RouteConfig = { taskboardRoute: route }
    instance.all(route.path, { config }, (request, reply) => answer(route, request, reply, answering))
  }
  keepMalformedPaths(instance, createRouteTable(routes, fallbacks))
  // The server, and so `app.close()`, would wait for open WebSockets and streams.
  instance.addHook('preClose', async () => {
    detachRealtime(options.taskboard, instance.server)
    open.end()
  })
}

/**
 * A final slash makes no difference, but where a route has one. With `ignoreTrailingSlash`, one route serves both forms of a path, and a
 * second one is rejected.
 */
function oneForEachUrl({ initialConfig }: FastifyInstance, routes: readonly Route[]): readonly Route[] {
  const isOneUrl =
    initialConfig.ignoreTrailingSlash === true || initialConfig.routerOptions?.ignoreTrailingSlash === true
  const paths = new Set(routes.map(({ path }) => path))
  if (isOneUrl) return routes.filter(({ path }) => !(path.endsWith('/') && paths.has(path.slice(0, -1))))
  return routes.flatMap((route) => {
    const path = `${route.path}/`
    return route.path.endsWith('/') || paths.has(path) ? [route] : [route, { ...route, path }]
  })
}

/** The routes of a fallback: below its prefix, and the prefix itself unless that is a route. */
function pathsOf({ prefix, handle }: FallbackRoute, routes: readonly Route[]): readonly Route[] {
  const below = { path: `${prefix}/*`, handle }
  return routes.some(({ path }) => path === prefix) ? [below] : [{ path: prefix, handle }, below]
}

/** Fastify counts requests for its log, from 1 at each start. That isn't an id. */
const COUNTED = /^req-[0-9a-z]+$/

/** The id that the host has given the request, by `genReqId` or `requestIdHeader`. */
function ownId({ id }: FastifyRequest): string | undefined {
  return COUNTED.test(id) ? undefined : id
}

const leaveUnread: FastifyContentTypeParser = (_request, payload, parsed) => parsed(null, payload)

interface Answering {
  readonly readsHeaders: boolean
  readonly open: OpenStreams
}

async function answer(
  route: Route,
  request: FastifyRequest,
  reply: FastifyReply,
  { readsHeaders, open }: Answering,
): Promise<string | Uint8Array | Readable> {
  const { raw } = request
  const stream = (request.body ?? raw) as ByteStream
  const plain = toHttpRequest(raw, {
    raw: request,
    target: raw.url ?? request.url,
    response: reply.raw,
    requestId: () => reply.getHeader('x-request-id') ?? ownId(request),
    clientAddress: () => request.ip,
    targetOrigin:
      (route.readsOrigin ?? readsHeaders) ? () => `${request.protocol}://${request.host}` : undefined,
    body: announcesBody(raw) ? unreadBody(stream) : NO_BODY,
    params: request.params as Readonly<Record<string, string>>,
  })
  const { status, headers, body, stream: chunks }: HttpResponse = await route.handle(plain)
  await yieldToEventLoop()
  discardRest(stream)
  reply.code(status).headers(headers)
  return chunks === undefined ? body : open.keep(Readable.fromWeb(chunks as NodeStream))
}

/** The streams of answers, which the server would wait for when it closes. */
interface OpenStreams {
  keep(stream: Readable): Readable
  end(): void
}

function openStreams(): OpenStreams {
  const streams = new Set<Readable>()
  return {
    keep(stream) {
      streams.add(stream)
      return stream.once('close', () => streams.delete(stream))
    },
    end() {
      for (const stream of streams) stream.destroy()
    },
  }
}

const NO_BODY: RequestBody = { kind: 'none' }

interface Message {
  url?: string | undefined
}

/**
 * Lets paths of `table` reach their routes despite malformed percent-encoding. Fastify's router rejects such a path in its own
 * format before any hook or route sees it, so this escapes the percent signs first. Other paths stay as they are. It doesn't apply
 * to `inject`, which doesn't go through the server.
 */
function keepMalformedPaths(instance: FastifyInstance, table: RouteTable): void {
  const { server } = instance
  const prefix = instance.prefix.replace(/\/$/, '')
  const escapeOurs = (message: Message): void => {
    if (message.url?.includes('%') === true) message.url = escaped(message.url, prefix, table)
  }
  server.prependListener('request', escapeOurs)
  instance.addHook('onClose', (_, done) => {
    server.off('request', escapeOurs)
    done()
  })
}

function escaped(url: string, prefix: string, table: RouteTable): string {
  const end = url.search(/[?#]/)
  const path = end === -1 ? url : url.slice(0, end)
  if (isDecodable(path) || !path.startsWith(prefix) || table.find(path.slice(prefix.length)) === null)
    return url
  const segments = path.split('/')
  const kept = segments.map((segment) => (isDecodable(segment) ? segment : segment.replaceAll('%', '%25')))
  return kept.join('/') + url.slice(path.length)
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}
