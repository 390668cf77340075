import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { realtimeEndpoint, type RealtimeEndpoint, type Surface } from '@taskboard/core'
import { WebSocketServer, type WebSocket } from 'ws'
import { addUpgradePath, type UpgradeServer } from './upgrade-paths.js'
import { toSocket } from './web-socket.js'

export interface AttachRealtimeOptions {
  /** Where the channel is found. Default `/v2/realtime`, or what `paths.enterprise` makes of that. */
  readonly path?: string | undefined
  /** The client's address, by which wrong credentials are limited. Default the socket's: to be given behind a proxy. */
  readonly clientAddress?: ((request: IncomingMessage) => string) | undefined
}

/** The realtime channel on a server. */
export interface AttachedRealtime {
  /** Takes it off the server, as if it had never been there, and ends the connections that came by it. Idempotent. */
  close(): void
}

/**
 * Serves the realtime channel of a task board on a Node server: `http.createServer()`, what Express's `listen` returns, Fastify's
 * `app.server`, or their https twins. Only upgrades of its path are touched; others stay with the host's own listeners, and where
 * there are none they are served as the plain requests that they were before.
 *
 * Connections are taken from the task board's `start` to its `close`, which also ends them; before and after an upgrade is
 * answered 503. Nothing is opened here, and no timer is set.
 * @throws Error when the path is taken on that server already.
 */
export function attachRealtime(
  server: UpgradeServer,
  taskboard: { readonly surface: Surface },
  options: AttachRealtimeOptions = {},
): AttachedRealtime {
  const endpoint = realtimeEndpoint(taskboard)
  const { path = endpoint.path, clientAddress = (request) => request.socket.remoteAddress ?? '' } = options
  // Compression would cost memory for each connection, and a frame of its own for each.
  const upgrades = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: endpoint.messageLimitBytes,
  })

  const remove = addUpgradePath(server, path, (request, socket, head) => {
    if (!endpoint.isOpen) return refuse(socket)
    upgrades.handleUpgrade(request, socket, head, (webSocket) => {
      connect(endpoint, webSocket, socket, request, clientAddress(request))
    })
  })

  return {
    close() {
      remove()
      for (const webSocket of upgrades.clients)
        webSocket.close(GOING_AWAY, 'the channel was taken off this server')
    },
  }
}

const GOING_AWAY = 1001

function connect(
  endpoint: RealtimeEndpoint,
  webSocket: WebSocket,
  socket: Duplex,
  request: IncomingMessage,
  clientAddress: string,
): void {
  // The headers alone are kept as long as the connection: the request is some kilobytes more.
  const { headers } = request
  const header = (name: string): string | undefined => {
    const value = headers[name]
    return Array.isArray(value) ? value.join(', ') : value
  }
  const listener = endpoint.connect(toSocket(webSocket, socket), { clientAddress, header })
  webSocket.on('message', (data, isBinary) => listener.received(isBinary ? null : textOf(data)))
  webSocket.on('pong', () => listener.ponged())
  webSocket.on('close', () => listener.gone())
  // Whatever is wrong with it, it closes next.
  webSocket.on('error', () => undefined)
}

/** What `ws` hands on as text is valid UTF-8 in one piece, or in several when it came so. */
function textOf(data: Buffer | ArrayBuffer | Buffer[]): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString()
  return data instanceof ArrayBuffer ? Buffer.from(data).toString() : data.toString()
}

function refuse(socket: Duplex): void {
  socket.on('error', () => socket.destroy())
  socket.end(
    'HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n',
  )
}
