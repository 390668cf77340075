import { plainPasswordHasher } from '@taskboard/testing'
import { randomBytes } from 'node:crypto'
import { createTaskboard } from '@taskboard/core'
import { toFetchHandler } from '@taskboard/core/transport'
import { memoryStorage } from '@taskboard/memory'
import { afterEach, describe, expect, it } from 'vitest'
import { createClient } from './index.js'

const opened: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const each of opened.splice(0)) await each.close()
})

async function openBoard() {
  const taskboard = createTaskboard({
    storage: memoryStorage(),
    tokens: { secret: randomBytes(32) },
    passwordHasher: plainPasswordHasher,
  })
  opened.push(taskboard)
  const owner = { email: 'ada@acme.example', password: 'correct horse battery' }
  const { workspace } = await taskboard.accounts.create({ name: 'Acme', tier: 'professional', owner })
  const { key } = await taskboard.accounts.createKey({
    workspaceId: workspace.id,
    name: 'tests',
    scopes: ['tasks:read', 'tasks:write'],
  })
  const handle = toFetchHandler(taskboard)
  const fetch = ((input: string, init?: RequestInit) =>
    handle(new Request(input, init))) as typeof globalThis.fetch
  return { baseUrl: 'http://board.example', fetch, key, owner, taskboard }
}

describe('createClient', () => {
  it('adds, lists, changes and deletes a task', async () => {
    const { baseUrl, fetch, key } = await openBoard()
    const client = createClient({ baseUrl, fetch, key })
    const { id } = await client.tasks.create({ title: 'Compare the offers', tags: ['one'] })
    await client.tasks.update(id, { title: 'Compare three offers' })
    const { tasks, next_cursor } = await client.tasks.list({ tag: 'one', limit: 10 })
    expect([tasks[0]?.title, next_cursor]).toEqual(['Compare three offers', null])
    expect(await client.tasks.delete(id)).toBeUndefined()
    await expect(client.tasks.get(id)).rejects.toMatchObject({ status: 404, code: 'RESOURCE_NOT_FOUND' })
  })

  it('logs in by itself', async () => {
    const { baseUrl, fetch, owner } = await openBoard()
    const client = createClient({ baseUrl, fetch, login: owner })
    const { name } = await client.account.get()
    expect(name).toBe('Acme')
  })

  it('reads all pages although tasks are deleted between them', async () => {
    const { baseUrl, fetch, key } = await openBoard()
    const client = createClient({ baseUrl, fetch, key })
    const titles = Array.from({ length: 6 }, (_, index) => `${index}`)
    const { tasks } = await client.tasks.createMany({ tasks: titles.map((title) => ({ title })) })
    const idOf = (title: string): string => tasks[Number(title)]?.id ?? ''
    const seen: string[] = []
    for await (const { title } of client.tasks.listAll({ limit: 2 })) {
      seen.push(title)
      // The last of the page, after which the next page begins, and the first of the next page.
      if (title === '4') for (const gone of ['4', '3']) await client.tasks.delete(idOf(gone))
    }
    expect(seen).toEqual(['5', '4', '2', '1', '0'])
  })

  it('reads all pages', async () => {
    const { baseUrl, fetch, key } = await openBoard()
    const client = createClient({ baseUrl, fetch, key })
    await client.tasks.createMany({ tasks: ['one', 'two', 'three'].map((title) => ({ title })) })
    const titles: string[] = []
    for await (const task of client.tasks.listAll({ limit: 1 })) titles.push(task.title)
    expect(titles.toSorted()).toEqual(['one', 'three', 'two'])
  })
})
