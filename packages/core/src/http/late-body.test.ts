import { createTaskboard, scopes, type Principal } from '@taskboard/core'
import { boardRoutes, protectedRoute, v2Routes, type HttpRequest } from '@taskboard/core/transport'
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

const ada: Principal = {
  id: 'ada',
  kind: 'user',
  accountId: 'acc_1',
  tier: 'custom',
  scopes: ['tasks:read', 'tasks:write'],
  workspaceIds: ['ws_1', 'ws_2'],
  defaultWorkspaceId: 'ws_1',
}

it.each<[string, Partial<Principal>, number, Partial<Principal>?]>([
  ['nothing has changed', {}, 200],
  ['its caller reaches more and may do more', { scopes, workspaceIds: 'all' }, 200],
  ['its caller lost a scope', { scopes: ['tasks:read'] }, 401],
  ['its caller lost a workspace', { workspaceIds: ['ws_1'] }, 401],
  ['its caller no longer reaches all', {}, 401, { workspaceIds: 'all' }],
  ['its caller has another default workspace', { defaultWorkspaceId: 'ws_2' }, 401],
  ['its caller is of another account', { accountId: 'acc_2' }, 401],
  ['its caller is somebody else', { id: 'eve' }, 401],
])('of another protocol, held back until %s, gets its due', async (_, change, status, before = {}) => {
  const clock = virtualClock()
  let principal: Principal = { ...ada, ...before }
  const taskboard = createTaskboard({
    storage: memoryStorage(),
    clock,
    logger: false,
    authenticate: () => principal,
  })
  const route = protectedRoute(taskboard, {
    path: '/v2/other',
    async answer({ readBody }) {
      await readBody()
      return { status: 200, headers: {}, body: '' }
    },
    refuse: (refusal) => ({ status: refusal.status, headers: {}, body: '' }),
  })
  let send = (): void => undefined
  const read = () => new Promise<Uint8Array>((resolve) => (send = () => resolve(Buffer.from('{}'))))
  const headers: Readonly<Record<string, string>> = {
    authorization: 'Basic x',
    'content-type': 'application/json',
    'sec-fetch-site': 'same-origin',
  }
  const answer = route.handle({
    method: 'POST',
    path: '/v2/other',
    query: '',
    params: {},
    clientAddress: '203.0.113.7',
    header: (name) => headers[name],
    body: { kind: 'unread', read },
  })
  await clock.advance({ seconds: 30 })
  principal = { ...ada, ...change }
  send()
  expect((await answer).status).toBe(status)
})
