import { type IncomingHttpHeaders, type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { TaskboardError } from '@taskboard/core'
import {
  type HttpResponse,
  mountPath,
  type Origin,
  realtimeEndpoint,
  type RealtimeEndpoint,
  type RealtimeProtocol,
  routePath,
  type TransportServices,
  requireOptionNames,
} from '@taskboard/core/transport'
import { WebSocketServer } from 'ws'
import { addUpgradePath, type UpgradeListener, type UpgradeServer } from './upgrade-paths.js'
import { PortedWebSocket, StreamSocket } from './web-socket.js'

/** Headers that only the handshake needs. */
const HANDSHAKE = [
  'connection',
  'upgrade',
  'sec-websocket-key',
  'sec-websocket-version',
  'sec-websocket-extensions',
]

const NONE = '{}'

/** How much of its upgrade request a connection keeps: none of it, the headers, or (for the host's login) the request itself. */
type Kept = 'nothing' | 'headers' | 'request'

/**
 * What a connection keeps of its upgrade request. Headers are kept as one text when they alone are needed, which takes a fifth of the
 * object's memory.
 */
class UpgradeOrigin implements Origin {
  readonly clientAddress: string
  readonly raw: IncomingMessage | undefined
  readonly #isEncrypted: boolean
  readonly #headers: string

  constructor(clientAddress: string, request: IncomingMessage, kept: Kept) {
    this.clientAddress = clientAddress
    this.raw = kept === 'request' ? request : undefined
    this.#isEncrypted = 'encrypted' in request.socket
    this.#headers = kept === 'headers' ? headersText(request.headers) : NONE
  }

  get targetOrigin(): string {
    return `${this.#isEncrypted ? 'https' : 'http'}://${this.header('host') ?? ''}`
  }

  header(name: string): string | undefined {
    const headers = this.raw?.headers ?? (JSON.parse(this.#headers) as IncomingHttpHeaders)
    const value = Object.hasOwn(headers, name) ? headers[name] : undefined
    return Array.isArray(value) ? value.join(', ') : value
  }
}

function headersText(headers: IncomingHttpHeaders): string {
  const kept = Object.entries(headers).filter(([name]) => !HANDSHAKE.includes(name))
  return kept.length === 0 ? NONE : JSON.stringify(Object.fromEntries(kept))
}

export interface AttachRealtimeOptions {
  /** Where the board is mounted, for example `/kanban`: prefixes the paths of the channel and of `protocols`. Default: none. */
  readonly basePath?: string | undefined
  /** The path of the channel. Default `/v2/realtime`, adjusted by `paths.v2`. */
  readonly path?: string | undefined
  /** Protocols on other paths: `graphqlSubscriptions` of `@taskboard/graphql`. */
  readonly protocols?: readonly RealtimeProtocol[] | undefined
  /**
   * Returns the client's address, by which wrong credentials are limited, and connections that have none yet. Default: the socket's, so set
   * it behind a proxy. When it throws, the upgrade gets 500.
   */
  readonly clientAddress?: ((request: IncomingMessage) => string) | undefined
}

/** The realtime channel and the further protocols on a server. */
export interface AttachedRealtime {
  /** Detaches it from the server and closes its connections. Idempotent. */
  close(): void
}

/**
 * Serves the realtime channel of a task board on a Node server: `http.createServer()`, what Express's `listen` returns, Fastify's
 * `app.server`, or their https counterparts. It handles only upgrades of its path and of further protocols' paths. Others go
 * to the host's listeners. Without listeners, the server responds them as plain requests.
 *
 * Connections are accepted from the task board's `start` to its `close`, which also stops them. Before and after, an upgrade gets 503. The
 * call opens nothing and sets no timer.
 * @throws Error when a path is already served on that server. TaskboardError `INVALID_CONFIG` for a path that no request can match, and for
 * an object that isn't a server, such as an Express application.
 * @example
 * ```ts
 * import { createServer } from 'node:http'
 * import { createTaskboard } from '@taskboard/core'
 * import { memoryStorage } from '@taskboard/memory'
 * import { attachRealtime } from '@taskboard/ws'
 *
 * const taskboard = createTaskboard({ storage: memoryStorage() })
 * const server = createServer()
 * attachRealtime(server, taskboard) // clients connect to /v2/realtime
 * server.listen(0)
 * await taskboard.start()
 * await taskboard.close() // sends the last events, and closes the connections
 * server.close()
 * ```
 */
export function attachRealtime(
  server: UpgradeServer,
  taskboard: { readonly services: TransportServices },
  options: AttachRealtimeOptions = {},
): AttachedRealtime {
  requireOptionNames<AttachRealtimeOptions>(options, {
    basePath: true,
    path: true,
    protocols: true,
    clientAddress: true,
  })
  requireServer(server)
  const endpoint = realtimeEndpoint(taskboard)
  const { protocols = [], clientAddress = socketAddress } = options
  const basePath = mountPath('basePath', options.basePath ?? '')
  const path = routePath('path', options.path ?? endpoint.channel.path)
  const removers: (() => void)[] = []

  /** Null when the host's function throws, because one bad request must not stop the process. */
  function originOf(request: IncomingMessage, kept: Kept): UpgradeOrigin | null {
    try {
      return new UpgradeOrigin(clientAddress(request), request, kept)
    } catch (error) {
      const { logger } = taskboard.services.environment
      logger.error({ err: error }, 'clientAddress threw, so an upgrade was rejected')
      return null
    }
  }

  function add(spoken: RealtimeProtocol, kept: Kept): void {
    const protocol = { ...spoken, path: basePath + spoken.path }
    const handler = upgradeHandler(endpoint, protocol, (request) =>
      originOf(request, endpoint.readsHeaders ? 'request' : kept),
    )
    removers.push(addUpgradePath(server, protocol.path, handler))
  }

  function detach(reason: string): void {
    for (const remove of removers) remove()
    endpoint.leave(reason)
  }

  removers.push(endpoint.attached(server, detach))

  try {
    add({ ...endpoint.channel, path }, 'nothing')
    for (const protocol of protocols) add(protocol, 'headers')
  } catch (error) {
    detach('the channel could not be attached')
    throw error
  }
  return { close: () => detach('the channel was taken off this server') }
}

function socketAddress(request: IncomingMessage): string {
  return request.socket.remoteAddress ?? ''
}

function upgradeHandler(
  endpoint: RealtimeEndpoint,
  protocol: RealtimeProtocol,
  originOf: (request: IncomingMessage) => UpgradeOrigin | null,
): UpgradeListener {
  const { subprotocols } = protocol
  const unspoken = endedProtocol(protocol)
  // Compression would cost memory for each connection, and a separate frame for each.
  const upgrades = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: endpoint.messageLimitBytes,
    clientTracking: false,
    WebSocket: PortedWebSocket,
    ...(subprotocols.length > 0 && {
      handleProtocols: (offered: ReadonlySet<string>) =>
        subprotocols.find((name) => offered.has(name)) ?? false,
    }),
  })
  return (request, socket, head) => {
    if (!endpoint.isOpen) return answer(socket, { status: 503, headers: { 'retry-after': '1' }, body: '' })
    const origin = originOf(request)
    if (origin === null) return answer(socket, { status: 500, headers: {}, body: '' })
    const refusal = endpoint.refuse(origin)
    if (refusal !== null) return answer(socket, refusal)
    upgrades.handleUpgrade(request, socket, head, (webSocket) => {
      const isSpoken = subprotocols.length === 0 || webSocket.protocol !== ''
      const port = new StreamSocket(webSocket, socket)
      port.setListener(endpoint.connect(port, origin, isSpoken ? protocol : unspoken))
    })
  }
}

/** Ends connections that offer none of a protocol's subprotocols. Until they are gone they count like others. */
function endedProtocol(protocol: RealtimeProtocol): RealtimeProtocol {
  const reason = `use ${protocol.subprotocols.join(' or ')}`
  return {
    ...protocol,
    open(connection) {
      queueMicrotask(() => connection.end(protocol.closeCodes.unsupportedSubprotocol, reason))
      return { received: () => undefined, ended: () => undefined }
    },
  }
}

/** Rejects an upgrade and closes its connection. */
function answer(socket: Duplex, { status, headers, body }: HttpResponse): void {
  const length = { connection: 'close', 'content-length': Buffer.byteLength(body) }
  const lines = Object.entries({ ...headers, ...length }).map(([name, value]) => `${name}: ${value}`)
  socket.on('error', () => socket.destroy())
  socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n'))
}

/** An Express application is an emitter as well, on which nothing would ever arrive. */
function requireServer(server: unknown): void {
  const { address, on } = (server ?? {}) as { readonly address?: unknown; readonly on?: unknown }
  if (typeof address === 'function' && typeof on === 'function') return
  throw new TaskboardError(
    'INVALID_CONFIG',
    'server must be an http.Server of node:http, such as the return value of app.listen()',
    {
      field: 'server',
    },
  )
}
