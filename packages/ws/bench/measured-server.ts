import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { createTaskboard, type Taskboard } from '@taskboard/core'
import type { Socket } from '@taskboard/core/transport'
import { memoryStorage } from '@taskboard/memory'
import { WebSocketServer, type WebSocket } from 'ws'
import { attachRealtime } from '../src/index.js'
import { PortedWebSocket, StreamSocket } from '../src/web-socket.js'

/** A server with bare `ws` on one path and the realtime channel on another. */
export interface MeasuredServer {
  readonly port: number
  readonly bare: readonly WebSocket[]
  /** The same sockets as the port sees them. */
  readonly ports: readonly Socket[]
  readonly taskboard: Taskboard
  readonly workspaceId: string
  /** The messages with which a client subscribes to the workspace. */
  readonly say: readonly string[]
  close(): Promise<void>
}

/** `withPorts` serves measurements through the ports; without it the bare sockets stay bare. */
export async function serveMeasured({ withPorts }: { readonly withPorts: boolean }): Promise<MeasuredServer> {
  const taskboard = createTaskboard({
    storage: memoryStorage(),
    bounds: { unauthenticatedPerAddress: 10_000, unauthenticated: 10_000 },
  })
  const { account, workspace } = await taskboard.accounts.create({ name: 'bench', tier: 'custom' })
  const { key } = await taskboard.accounts.createKey({
    accountId: account.id,
    name: 'k',
    scopes: ['tasks:read'],
  })
  const bare: WebSocket[] = []
  const ports: Socket[] = []
  const server: Server = createServer()
  serveBare(server, withPorts ? PortedWebSocket : undefined, (webSocket, stream) => {
    bare.push(webSocket)
    if (webSocket instanceof PortedWebSocket) ports.push(new StreamSocket(webSocket, stream))
  })
  attachRealtime(server, taskboard)
  await taskboard.start()
  server.listen(0, '127.0.0.1', 4_096)
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    bare,
    ports,
    taskboard,
    workspaceId: workspace.id,
    say: [
      JSON.stringify({ type: 'auth', token: `Bearer ${key}` }),
      JSON.stringify({ type: 'subscribe', channels: [`workspace.${workspace.id}`] }),
    ],
    async close() {
      await taskboard.close({ drainTimeoutMs: 0 })
      for (const webSocket of bare) webSocket.terminate()
      server.close()
    },
  }
}

/** As an application would use `ws` directly. */
function serveBare(
  server: Server,
  made: typeof WebSocket | undefined,
  onConnection: (webSocket: WebSocket, stream: Duplex) => void,
): void {
  const upgrades = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    ...(made && { WebSocket: made }),
  })
  const ignore = (): void => undefined
  server.on('upgrade', (request, stream, head) => {
    if (request.url !== '/bare') return
    upgrades.handleUpgrade(request, stream, head, (webSocket) => {
      webSocket.on('message', () => webSocket.send('{"type":"ready"}'))
      webSocket.on('error', ignore)
      webSocket.on('close', ignore)
      onConnection(webSocket, stream)
    })
  })
}
