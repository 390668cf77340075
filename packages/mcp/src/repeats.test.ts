import type { Client } from '@modelcontextprotocol/client'
import { createClient } from '@taskboard/client'
import { memoryStorage } from '@taskboard/memory'
import { afterEach, describe, expect, it } from 'vitest'
import { call, connect, refused } from '@taskboard/kit/mcp/mcp-client'
import { type McpHost, serveMcp } from '@taskboard/kit/mcp/mcp-host'
import { connectInProcess } from '../test/stdio-in-process.js'

let host: McpHost
const clients: Client[] = []
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()))
  await host.close()
})

const surfaces = [
  ['HTTP', (key: string) => connect(host.url, key)],
  ['stdio', (key: string) => connectInProcess(createClient({ baseUrl: host.url, key }))],
] as const

async function titles(): Promise<readonly string[]> {
  return (await host.board.list('TODO')).tasks.map(({ title }) => title)
}

describe.each(surfaces)('a create that is repeated after a lost answer, over %s', (_, open) => {
  async function start(): Promise<Client> {
    host = await serveMcp()
    const client = await open(host.workerKey)
    clients.push(client)
    return client
  }

  it('adds one task, and returns the first answer, by the same idempotency_key', async () => {
    const client = await start()
    const args = { title: 'Refund', idempotency_key: 'refund-7' }
    const first = await call(client, 'create_task', args)
    expect(await call(client, 'create_task', args)).toEqual(first)
    expect(await titles()).toEqual(['Refund'])
    const response = await fetch(`${host.url}/v2/tasks`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${host.workerKey}`,
        'content-type': 'application/json',
        'idempotency-key': 'refund-7',
      },
      body: JSON.stringify({ title: 'Refund' }),
    })
    expect(await response.json()).toMatchObject({ id: first['id'] })
  })

  it('is refused with other arguments, and is another one for another caller', async () => {
    const client = await start()
    await call(client, 'create_task', { title: 'Refund', idempotency_key: 'refund-7' })
    expect(
      await refused(client, 'create_task', { title: 'Other', idempotency_key: 'refund-7' }),
    ).toMatchObject({ code: 'CONFLICT' })
    const other = await open(host.personKey)
    clients.push(other)
    await call(other, 'create_task', { title: 'Refund', idempotency_key: 'refund-7' })
    expect(await titles()).toEqual(['Refund', 'Refund'])
  })

  it('adds one list, and one comment', async () => {
    const client = await start()
    const list = { tasks: [{ title: 'a' }, { title: 'b' }], idempotency_key: 'k' }
    const first = await call(client, 'create_tasks', list)
    expect(await call(client, 'create_tasks', list)).toEqual(first)
    const taskId = (first['tasks'] as readonly { readonly id: string }[])[0]?.id
    const comment = { task_id: taskId, body: 'Seen.', idempotency_key: 'k' }
    expect(await call(client, 'comment_on_task', comment)).toEqual(
      await call(client, 'comment_on_task', comment),
    )
    const { comments } = await call(client, 'get_task', { task_id: taskId })
    expect(comments).toHaveLength(1)
  })

  it('adds another task without a key', async () => {
    const client = await start()
    for (const title of ['Refund', 'Refund']) await call(client, 'create_task', { title })
    expect(await titles()).toEqual(['Refund', 'Refund'])
  })

  it.each(['', 'two words', 'grün', 'x'.repeat(256), 'a\nb', 7, null])('refuses the key %j', async (key) => {
    const client = await start()
    expect(await refused(client, 'create_task', { title: 'x', idempotency_key: key })).toMatchObject({
      code: 'INVALID_REQUEST',
      details: { field: 'idempotency_key' },
    })
    expect(await titles()).toEqual([])
  })
})

it('a create in the process of the board makes no forecast: no tool shows one', async () => {
  const storage = memoryStorage()
  let forecasts = 0
  const readForecasts: typeof storage.agents.readForecasts = (...given) => {
    forecasts += 1
    return storage.agents.readForecasts(...given)
  }
  host = await serveMcp({ storage: { ...storage, agents: { ...storage.agents, readForecasts } } })
  const client = await connect(host.url, host.workerKey)
  clients.push(client)
  await call(client, 'create_task', { title: 'Refund' })
  expect(await titles()).toEqual(['Refund'])
  expect(forecasts).toBe(0)
})
