import { createServer, type Server } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createTaskboard, scopes, type Scope, type Taskboard, type TaskboardOptions } from '@taskboard/core'
import { taskboardRouter } from '@taskboard/express'
import { taskboardPlugin } from '@taskboard/fastify'
import { memoryStorage } from '@taskboard/memory'
import { attachRealtime } from '@taskboard/ws'
import express from 'express'
import { fastify } from 'fastify'
import { graphqlSubscriptions, taskboardGraphql, type GraphqlOptions } from '../src/index.js'

/** A board on its own server, with GraphQL over HTTP and WebSockets, and the realtime channel. */
export interface SocketHost {
  readonly taskboard: Taskboard
  readonly server: Server
  /** Of the WebSockets of GraphQL. */
  readonly url: string
  readonly accountId: string
  readonly workspaceId: string
  /** With every scope, for the whole account. */
  readonly key: string
  makeKey(only: readonly Scope[]): Promise<{ readonly id: string; readonly key: string }>
  close(): Promise<void>
}

export interface SocketHostOptions extends Partial<TaskboardOptions> {
  readonly graphql?: GraphqlOptions
  readonly listen?: Listen
}

type Listen = (taskboard: Taskboard, options: GraphqlOptions) => Promise<Server>

export const listenOnExpress: Listen = async (taskboard, options) => {
  const app = express()
  app.use(taskboardRouter(taskboard, { routes: [taskboardGraphql(taskboard, options)] }))
  const server = createServer(app as never)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

export const listenOnFastify: Listen = async (taskboard, options) => {
  const app = fastify()
  await app.register(taskboardPlugin, { taskboard, routes: [taskboardGraphql(taskboard, options)] })
  await app.listen({ host: '127.0.0.1', port: 0 })
  return app.server
}

export async function openSocketHost(options: SocketHostOptions = {}): Promise<SocketHost> {
  const { graphql = {}, listen = listenOnFastify, ...rest } = options
  const taskboard = createTaskboard({ storage: memoryStorage(), logger: false, ...rest })
  const server = await listen(taskboard, graphql)
  attachRealtime(server, taskboard, { protocols: [graphqlSubscriptions(taskboard, graphql)] })
  await taskboard.start()
  const { account, workspace } = await taskboard.accounts.create({ name: 'Acme', tier: 'professional' })
  const makeKey = (only: readonly Scope[]) =>
    taskboard.accounts.createKey({ accountId: account.id, name: 'test', scopes: [...only] })
  const { key } = await makeKey(scopes)
  return {
    taskboard,
    server,
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/v2/graphql`,
    accountId: account.id,
    workspaceId: workspace.id,
    key,
    makeKey,
    async close() {
      await taskboard.close({ drainTimeoutMs: 0 })
      server.close()
      server.closeAllConnections()
    },
  }
}
