import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'

type UpgradeListener = (request: IncomingMessage, socket: Duplex, head: Buffer) => void

/** What is used of an `http.Server` or `https.Server`. */
export interface UpgradeServer {
  on(event: 'upgrade', listener: UpgradeListener): unknown
  off(event: 'upgrade', listener: UpgradeListener): unknown
  listenerCount(event: 'upgrade'): number
  emit(event: 'connection' | 'secureConnection', socket: Duplex): boolean
}

interface Paths {
  readonly handlers: Map<string, UpgradeListener>
  readonly listener: UpgradeListener
}

/** One listener for each server, whatever the number of boards on it. */
const servers = new WeakMap<UpgradeServer, Paths>()

/**
 * Hands the upgrades of a path to `handler`; returns how to stop that.
 * @throws Error when the path is taken already.
 */
export function addUpgradePath(server: UpgradeServer, path: string, handler: UpgradeListener): () => void {
  const { handlers, listener } = servers.get(server) ?? listenTo(server)
  if (handlers.has(path)) throw new Error(`the realtime channel is on ${path} of this server already`)
  handlers.set(path, handler)
  return () => {
    if (handlers.get(path) !== handler) return
    handlers.delete(path)
    if (handlers.size > 0) return
    server.off('upgrade', listener)
    servers.delete(server)
  }
}

function listenTo(server: UpgradeServer): Paths {
  const handlers = new Map<string, UpgradeListener>()
  const listener: UpgradeListener = (request, socket, head) => {
    const handler = handlers.get(pathOf(request.url))
    if (handler !== undefined) handler(request, socket, head)
    else if (server.listenerCount('upgrade') === 1) serveAsRequest(server, request, socket, head)
  }
  const paths = { handlers, listener }
  servers.set(server, paths)
  server.on('upgrade', listener)
  return paths
}

function pathOf(target = '/'): string {
  const end = target.search(/[?#]/)
  return end === -1 ? target : target.slice(0, end)
}

/**
 * A server without upgrade listeners answers a request that asks for an upgrade (`Upgrade: h2c` of some clients) as any other.
 * Where ours is the only one, it has to see to that. Node has taken its parser off the connection by then, and with it whatever
 * follows the head: so the request goes back in front of that, without what asks for the upgrade, and to the server once more.
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
