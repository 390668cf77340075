import { pipeline, Readable } from 'node:stream'
import type { ReadableStream as NodeStream } from 'node:stream/web'
import { yieldToEventLoop } from '../environment/index.js'
import { mountPath, requireOptionNames, TaskboardError } from '../errors/index.js'
import type { TransportServices } from '../wiring/transport-services.js'
import {
  apiRoutes,
  errorResponse,
  fallbackRoutes,
  notFoundResponse,
  requireFunction,
} from './fetch-handler.js'
import { flatRoutes, type HttpRequest, type HttpResponse, type Route, type RouteGroup } from './http.js'
import { announcesBody, discardRest, type NodeMessage, toHttpRequest, unreadBody } from './node-request.js'
import { createRouteTable, type FoundRoute } from './route-table.js'

/** The used part of an `http.IncomingMessage`. */
export interface NodeServerRequest extends NodeMessage {
  readonly socket: { readonly remoteAddress?: string | undefined; readonly encrypted?: boolean | undefined }
}

/** The used part of an `http.ServerResponse`. */
export interface NodeServerResponse extends NodeJS.WritableStream {
  readonly headersSent: boolean
  readonly writableFinished: boolean
  statusCode: number
  setHeader(name: string, value: string | number): unknown
  flushHeaders(): void
  destroy(): unknown
  /** Of a compressing middleware, which collects what is written until then. */
  flush?(): void
}

/** `Request` and `Response`: the types of `node:http`, where the host's functions need more of them. */
export interface NodeHandlerOptions<
  Request extends NodeServerRequest = NodeServerRequest,
  Response extends NodeServerResponse = NodeServerResponse,
> {
  /** Where the handler is mounted, for example `/kanban`. Removed from the path before routing. Default none. */
  readonly basePath?: string | undefined
  /** Returns the client's address, behind a proxy that you trust. Default: the address of the socket. */
  readonly clientAddress?: ((request: Request) => string) | undefined
  /** Routes next to the task board's own, for example GraphQL and the dashboard. */
  readonly routes?: readonly (Route | RouteGroup)[] | undefined
  /**
   * Answers paths that aren't the task board's. Default: 404 in the envelope of the API whose path it begins with, else in the envelope of
   * the Board API.
   */
  readonly notFound?: ((request: Request, response: Response) => void) | undefined
}

/**
 * The task board's routes for the servers of `node:http` and `node:https`. Don't read the body of the request before. A route of the host
 * that throws is logged, and returns 500.
 * @throws TaskboardError `INVALID_CONFIG` for a `basePath` that no request can match.
 * @example
 * ```ts
 * import { once } from 'node:events'
 * import { createServer } from 'node:http'
 * import { createTaskboard } from '@taskboard/core'
 * import { toNodeHandler } from '@taskboard/core/transport'
 * import { memoryStorage } from '@taskboard/memory'
 *
 * const taskboard = createTaskboard({ storage: memoryStorage() })
 * const server = createServer(toNodeHandler(taskboard, { basePath: '/kanban' })).listen(0)
 * await once(server, 'listening') // GET /kanban/api/board?action=todo lists the waiting tasks
 * await taskboard.close()
 * server.close()
 * ```
 */
export function toNodeHandler<
  Request extends NodeServerRequest = NodeServerRequest,
  Response extends NodeServerResponse = NodeServerResponse,
>(
  taskboard: { readonly services: TransportServices },
  options: NodeHandlerOptions<Request, Response> = {},
): (request: Request, response: Response) => void {
  requireOptionNames<NodeHandlerOptions>(options, {
    basePath: true,
    clientAddress: true,
    routes: true,
    notFound: true,
  })
  const { clientAddress = ({ socket }) => socket.remoteAddress ?? '', notFound, routes: more = [] } = options
  requireFunction('clientAddress', clientAddress)
  requireFunction('notFound', notFound)
  const basePath = mountPath('basePath', options.basePath ?? '')
  const table = createRouteTable(
    [...apiRoutes(taskboard), ...flatRoutes(more)],
    notFound === undefined ? fallbackRoutes(taskboard) : [],
  )

  return (request, response) => {
    const target = request.url ?? '/'
    const [path = ''] = target.split('?', 1)
    const found = path.startsWith(basePath) ? table.find(path.slice(basePath.length)) : null
    if (found === null) {
      if (notFound === undefined) sendOnNode(request, response, notFoundResponse())
      else notFound(request, response)
      return
    }
    const plain = toHttpRequest(request, {
      target,
      response,
      clientAddress: () => clientAddress(request),
      targetOrigin: () =>
        `${request.socket.encrypted === true ? 'https' : 'http'}://${String(request.headers['host'])}`,
      body: announcesBody(request) ? unreadBody(request) : { kind: 'none' },
      params: found.params,
    })
    const { logger } = taskboard.services.environment
    // Nobody else would learn of it: it would end the process.
    const fail = (error: unknown): void => {
      logger.error({ err: error, method: plain.method, path: plain.path }, 'a request failed')
      if (response.headersSent) response.destroy()
      else
        sendOnNode(request, response, errorResponse(new TaskboardError('INTERNAL_ERROR', 'internal error')))
    }
    answerOnNode(handled(found, plain), request, response).catch(fail)
  }
}

/** Also what a route of the host throws rejects. */
async function handled({ route }: FoundRoute, request: HttpRequest): Promise<HttpResponse> {
  return route.handle(request)
}

/**
 * Sends an answer when it is there, together with the others of its turn of the event loop.
 * @example
 * ```ts
 * import { once } from 'node:events'
 * import { createServer } from 'node:http'
 * import { answerOnNode } from '@taskboard/core/transport'
 *
 * const answer = { status: 200, headers: { 'content-type': 'text/plain' }, body: 'hello' }
 * const server = createServer((request, response) => {
 *   void answerOnNode(Promise.resolve(answer), request, response)
 * })
 * await once(server.listen(0), 'listening')
 * const address = server.address()
 * const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
 * console.log(await (await fetch(url)).text()) // hello
 * server.close()
 * server.closeAllConnections()
 * ```
 */
export async function answerOnNode(
  answer: Promise<HttpResponse>,
  request: NodeMessage,
  response: NodeServerResponse,
): Promise<void> {
  const answered = await answer
  await yieldToEventLoop()
  sendOnNode(request, response, answered)
}

function sendOnNode(
  request: NodeMessage,
  response: NodeServerResponse,
  { status, headers, body, stream }: HttpResponse,
): void {
  // The host may have responded meanwhile, for example with a timeout.
  if (response.headersSent) return void stream?.cancel().catch(() => undefined)
  response.statusCode = status
  for (const name in headers) response.setHeader(name, headers[name] as string)
  if (stream !== undefined) {
    response.flushHeaders()
    const chunks = Readable.fromWeb(stream as NodeStream)
    pipeline(chunks, response, () => undefined)
    // After `pipeline`, which writes.
    if (typeof response.flush === 'function') chunks.on('data', () => response.flush?.())
    return
  }
  // Node sets the length except for HEAD; 204 and 304 have none (RFC 9110, 8.6).
  if (status !== 204 && status !== 304) response.setHeader('content-length', Buffer.byteLength(body))
  response.end(body)
  discardRest(request)
}
