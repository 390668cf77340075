import { memoryStorage } from '@taskboard/memory'
import { plainPasswordHasher } from '@taskboard/testing'
import { describe, expect, it } from 'vitest'
import type { Principal } from '../../access/index.js'
import { createTaskboard } from '../../wiring/taskboard.js'
import type { TaskboardOptions } from '../../wiring/taskboard-options.js'
import type { HttpRequest } from '../http.js'
import { v2Routes } from './v2-routes.js'

const PUBLIC = 'https://app.example'

async function setUp(options: Partial<TaskboardOptions> = {}) {
  const taskboard = createTaskboard({
    storage: memoryStorage(),
    logger: false,
    passwordHasher: plainPasswordHasher,
    publicUrl: PUBLIC,
    ...options,
  })
  const { account, workspace } = await taskboard.accounts.create({ name: 'Acme', tier: 'professional' })
  const [accountId, workspaceId] = [account.id, workspace.id]
  const agent = await taskboard.agents.create(workspaceId, { name: 'Clerk', type: 'clerk' })
  const board = taskboard.board(workspaceId)
  const route = v2Routes(taskboard).find(({ path }) => path === '/v2/decide/:token')

  async function ask(userId: string, question = 'Which color?') {
    const { id: taskId } = await board.add({ title: 'Paint the door' })
    const fencingToken = (await board.claim({ agentId: agent.id, taskId }))?.fencingToken ?? 0
    await board.ask(taskId, { fencingToken, question })
    const { url } = await taskboard.links.create({ workspaceId, taskId, userId })
    return { taskId, token: url.split('/').at(-1) ?? '' }
  }

  function send(
    token: string,
    form?: Readonly<Record<string, string>>,
    headers: Record<string, string> = {},
  ) {
    const all: Readonly<Record<string, string>> = {
      origin: PUBLIC,
      'content-type': 'application/x-www-form-urlencoded',
      ...headers,
    }
    const request: HttpRequest = {
      method: form === undefined ? 'GET' : 'POST',
      path: `/v2/decide/${token}`,
      params: { token },
      query: '',
      clientAddress: '203.0.113.9',
      header: (name) => all[name],
      body: form === undefined ? { kind: 'none' } : { kind: 'parsed', value: form },
    }
    if (route === undefined) throw new Error('there is no page of links')
    return route.handle(request)
  }
  return { taskboard, accountId, workspaceId, board, ask, send, route }
}

const tokens = { secret: 'x'.repeat(32) }
const owner = { email: 'ada@acme.example', password: 'correct horse battery' }

describe('the page of a link', () => {
  it('takes an answer, and says who answered', async () => {
    const { taskboard, accountId, board, ask, send } = await setUp({ tokens })
    const { id } = await taskboard.accounts.createUser(accountId, owner)
    const { token, taskId } = await ask(id, 'Which <b>color</b>?')
    const open = await send(token)
    expect(open.body).toContain('Which &#60;b&#62;color&#60;/b&#62;?')
    expect(await send(token, { answer: ' ' })).toMatchObject({ status: 200 })
    expect((await send(token, { answer: 'green' })).body).toContain('Answered by ada@acme.example')
    expect((await send(token)).body).toContain('<pre>green</pre>')
    expect((await board.comments(taskId)).comments.at(-1)).toMatchObject({ kind: 'answer', body: 'green' })
  })

  it('shows what is wrong with a form, and decides nothing', async () => {
    const { taskboard, accountId, ask, send } = await setUp({ tokens })
    const { id } = await taskboard.accounts.createUser(accountId, owner)
    const { token } = await ask(id)
    expect(await send(token, { answer: 'green' }, { 'content-type': 'text/plain' })).toMatchObject({
      status: 415,
    })
    expect(await send(token, { answer: 'x'.repeat(20_001) })).toMatchObject({ status: 200 })
    expect((await send(token)).body).toContain('Your answer')
  })

  it('is none without a public address, and without people', async () => {
    expect((await setUp({ tokens, publicUrl: undefined })).route).toBeUndefined()
    expect((await setUp({ authenticate: () => null })).route).toBeUndefined()
    expect((await setUp({ tokens })).route).toBeDefined()
  })

  it('asks for the login of the host, and for that of this person', async () => {
    const ada: Principal = {
      id: 'ada',
      kind: 'user',
      accountId: '',
      tier: 'professional',
      scopes: ['tasks:write'],
      workspaceIds: 'all',
      defaultWorkspaceId: '',
    }
    let own = ada
    let caller: Principal | null = null
    const { accountId, workspaceId, ask, send, board } = await setUp({
      authenticate: () => caller,
      people: { principal: (id) => ({ ...own, id }) },
      links: { requireLogin: true, loginUrl: 'https://app.example/login' },
    })
    own = { ...ada, accountId, defaultWorkspaceId: workspaceId }
    const { token, taskId } = await ask('ada')
    for (const other of [null, { ...own, id: 'eve' }, { ...own, kind: 'api_key' as const }]) {
      caller = other
      const refused = await send(token, { answer: 'green' })
      expect(refused.status).toBe(401)
      expect(refused.body).toContain('href="https://app.example/login"')
      expect(refused.body).not.toContain('Which color?')
    }
    caller = own
    expect((await send(token)).body).toContain('Which color?')
    expect((await send(token, { answer: 'green' })).body).toContain('Answered by ada')
    expect((await board.comments(taskId)).comments.at(-1)).toMatchObject({ body: 'green' })
  })

  it('is refused at the start with a login that nobody has', async () => {
    await expect(setUp({ links: { requireLogin: true } })).rejects.toMatchObject({
      code: 'INVALID_CONFIG',
      field: 'links.requireLogin',
    })
  })
})
