import { plainPasswordHasher } from '@taskboard/testing'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createTaskboard, type Taskboard, type TaskboardOptions } from '@taskboard/core'
import { taskboardRouter } from '@taskboard/express'
import { taskboardPlugin } from '@taskboard/fastify'
import { taskboardGraphql } from '@taskboard/graphql'
import { memoryStorage } from '@taskboard/memory'
import express from 'express'
import Fastify from 'fastify'

/** A board on a real server, with a user and a key that may do everything. */
export interface ServedBoard {
  readonly taskboard: Taskboard
  /** Where the routes are. */
  readonly baseUrl: string
  readonly key: string
  readonly owner: { readonly email: string; readonly password: string }
  readonly workspaceId: string
  close(): Promise<void>
}

interface Server {
  readonly port: number
  close(): Promise<void>
}

const MOUNT_PATH = '/kanban'

/** The hosts that the client is tested against. */
export const frameworks = {
  async Express(taskboard: Taskboard): Promise<Server> {
    const app = express()
    app.use(MOUNT_PATH, taskboardRouter(taskboard, { routes: [taskboardGraphql(taskboard)] }))
    const server = createServer(app as never)
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return {
      port: (server.address() as AddressInfo).port,
      async close() {
        server.close()
        server.closeAllConnections()
        await once(server, 'close')
      },
    }
  },
  async Fastify(taskboard: Taskboard): Promise<Server> {
    const app = Fastify()
    app.register(taskboardPlugin, { prefix: MOUNT_PATH, taskboard, routes: [taskboardGraphql(taskboard)] })
    await app.listen({ host: '127.0.0.1', port: 0 })
    return {
      port: (app.server.address() as AddressInfo).port,
      async close() {
        app.server.closeAllConnections()
        await app.close()
      },
    }
  },
}

export type Framework = keyof typeof frameworks

export async function serveBoard(
  framework: Framework,
  options: Partial<TaskboardOptions> = {},
): Promise<ServedBoard> {
  const taskboard = createTaskboard({
    storage: memoryStorage(),
    logger: false,
    tokens: { secret: 'a secret of at least thirty-two bytes' },
    passwordHasher: plainPasswordHasher,
    ...options,
  })
  await taskboard.start()
  const owner = { email: 'ada@acme.example', password: 'correct horse battery' }
  const { workspace } = await taskboard.accounts.create({ name: 'Acme', tier: 'professional', owner })
  const { key } = await taskboard.accounts.createKey({
    workspaceId: workspace.id,
    name: 'tests',
    scopes: ['tasks:read', 'tasks:write', 'agents:read', 'agents:write', 'webhooks:write', 'account:read'],
  })
  const server = await frameworks[framework](taskboard)
  return {
    taskboard,
    baseUrl: `http://127.0.0.1:${server.port}${MOUNT_PATH}`,
    key,
    owner,
    workspaceId: workspace.id,
    async close() {
      await server.close()
      await taskboard.close({ drainTimeoutMs: 0 })
    },
  }
}
