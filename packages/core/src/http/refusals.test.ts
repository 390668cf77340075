import { createTaskboard } from '@taskboard/core'
import { createOperationCaller, toFetchHandler, type HttpRequest } from '@taskboard/core/transport'
import { memoryStorage } from '@taskboard/memory'
import { virtualClock } from '@taskboard/testing'
import { expect, it } from 'vitest'

const TITLE = 'a task that is refused'

/** A key that may not add tasks, and how the audit counts what it is refused. */
async function setUp() {
  const clock = virtualClock()
  const taskboard = createTaskboard({ storage: memoryStorage(), clock, logger: false })
  const { account, workspace } = await taskboard.accounts.create({ name: 'Acme', tier: 'custom' })
  const { id, key } = await taskboard.accounts.createKey({
    workspaceId: workspace.id,
    name: 'reader',
    scopes: ['tasks:read'],
  })
  await taskboard.start()
  const authorization = `Bearer ${key}`
  const post = async (path: string, body: object): Promise<number> => {
    const headers = { authorization, 'content-type': 'application/json' }
    const init = { method: 'POST', headers, body: JSON.stringify(body) }
    return (await toFetchHandler(taskboard)(new Request(`https://board.example${path}`, init))).status
  }
  /** As GraphQL and MCP do. */
  const call = async (body: Readonly<Record<string, unknown>>): Promise<unknown> => {
    const request: HttpRequest = {
      method: 'POST',
      path: '/graphql',
      query: '',
      params: {},
      clientAddress: '203.0.113.7',
      header: (name) => (name === 'authorization' ? authorization : undefined),
      body: { kind: 'none' },
    }
    const principal = await taskboard.services.authenticate(request)
    if (principal === null) throw new Error('the key holds')
    return createOperationCaller(taskboard)('createTask', { principal, request, body })
  }
  const recorded = async () => {
    await clock.advance({ minutes: 2 })
    const { records } = await taskboard.audit.list(account.id, { actions: ['access.refused'] })
    return records
  }
  return { taskboard, id, post, call, recorded }
}

it.each([
  ['API v2', '/v2/tasks'],
  ['the board API', '/api/board?action=add'],
])('what %s refuses to a caller is on record', async (_, path) => {
  const { taskboard, id, post, recorded } = await setUp()
  expect(await post(path, { title: TITLE })).toBe(403)
  const records = await recorded()
  expect(records).toMatchObject([{ count: 1, by: { kind: 'api_key', id } }])
  expect(JSON.stringify(records)).not.toContain(TITLE)
  await taskboard.close()
})

it('so is what other protocols refuse', async () => {
  const { taskboard, id, call, recorded } = await setUp()
  await expect(call({ title: TITLE })).rejects.toMatchObject({ code: 'FORBIDDEN' })
  expect(await recorded()).toMatchObject([{ count: 1, by: { kind: 'api_key', id } }])
  await taskboard.close()
})
