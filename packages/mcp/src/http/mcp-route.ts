import { createMcpHandler, type McpServerFactory } from '@modelcontextprotocol/server'
import {
  createOperationCaller,
  type HttpResponse,
  type ProtectedCall,
  protectedRoute,
  type Route,
  type RouteGroup,
  routePath,
  type TransportServices,
  type HttpRequest,
  type OperationCaller,
} from '@taskboard/core/transport'
import { v2ErrorEnvelope, TaskboardError } from '@taskboard/core'
import { createServer } from '../mcp-server.js'
import { checkOptions, type McpOptions, parseChoice } from '../mcp-options.js'
import { wantedPlaces } from '../resources.js'
import { ChangeFeed } from './changes.js'
import { createListen, type Listen, type Listening } from './listener.js'
import { refuseHost, refusePage } from './page-guard.js'
import { resourceMetadata } from './resource-metadata.js'
import type { Answer, BoardCalls } from '../board-calls.js'

const JSON_TYPE = 'application/json; charset=utf-8'
/** Of JSON-RPC: a request that the server rejects before it looks at its method. */
const REFUSED = -32000
const PARSE_ERROR = -32700
const INVALID_PARAMS = -32602
/** Of a stream: middleware that compresses and proxies that buffer (nginx) would keep its events back. */
const AS_IT_COMES = { 'cache-control': 'no-store, no-transform', 'x-accel-buffering': 'no' }

/** Of the id of a subscription: each notification carries it. */
const LONGEST_ID = 255

/**
 * The endpoint of the Model Context Protocol as a route, for the `routes` of an HTTP adapter: tools and resources for AI agents. It uses
 * the credentials, the limits, the scopes and the reach of API v2. It keeps no session. It serves clients of the protocol's version
 * 2026-07-28, and clients of 2025 except for features that need a session.
 * @throws TypeError for an invalid option; TaskboardError `INVALID_CONFIG` for a `path` that no request can match.
 * @example
 * ```ts
 * import { createTaskboard } from '@taskboard/core'
 * import { taskboardRouter } from '@taskboard/express'
 * import { taskboardMcp } from '@taskboard/mcp'
 * import { memoryStorage } from '@taskboard/memory'
 * import express from 'express'
 *
 * const taskboard = createTaskboard({ storage: memoryStorage() })
 * const endpoint = taskboardMcp(taskboard, { tools: ['worker', 'planner'] })
 * console.log(endpoint.routes.map(({ path }) => path)) // [ '/mcp' ]
 * express().use(taskboardRouter(taskboard, { routes: [endpoint] }))
 * ```
 */
export function taskboardMcp(
  taskboard: { readonly services: TransportServices },
  options: McpOptions = {},
): RouteGroup {
  checkOptions(options)
  const caller = createOperationCaller(taskboard)
  return mcpRoutes(taskboard, options, (call) => {
    const board = boardInProcess(call, caller)
    const chosen = parseChoice(call.request.query, options)
    return ({ era }) => createServer({ board, ...chosen, follows: era === 'modern' })
  })
}

/** The server of a call. */
type ServerOf = (call: ProtectedCall) => McpServerFactory

/** The endpoint for any server of the protocol. */
export function mcpRoutes(
  taskboard: { readonly services: TransportServices },
  options: McpOptions,
  serverOf: ServerOf,
): RouteGroup {
  const path = routePath('path', options.path ?? '/mcp')
  const metadata = resourceMetadata(path, options)
  const listen = createListen(taskboard, path)
  const inner = protectedRoute(taskboard, {
    path,
    answer: (call) => answer(call, serverOf(call), listen),
    refuse: (envelope) => refusal(envelope, null),
  })
  const route: Route = {
    path: inner.path,
    readsOrigin: true,
    async handle(request) {
      const refused = refusePage(request, options)
      if (refused !== null) return refuse(taskboard.services, refused)
      const response = await inner.handle(request)
      if (response.status !== 401 || metadata === null) return response
      return {
        ...response,
        headers: { ...response.headers, 'www-authenticate': metadata.challenge(request) },
      }
    },
  }
  if (metadata === null) return { routes: [route] }
  const published: Route = {
    ...metadata.route,
    async handle(request) {
      const refused = refuseHost(request, options)
      return refused === null ? metadata.route.handle(request) : refuse(taskboard.services, refused)
    },
  }
  return { routes: [route, published] }
}

function refuse({ environment }: TransportServices, error: unknown): HttpResponse {
  const requestId = environment.newId('req')
  return refusal(v2ErrorEnvelope(error, { requestId, now: environment.clock.now() }), null)
}

/** The error of API v2 in the form of JSON-RPC. The id is null while the request hasn't been read. */
function refusal({ status, headers, body }: ReturnType<typeof v2ErrorEnvelope>, id: unknown): HttpResponse {
  const unread = body.error.details.field === '' ? PARSE_ERROR : INVALID_PARAMS
  const error = { code: status === 400 ? unread : REFUSED, message: body.error.message, data: body }
  return {
    status,
    headers: { 'content-type': JSON_TYPE, ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', id, error }),
  }
}

async function answer(call: ProtectedCall, factory: McpServerFactory, listen: Listen): Promise<HttpResponse> {
  const { request } = call
  const body = request.method === 'POST' ? await call.readBody() : undefined
  if (body?.['method'] === 'subscriptions/listen') return follow(call, body, factory, listen)
  const handler = createMcpHandler(factory, { onerror: () => undefined })
  const response = await handler.fetch(toFetchRequest(request, request.signal), { parsedBody: body })
  return { status: response.status, headers: headersOf(response), body: await response.text() }
}

/** Answers a subscription by a stream of notifications, for as long as the client and its credential last. */
async function follow(
  { request, explain }: ProtectedCall,
  body: Readonly<Record<string, unknown>>,
  factory: McpServerFactory,
  listen: Listen,
): Promise<HttpResponse> {
  const { id = null } = body
  if (typeof id === 'string' && id.length > LONGEST_ID) {
    const message = `id must have at most ${LONGEST_ID} characters`
    throw new TaskboardError('INVALID_FIELD', message, { field: 'id' })
  }
  const feed = new ChangeFeed()
  const handler = createMcpHandler(factory, { bus: feed, onerror: () => undefined })
  const end = (): void => void handler.close().catch(() => undefined)
  let listening: Listening
  try {
    listening = await listen(request, end)
  } catch (error) {
    return refusal(explain(error), typeof id === 'string' || typeof id === 'number' ? id : null)
  }
  request.signal?.addEventListener('abort', () => listening.close(), { once: true })
  const response = await handler.fetch(toFetchRequest(request, request.signal), { parsedBody: body })
  const { status } = response
  const headers = headersOf(response)
  if (response.body === null || headers['content-type']?.startsWith('text/event-stream') !== true) {
    listening.close()
    return { status, headers, body: await response.text() }
  }
  void feed.follow(listening.events, wantedPlaces(body)).finally(end)
  const stream = observedStream(response.body, { read: () => feed.wasRead(), ended: () => listening.close() })
  return { status, headers: { ...headers, ...AS_IT_COMES }, body: '', stream }
}

/** Without those that the board has its own for: its answers are stored nowhere. */
function headersOf(response: Response): Record<string, string> {
  const headers = Object.fromEntries(response.headers)
  delete headers['cache-control']
  delete headers['connection']
  return headers
}

/** The headers that the protocol has. The credential isn't among them: the server has no need of it. */
const HEADERS = ['accept', 'content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name', 'last-event-id']

/** The request for the protocol's own handler, without its body. */
function toFetchRequest(request: HttpRequest, signal: AbortSignal | undefined): Request {
  const headers = new Headers()
  for (const name of HEADERS) {
    const value = request.header(name)
    if (value !== undefined) headers.set(name, value)
  }
  const { method } = request
  const url = `http://taskboard.invalid${request.path}`
  return new Request(url, { method, headers, ...(signal !== undefined && { signal }) })
}

/** The same stream, with calls for each chunk that its reader takes, and for its end by either side. */
function observedStream(
  source: ReadableStream<Uint8Array>,
  { read, ended }: { readonly read: () => void; readonly ended: () => void },
): ReadableStream<Uint8Array> {
  const reader = source.getReader()
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await reader.read()
        if (done) {
          ended()
          return controller.close()
        }
        read()
        controller.enqueue(value)
      },
      async cancel(reason) {
        ended()
        await reader.cancel(reason)
      },
    },
    // Takes nothing before it is asked.
    { highWaterMark: 0 },
  )
}

/** The board for the caller of one request, by the operations of API v2. */
function boardInProcess({ principal, request, explain }: ProtectedCall, caller: OperationCaller): BoardCalls {
  const { method, path, clientAddress } = request
  // Without the request's own headers: an idempotency key could not belong to one of several creates.
  const plain = (idempotencyKey: string | undefined): HttpRequest => ({
    method,
    path,
    clientAddress,
    params: {},
    query: '',
    header: (name) => (name === 'idempotency-key' ? idempotencyKey : undefined),
    body: { kind: 'none' },
  })
  return {
    scopes: principal.scopes,
    async call(operationId, { params, query, body, idempotencyKey, unread }) {
      const given =
        query && Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined))
      const called = { principal, request: plain(idempotencyKey), params, query: given, body, unread }
      return ((await caller(operationId, called)) ?? {}) as Answer
    },
    explain(error) {
      const { body, headers } = explain(error)
      const seconds = headers['retry-after']
      return seconds === undefined ? body : { ...body, retry_after_s: Number(seconds) }
    },
  }
}
