import { createTaskboard, scopes } from '@taskboard/core'
import { boardRoutes, v2Routes, type HttpRequest } from '@taskboard/core/transport'
import { memoryStorage } from '@taskboard/memory'
import { virtualClock } from '@taskboard/testing'
import { expect, it } from 'vitest'

/** A key whose request has arrived but for its body, which comes when `send` is called. */
async function setUp() {
  const clock = virtualClock()
  const taskboard = createTaskboard({ storage: memoryStorage(), clock, logger: false })
  const { account, workspace } = await taskboard.accounts.create({ name: 'Acme', tier: 'custom' })
  const { id, key } = await taskboard.accounts.createKey({
    workspaceId: workspace.id,
    name: 'k',
    scopes: [...scopes],
  })
  function begin(path: string, body: object, query = '') {
    let send = (): void => undefined
    const read = () =>
      new Promise<Uint8Array>((resolve) => (send = () => resolve(Buffer.from(JSON.stringify(body)))))
    const headers: Readonly<Record<string, string>> = {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
    }
    const request: HttpRequest = {
      method: 'POST',
      path,
      query,
      params: {},
      clientAddress: '203.0.113.7',
      header: (name) => headers[name],
      body: { kind: 'unread', read },
    }
    const route = [...v2Routes(taskboard), ...boardRoutes(taskboard)].find((each) => each.path === path)
    const answer = route?.handle(request)
    return { answer, send: () => send() }
  }
  return { clock, taskboard, account, keyId: id, begin }
}

it.each([
  ['API v2', '/v2/tasks', { title: 'late' }, ''],
  ['the board API', '/api/board', { title: 'late' }, 'action=add'],
])('of %s is refused when the key was revoked while it was held back', async (_, path, body, query) => {
  const { clock, taskboard, account, keyId, begin } = await setUp()
  const held = begin(path, body, query)
  await clock.advance({ seconds: 30 })
  await taskboard.accounts.revokeKey(account.id, keyId)
  held.send()
  expect((await held.answer)?.status).toBe(401)
})

it('of a key that is valid still is taken', async () => {
  const { clock, begin } = await setUp()
  const held = begin('/v2/tasks', { title: 'late' })
  await clock.advance({ seconds: 30 })
  held.send()
  expect((await held.answer)?.status).toBe(201)
})
