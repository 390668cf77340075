import type { Client } from '@modelcontextprotocol/client'
import { createClient } from '@taskboard/client'
import { afterEach, describe, expect, expectTypeOf, it, vi } from 'vitest'
import { WebSocket } from 'ws'
import { call, refused } from '@taskboard/kit/mcp/mcp-client'
import { type McpHost, serveMcp } from '@taskboard/kit/mcp/mcp-host'
import { workThrough } from '@taskboard/kit/mcp/story'
import { connectByStdio } from '../../test/stdio-client.js'
import { connectInProcess } from '../../test/stdio-in-process.js'
import type { BoardClient } from './board-client.js'

let host: McpHost
let client: Client | undefined
afterEach(async () => {
  await client?.close()
  client = undefined
  await host.close()
})

const boardClient = ({ url: baseUrl, workerKey }: McpHost, key = workerKey) =>
  createClient({ baseUrl, key, WebSocket })

describe('a server on standard input and output', () => {
  it.each(['2026-07-28', '2025-11-25'] as const)(
    'lets an agent work a task from its creation to its end, in a process of its own, by %s',
    async (version) => {
      host = await serveMcp()
      client = await connectByStdio({ url: host.url, key: host.workerKey }, version)
      expect(client.getNegotiatedProtocolVersion()).toBe(version)
      await workThrough(client, host)
    },
  )

  it('lets an agent work one by 2025-06-18, too', async () => {
    host = await serveMcp()
    client = await connectInProcess(boardClient(host), { version: '2025-06-18' })
    expect(client.getNegotiatedProtocolVersion()).toBe('2025-06-18')
    await workThrough(client, host)
  })

  it('claims for the agent that it was started for', async () => {
    host = await serveMcp()
    const { id } = await host.board.add({ title: 'Translate' })
    client = await connectInProcess(boardClient(host), { agent: host.agentId })
    expect(await call(client, 'claim_task')).toMatchObject({ task: { id } })
  })

  it('answers refusals as the REST API does', async () => {
    host = await serveMcp()
    client = await connectInProcess(boardClient(host, await host.createKey('tasks:read')))
    expect(await refused(client, 'create_task', { title: 'x' })).toMatchObject({
      code: 'AUTHORIZATION_FAILED',
    })
    expect(await refused(client, 'get_task', { task_id: 'tsk_none' })).toMatchObject({
      code: 'RESOURCE_NOT_FOUND',
    })
    expect(await refused(client, 'get_task', { id: 'tsk_none' })).toMatchObject({
      code: 'INVALID_REQUEST',
      details: { field: 'task_id' },
    })
    expect(await refused(client, 'claim_task')).toMatchObject({ details: { field: 'agent' } })
  })

  it('has one error for a wrong credential that does not contain it', async () => {
    host = await serveMcp()
    client = await connectInProcess(boardClient(host, 'tb_wrong_secret'))
    const error = await refused(client, 'list_tasks')
    expect(error).toMatchObject({ code: 'AUTHENTICATION_FAILED' })
    expect(JSON.stringify(error)).not.toContain('tb_wrong')
  })

  it.each(['2026-07-28', '2025-11-25'] as const)('follows tasks and boards, by %s', async (version) => {
    host = await serveMcp()
    const { id } = await host.board.add({ title: 'wanted' })
    const seen: string[] = []
    client = await connectInProcess(boardClient(host), { version })
    client.setNotificationHandler(
      'notifications/resources/updated',
      ({ params }) => void seen.push(params.uri),
    )
    const uri = `task://${id}`
    if (version === '2026-07-28') await client.listen({ resourceSubscriptions: [uri] })
    else await client.subscribeResource({ uri })
    await host.board.update(id, { description: 'changed at once' })
    await vi.waitFor(() => expect(seen).toContain(uri), 10_000)
    seen.length = 0
    await host.board.update(id, { description: 'changed later' })
    await vi.waitFor(() => expect(new Set(seen)).toEqual(new Set([uri])), 10_000)
  })
})

describe('the client of the board', () => {
  it('is what the server takes', () => {
    expectTypeOf(createClient).returns.toExtend<BoardClient>()
    host = { close: async () => undefined } as McpHost
  })
})
