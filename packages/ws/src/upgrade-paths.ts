import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'

export type UpgradeListener = (request: IncomingMessage, socket: Duplex, head: Buffer) => void

/** The part of an `http.Server` or `https.Server` that is used. */
export interface UpgradeServer {
  on(event: 'upgrade', listener: UpgradeListener): unknown
  off(event: 'upgrade', listener: UpgradeListener): unknown
  listenerCount(event: 'upgrade'): number
  emit(event: string, ...values: readonly unknown[]): boolean
}

type Handlers = Map<string, UpgradeListener>

interface Paths {
  readonly handlers: Handlers
  /** Detaches them from the server. */
  readonly detach: () => void
}

/** One listener for each server, for any number of boards. */
const servers = new WeakMap<UpgradeServer, Paths>()

/**
 * Hands the upgrades of a path to `handler`; returns how to stop that.
 * @throws Error when the path is already served.
 */
export function addUpgradePath(server: UpgradeServer, path: string, handler: UpgradeListener): () => void {
  const { handlers, detach } = servers.get(server) ?? listenTo(server)
  if (handlers.has(path)) throw new Error(`WebSockets on ${path} of this server are already served`)
  handlers.set(path, handler)
  return () => {
    if (handlers.get(path) !== handler) return
    handlers.delete(path)
    if (handlers.size > 0) return
    detach()
    servers.delete(server)
  }
}

function listenTo(server: UpgradeServer): Paths {
  const handlers: Handlers = new Map()
  const listener: UpgradeListener = (request, socket, head) => {
    const handler = handlers.get(pathOf(request.url))
    if (handler !== undefined) handler(request, socket, head)
    else if (server.listenerCount('upgrade') === 1) serveAsRequest(server, request, socket, head)
  }
  server.on('upgrade', listener)
  const restore = keepFromOthers(server, handlers)
  const paths = {
    handlers,
    detach() {
      restore()
      server.off('upgrade', listener)
    },
  }
  servers.set(server, paths)
  return paths
}

/**
 * Passes the upgrades of our paths only to their handlers. Otherwise every listener receives every upgrade. A WebSocket server of the host
 * (`new WebSocketServer({ server })`) rejects ours on the same connection, or accepts it too, which throws. A listener can't keep an event
 * from another one, so this replaces `emit`.
 */
function keepFromOthers(server: UpgradeServer, handlers: Handlers): () => void {
  const own = Object.getOwnPropertyDescriptor(server, 'emit')
  const passOn = server.emit.bind(server)
  function emitToOne(event: string, ...values: readonly unknown[]): boolean {
    if (event === 'upgrade') {
      const [request, socket, head] = values as Parameters<UpgradeListener>
      const handler = handlers.get(pathOf(request.url))
      if (handler !== undefined) {
        handler(request, socket, head)
        return true
      }
    }
    return passOn(event, ...values)
  }
  server.emit = emitToOne
  return () => {
    // A later wrapper of `emit` still calls this one, which has no paths any more.
    if (server.emit !== emitToOne) return
    Reflect.deleteProperty(server, 'emit')
    if (own !== undefined) Object.defineProperty(server, 'emit', own)
  }
}

function pathOf(target = '/'): string {
  const end = target.search(/[?#]/)
  return end === -1 ? target : target.slice(0, end)
}

/**
 * A server without upgrade listeners responds to an upgrade request (`Upgrade: h2c` of some clients) like any other. When our listener is
 * the only one, it must do the same. Node has by then detached its parser from the connection. The request's head therefore goes back in
 * front of the remaining bytes, without its upgrade headers, and the connection goes to the server again.
 */
function serveAsRequest(
  server: UpgradeServer,
  request: IncomingMessage,
  socket: Duplex,
  rest: Uint8Array,
): void {
  const lines = [`${request.method} ${request.url} HTTP/${request.httpVersion}`]
  const { rawHeaders } = request
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ''
    if (name.toLowerCase() !== 'upgrade') lines.push(`${name}: ${rawHeaders[index + 1]}`)
  }
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), rest]))
  server.emit('encrypted' in socket ? 'secureConnection' : 'connection', socket)
}
