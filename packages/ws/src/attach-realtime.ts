import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { realtimeEndpoint, type RealtimeEndpoint, type RealtimeProtocol, type Surface } from '@taskboard/core'
import { WebSocketServer } from 'ws'
import { addUpgradePath, type UpgradeListener, type UpgradeServer } from './upgrade-paths.js'
import { UpgradeOrigin } from './upgrade-origin.js'
import { PortedWebSocket, StreamSocket } from './web-socket.js'

export interface AttachRealtimeOptions {
  /** Where the channel is found. Default `/v2/realtime`, or what `paths.enterprise` makes of that. */
  readonly path?: string | undefined
  /** What is spoken on other paths beside the channel: `graphqlSubscriptions` of `@taskboard/graphql`. */
  readonly protocols?: readonly RealtimeProtocol[] | undefined
  /** The client's address, by which wrong credentials are limited. Default the socket's: to be given behind a proxy. When it throws, the upgrade is answered 500. */
  readonly clientAddress?: ((request: IncomingMessage) => string) | undefined
}

/** The realtime channel, and what is served beside it, on a server. */
export interface AttachedRealtime {
  /** Takes it off the server, as if it had never been there, and ends the connections that came by it. Idempotent. */
  close(): void
}

/**
 * Serves the realtime channel of a task board on a Node server: `http.createServer()`, what Express's `listen` returns, Fastify's
 * `app.server`, or their https twins. Only upgrades of its path, and of those of further protocols, are touched; others stay with the host's own listeners, and where
 * there are none they are served as the plain requests that they were before.
 *
 * Connections are taken from the task board's `start` to its `close`, which also ends them; before and after an upgrade is
 * answered 503. Nothing is opened here, and no timer is set.
 * @throws Error when a path is taken on that server already.
 */
export function attachRealtime(
  server: UpgradeServer,
  taskboard: { readonly surface: Surface },
  options: AttachRealtimeOptions = {},
): AttachedRealtime {
  const endpoint = realtimeEndpoint(taskboard)
  const { path = endpoint.channel.path, protocols = [], clientAddress = socketAddress } = options
  const removers: (() => void)[] = []

  /** Null when the host's function fails on what the request holds, which is no reason for the process to end. */
  function originOf(request: IncomingMessage, readsHeaders: boolean): UpgradeOrigin | null {
    try {
      return new UpgradeOrigin(clientAddress(request), readsHeaders ? request.headers : null)
    } catch (error) {
      const { logger } = taskboard.surface.environment
      logger.error({ error: String(error) }, 'clientAddress threw, so an upgrade was refused')
      return null
    }
  }

  function add(protocol: RealtimeProtocol, readsHeaders: boolean): void {
    const handler = upgradeHandler(endpoint, protocol, (request) => originOf(request, readsHeaders))
    removers.push(addUpgradePath(server, protocol.path, handler))
  }

  function close(): void {
    for (const remove of removers) remove()
    endpoint.leave('the channel was taken off this server')
  }

  try {
    add({ ...endpoint.channel, path }, endpoint.readsHeaders)
    for (const protocol of protocols) add(protocol, true)
  } catch (error) {
    close()
    throw error
  }
  return { close }
}

function socketAddress(request: IncomingMessage): string {
  return request.socket.remoteAddress ?? ''
}

function upgradeHandler(
  endpoint: RealtimeEndpoint,
  protocol: RealtimeProtocol,
  originOf: (request: IncomingMessage) => UpgradeOrigin | null,
): UpgradeListener {
  const { subprotocols, closeCodes } = protocol
  // Compression would cost memory for each connection, and a frame of its own for each.
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
    if (!endpoint.isOpen) return refuse(socket, '503 Service Unavailable\r\nRetry-After: 1')
    const origin = originOf(request)
    if (origin === null) return refuse(socket, '500 Internal Server Error')
    upgrades.handleUpgrade(request, socket, head, (webSocket) => {
      if (subprotocols.length > 0 && webSocket.protocol === '') {
        webSocket.on('error', () => socket.destroy())
        return webSocket.close(closeCodes.unsupportedSubprotocol, `use ${subprotocols.join(' or ')}`)
      }
      const port = new StreamSocket(webSocket, socket)
      port.tell(endpoint.connect(port, origin, protocol))
    })
  }
}

function refuse(socket: Duplex, status: string): void {
  socket.on('error', () => socket.destroy())
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
}
