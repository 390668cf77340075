import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { realtimeEndpoint, type Surface } from '@taskboard/core'
import { WebSocketServer } from 'ws'
import { addUpgradePath, type UpgradeServer } from './upgrade-paths.js'
import { UpgradeOrigin } from './upgrade-origin.js'
import { PortedWebSocket, StreamSocket } from './web-socket.js'

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
    clientTracking: false,
    WebSocket: PortedWebSocket,
  })

  const sockets = new Set<StreamSocket>()

  const remove = addUpgradePath(server, path, (request, socket, head) => {
    if (!endpoint.isOpen) return refuse(socket)
    upgrades.handleUpgrade(request, socket, head, (webSocket) => {
      const port = new StreamSocket(webSocket, socket, sockets)
      port.tell(endpoint.connect(port, new UpgradeOrigin(request, clientAddress(request))))
    })
  })

  return {
    close() {
      remove()
      for (const port of sockets) port.close(GOING_AWAY, 'the channel was taken off this server')
    },
  }
}

const GOING_AWAY = 1001

function refuse(socket: Duplex): void {
  socket.on('error', () => socket.destroy())
  socket.end(
    'HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n',
  )
}
