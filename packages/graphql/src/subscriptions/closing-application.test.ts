import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createTaskboard } from '@taskboard/core'
import { taskboardPlugin } from '@taskboard/fastify'
import { memoryStorage } from '@taskboard/memory'
import { attachRealtime } from '@taskboard/ws'
import { fastify } from 'fastify'
import { describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { bearer, connectClient, listen, TASK_EVENTS } from '@taskboard/kit/graphql/socket-client'
import { graphqlSubscriptions, taskboardGraphql } from '../index.js'

/** A realtime connection that has authenticated. */
async function follow(url: string, key: string) {
  const socket = new WebSocket(`${url.replace('http:', 'ws:')}/v2/realtime`)
  const closed = once(socket, 'close') as Promise<[code: number, reason: Buffer]>
  await once(socket, 'open')
  const say = async (message: object) => {
    socket.send(JSON.stringify(message))
    const [answer] = (await once(socket, 'message')) as [Buffer]
    return (JSON.parse(answer.toString()) as { type: string }).type
  }
  expect(await say({ type: 'auth', token: `Bearer ${key}` })).toBe('auth.ok')
  return { socket, closed, say }
}

describe('a Fastify application that closes', () => {
  it('ends its realtime and GraphQL connections, and leaves the board and other servers alone', async () => {
    const taskboard = createTaskboard({ storage: memoryStorage() })
    const app = fastify()
    // Below a prefix, as a plugin of a plugin.
    await app.register(async (scope) => {
      await scope.register(taskboardPlugin, { taskboard, routes: [taskboardGraphql(taskboard)] })
    })
    attachRealtime(app.server, taskboard, { protocols: [graphqlSubscriptions(taskboard)] })
    const url = await app.listen({ host: '127.0.0.1', port: 0 })
    const other = createServer().listen(0, '127.0.0.1')
    attachRealtime(other, taskboard)
    await once(other, 'listening')
    await taskboard.start()
    const { account, workspace } = await taskboard.accounts.create({ name: 'a', tier: 'enterprise' })
    const scopes = ['tasks:read'] as const
    const { key } = await taskboard.accounts.createKey({
      accountId: account.id,
      name: 'k',
      scopes: [...scopes],
    })

    const realtime = await follow(url, key)
    const graphql = connectClient(`${url.replace('http:', 'ws:')}/v2/graphql`, bearer(key))
    await listen(graphql, TASK_EVENTS).until(({ __typename }) => __typename === 'EventsBegin')
    const elsewhere = await follow(`http://127.0.0.1:${(other.address() as AddressInfo).port}`, key)

    await app.close()
    expect(app.server.listening).toBe(false)
    expect((await realtime.closed)[0]).toBe(1001)
    expect((await graphql.closed).code).toBe(1001)

    expect(await taskboard.board(workspace.id).add({ title: 'still there' })).toMatchObject({
      column: 'TODO',
    })
    expect(await elsewhere.say({ type: 'ping' })).toBe('pong')
    await taskboard.close()
    expect((await elsewhere.closed)[0]).toBe(1001)
    other.close()
    await graphql.dispose()
  })
})
