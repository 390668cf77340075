import { type Clock, sleep } from '../environment/index.js'
import { TaskboardError } from '../errors/index.js'
import type { TransportServices } from '../wiring/transport-services.js'

/** The part of an `http.Server` or `https.Server` that `closeServer` uses. */
export interface ClosableServer {
  /** How long a connection may be idle after a response. */
  keepAliveTimeout: number
  /** Also closes idle connections. */
  close(closed: () => void): unknown
  closeAllConnections(): void
  prependListener(event: 'request', listener: (request: unknown, response: ClosingResponse) => void): unknown
}

/** The part of a response that says that its connection closes. */
export interface ClosingResponse {
  setHeader(name: string, value: string): unknown
}

export interface CloseServerOptions {
  /** Of `close` of the task board. Default 10,000. */
  readonly drainTimeoutMs?: number | undefined
  /** How long requests may take after the board has closed, before their connections are cut off. Default 5,000. */
  readonly cutAfterMs?: number | undefined
}

const DEFAULT_CUT_MS = 5_000
/**
 * For how long a connection may stay idle whose response was in progress. Such a response couldn't say that the connection closes. A client
 * that sends the next request right after it would lose that request if the connection were closed before.
 */
const IDLE_MS = 1_000

/**
 * Closes a Node server and the task board on it, in the order in which nothing is lost. The server stops accepting connections, the board
 * closes, which closes its WebSockets and streams, and then the server closes its connections. A proxy or an agent that keeps its
 * connections and continues sending requests gets `Connection: close`. One whose response was in progress may be idle for a second.
 * Connections still open after `cutAfterMs` are cut off, except WebSockets that the host opened itself. Call it again for each further
 * board on the server. Fastify does this with `app.close()`.
 * @throws TaskboardError `INVALID_CONFIG` for an object that isn't a server, such as an Express application.
 * @example
 * ```ts
 * import { createServer } from 'node:http'
 * import { createTaskboard } from '@taskboard/core'
 * import { closeServer } from '@taskboard/core/transport'
 * import { memoryStorage } from '@taskboard/memory'
 *
 * const taskboard = createTaskboard({ storage: memoryStorage() })
 * const server = createServer().listen(0)
 * await taskboard.start()
 * await closeServer(server, taskboard, { drainTimeoutMs: 10_000 })
 * console.log(server.listening) // false
 * ```
 */
export async function closeServer(
  server: ClosableServer,
  taskboard: {
    readonly services: TransportServices
    close(options: { readonly drainTimeoutMs?: number | undefined }): Promise<void>
  },
  { drainTimeoutMs, cutAfterMs = DEFAULT_CUT_MS }: CloseServerOptions = {},
): Promise<void> {
  requireServer(server)
  const { clock } = taskboard.services.environment
  server.prependListener('request', (_request, response) => void response.setHeader('connection', 'close'))
  // 0 is forever.
  server.keepAliveTimeout = Math.min(server.keepAliveTimeout || IDLE_MS, IDLE_MS)
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  try {
    await taskboard.close({ drainTimeoutMs })
    await orAfter(clock, cutAfterMs, closed)
  } finally {
    server.closeAllConnections()
  }
}

/** An Express application has `on` as well, and would end nothing. */
function requireServer(server: unknown): void {
  const { closeAllConnections } = (server ?? {}) as { readonly closeAllConnections?: unknown }
  if (typeof closeAllConnections === 'function') return
  throw new TaskboardError(
    'INVALID_CONFIG',
    'server must be an http.Server of node:http, such as the return value of app.listen()',
    { field: 'server' },
  )
}

/** Resolves with `done`, or after that time. */
async function orAfter(clock: Clock, ms: number, done: Promise<void>): Promise<void> {
  const waiting = new AbortController()
  await Promise.race([done, sleep(clock, ms, waiting.signal)])
  waiting.abort()
}
