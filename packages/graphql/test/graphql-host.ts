import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createTaskboard, scopes, type Scope, type Taskboard, type TaskboardOptions } from '@taskboard/core'
import { taskboardRouter } from '@taskboard/express'
import { taskboardPlugin } from '@taskboard/fastify'
import { memoryStorage } from '@taskboard/memory'
import { virtualClock, type VirtualClock } from '@taskboard/testing'
import express from 'express'
import { fastify } from 'fastify'
import { taskboardGraphql, type GraphqlOptions } from '../src/index.js'

export interface Listening {
  readonly url: string
  close(): Promise<void>
}

export type Mount = (taskboard: Taskboard, options?: GraphqlOptions) => Promise<Listening>

/** An answer of the endpoint. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly data: Record<string, unknown> | null | undefined
  readonly errors: readonly AnsweredError[]
}

export interface AnsweredError {
  readonly message: string
  readonly path?: readonly (string | number)[]
  readonly extensions: Readonly<Record<string, unknown>>
}

export interface GraphqlHost {
  readonly taskboard: Taskboard
  readonly clock: VirtualClock
  readonly url: string
  readonly accountId: string
  readonly workspaceId: string
  /** A key with every scope that reaches the whole account. */
  readonly key: string
  makeKey(only: readonly Scope[]): Promise<string>
  query(text: string, variables?: object, as?: string): Promise<Answer>
  close(): Promise<void>
}

export const mountOnExpress: Mount = async (taskboard, options) => {
  const app = express()
  app.use(
    taskboardRouter(taskboard, { routes: [taskboardGraphql(taskboard, options)], notFound: 'envelope' }),
  )
  const server = createServer(app as never)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v2/graphql`,
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

export const mountOnFastify: Mount = async (taskboard, options) => {
  const app = fastify()
  await app.register(taskboardPlugin, {
    taskboard,
    routes: [taskboardGraphql(taskboard, options)],
    notFound: 'envelope',
  })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  return {
    url: `${url}/v2/graphql`,
    async close() {
      app.server.closeAllConnections()
      await app.close()
    },
  }
}

/** A task board in memory with one account, behind a listening server. */
export async function openHost(
  mount: Mount = mountOnFastify,
  options: GraphqlOptions = {},
  boardOptions: Partial<TaskboardOptions> = {},
): Promise<GraphqlHost> {
  const clock = virtualClock()
  const taskboard = createTaskboard({ storage: memoryStorage(), clock, logger: false, ...boardOptions })
  const { account, workspace } = await taskboard.accounts.create({ name: 'Acme', tier: 'enterprise' })
  const listening = await mount(taskboard, options)
  const makeKey = async (only: readonly Scope[]): Promise<string> => {
    const made = await taskboard.accounts.createKey({
      accountId: account.id,
      name: 'test',
      scopes: [...only],
    })
    return made.key
  }
  const key = await makeKey(scopes)
  return {
    taskboard,
    clock,
    url: listening.url,
    accountId: account.id,
    workspaceId: workspace.id,
    key,
    makeKey,
    query: (text, variables, as = key) => ask(listening.url, { query: text, variables }, as),
    async close() {
      await listening.close()
      await taskboard.close()
    },
  }
}

/** Sends a request by POST. */
export async function ask(
  url: string,
  body: unknown,
  key: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'application/graphql-response+json',
      ...headers,
    },
    body: JSON.stringify(body),
  })
  const { data, errors = [] } = (await response.json()) as Pick<Answer, 'data'> & Partial<Answer>
  return { status: response.status, headers: response.headers, data, errors }
}

/** Code and field of each error. */
export function codesOf({ errors }: Pick<Answer, 'errors'>): readonly unknown[] {
  return errors.map(({ extensions }) => extensions['code'])
}
