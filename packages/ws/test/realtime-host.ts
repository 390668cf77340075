import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createTaskboard, type Scope, type Taskboard, type TaskboardOptions } from '@taskboard/core'
import { memoryStorage } from '@taskboard/memory'
import { attachRealtime, type AttachRealtimeOptions } from '../src/index.js'

/** A board on its own server, with an account and a key for it. */
export interface RealtimeHost {
  readonly taskboard: Taskboard
  readonly server: Server
  /** Of the realtime channel. */
  readonly url: string
  readonly accountId: string
  readonly workspaceId: string
  readonly key: string
  createKey(scopes: readonly Scope[], workspaceId?: string): Promise<{ id: string; key: string }>
  close(): Promise<void>
}

export interface RealtimeHostOptions extends Partial<TaskboardOptions> {
  readonly attach?: AttachRealtimeOptions | undefined
  /** Called before the channel is attached. */
  readonly prepare?: ((server: Server) => void) | undefined
}

export async function serveRealtime(options: RealtimeHostOptions = {}): Promise<RealtimeHost> {
  const { attach, prepare, ...rest } = options
  const taskboard = createTaskboard({ storage: memoryStorage(), logger: false, ...rest })
  const server = createServer((_request, response) => response.end('host'))
  prepare?.(server)
  attachRealtime(server, taskboard, attach)
  await taskboard.start()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { account, workspace } = await taskboard.accounts.create({ name: 'host', tier: 'professional' })
  const createKey = (scopes: readonly Scope[], workspaceId?: string) =>
    taskboard.accounts.createKey({
      ...(workspaceId === undefined ? { accountId: account.id } : { workspaceId }),
      name: 'key',
      scopes: [...scopes],
    })
  const { key } = await createKey(['tasks:read', 'agents:read'])
  return {
    taskboard,
    server,
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/v2/realtime`,
    accountId: account.id,
    workspaceId: workspace.id,
    key,
    createKey,
    async close() {
      await taskboard.close({ drainTimeoutMs: 0 })
      server.close()
      server.closeAllConnections()
    },
  }
}
