import type { Client } from '@modelcontextprotocol/client'
import { createClient } from '@taskboard/client'
import { afterEach, describe, expect, expectTypeOf, it, vi } from 'vitest'
import { call, refused, versions } from '../../test/mcp-client.js'
import { type McpHost, serveMcp } from '../../test/mcp-host.js'
import { connectByStdio } from '../../test/stdio-client.js'
import { workThrough } from '../../test/story.js'
import type { BoardClient } from './board-client.js'

let host: McpHost
let client: Client | undefined
afterEach(async () => {
  await client?.close()
  client = undefined
  await host.close()
})

describe('a server on standard input and output', () => {
  it.each(versions)('lets an agent work a task from its creation to its end, by %s', async (version) => {
    host = await serveMcp()
    client = await connectByStdio({ url: host.url, key: host.workerKey }, version)
    expect(client.getNegotiatedProtocolVersion()).toBe(version)
    await workThrough(client, host)
  })

  it('claims for the agent that it was started for', async () => {
    host = await serveMcp()
    const { id } = await host.board.add({ title: 'Translate' })
    const { url, workerKey: key, agentId } = host
    client = await connectByStdio({ url, key, agentId }, '2026-07-28')
    expect(await call(client, 'claim_task')).toMatchObject({ task: { id } })
  })

  it('answers refusals as the REST API does', async () => {
    host = await serveMcp()
    const key = await host.createKey('tasks:read')
    client = await connectByStdio({ url: host.url, key }, '2026-07-28')
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
    expect(await refused(client, 'claim_task')).toMatchObject({ details: { field: 'agent_id' } })
  })

  it('has one error for a wrong credential that does not contain it', async () => {
    host = await serveMcp()
    client = await connectByStdio({ url: host.url, key: 'tb_wrong_secret' }, '2026-07-28')
    const error = await refused(client, 'list_tasks')
    expect(error).toMatchObject({ code: 'AUTHENTICATION_FAILED' })
    expect(JSON.stringify(error)).not.toContain('tb_wrong')
  })

  it.each(['2026-07-28', '2025-11-25'] as const)('follows tasks and boards, by %s', async (version) => {
    host = await serveMcp()
    const { id } = await host.board.add({ title: 'wanted' })
    const seen: string[] = []
    client = await connectByStdio({ url: host.url, key: host.workerKey }, version)
    client.setNotificationHandler(
      'notifications/resources/updated',
      ({ params }) => void seen.push(params.uri),
    )
    const uri = `task://${id}`
    if (version === '2026-07-28') await client.listen({ resourceSubscriptions: [uri] })
    else await client.subscribeResource({ uri })
    await vi.waitFor(() => expect(host.taskboard.services.realtime.isHeard).toBe(true), 10_000)
    const progress = setInterval(
      () => void host.board.update(id, { description: String(Math.random()) }),
      100,
    )
    try {
      await vi.waitFor(() => expect(new Set(seen)).toEqual(new Set([uri])), 10_000)
    } finally {
      clearInterval(progress)
    }
  })
})

describe('the client of the board', () => {
  it('is what the server takes', () => {
    expectTypeOf(createClient).returns.toExtend<BoardClient>()
    host = { close: async () => undefined } as McpHost
  })
})
