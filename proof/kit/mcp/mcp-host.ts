import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  createTaskboard,
  type Scope,
  type Storage,
  type Taskboard,
  type TaskboardOptions,
} from '@taskboard/core'
import type { Route, RouteGroup } from '@taskboard/core/transport'
import { taskboardRouter } from '@taskboard/express'
import { taskboardPlugin } from '@taskboard/fastify'
import { memoryStorage } from '@taskboard/memory'
import { attachRealtime } from '@taskboard/ws'
import express, { type RequestHandler } from 'express'
import { fastify } from 'fastify'
import { taskboardMcp, type McpOptions } from '@taskboard/mcp'

export interface Listening {
  readonly url: string
  close(): Promise<void>
}

export type Mount = (taskboard: Taskboard, routes: readonly (Route | RouteGroup)[]) => Promise<Listening>

export const mountOnExpress: Mount = (taskboard, routes) => mountBehind([], taskboard, routes)

/** On an Express host with middleware of its own before the board. */
export async function mountBehind(
  middleware: readonly RequestHandler[],
  ...[taskboard, routes]: Parameters<Mount>
): Promise<Listening> {
  const app = express()
  for (const handler of middleware) app.use(handler)
  const server = createServer(app.use(taskboardRouter(taskboard, { routes })) as never)
  attachRealtime(server, taskboard)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

export const mountOnFastify: Mount = async (taskboard, routes) => {
  const app = fastify()
  await app.register(taskboardPlugin, { taskboard, routes })
  attachRealtime(app.server, taskboard)
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  return {
    url,
    async close() {
      // The client's pool keeps a connection that has not sent anything yet.
      app.server.closeAllConnections()
      await app.close()
    },
  }
}

export const mounts = [
  ['Express', mountOnExpress],
  ['Fastify', mountOnFastify],
] as const

interface HostOptions {
  readonly mount?: Mount
  readonly mcp?: McpOptions
  readonly storage?: Storage
  readonly board?: Partial<TaskboardOptions>
}

/** A started board with the endpoint, an account and a remote agent. */
export async function serveMcp(options: HostOptions = {}) {
  const { mount = mountOnExpress, mcp = {}, storage = memoryStorage(), board = {} } = options
  const taskboard = createTaskboard({ storage, logger: false, ...board })
  const listening = await mount(taskboard, [taskboardMcp(taskboard, mcp)])
  await taskboard.start()
  const { account, workspace } = await taskboard.accounts.create({ name: 'Acme', tier: 'enterprise' })
  const { id: agentId } = await taskboard.agents.create(workspace.id, { name: 'Remote', type: 'remote' })
  const createKey = async (...scopes: readonly Scope[]) =>
    (await taskboard.accounts.createKey({ accountId: account.id, name: scopes.join(), scopes: [...scopes] }))
      .key
  return {
    taskboard,
    url: listening.url,
    accountId: account.id,
    workspaceId: workspace.id,
    agentId,
    board: taskboard.board(workspace.id),
    workerKey: await createKey('tasks:read', 'tasks:write', 'agents:read'),
    personKey: await createKey('tasks:read', 'tasks:write', 'approvals:write', 'account:read'),
    createKey,
    async close() {
      await taskboard.close({ drainTimeoutMs: 0 })
      await listening.close()
    },
  }
}

export type McpHost = Awaited<ReturnType<typeof serveMcp>>
