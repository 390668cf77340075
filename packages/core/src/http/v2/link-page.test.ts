import { memoryStorage } from '@taskboard/memory'
import { describe, expect, it } from 'vitest'
import { linkBoard } from '../../../test/link-board.js'
import type { Principal } from '../../access/index.js'
import { TaskboardError } from '../../errors/index.js'
import type { Storage } from '../../storage/index.js'

const tokens = { secret: 'x'.repeat(32) }
const owner = { email: 'ada@acme.example', password: 'correct horse battery' }

describe('the page of a link', () => {
  it('takes an answer, and says who answered', async () => {
    const { taskboard, accountId, board, ask, send } = await linkBoard({ tokens })
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
    const { taskboard, accountId, ask, send } = await linkBoard({ tokens })
    const { id } = await taskboard.accounts.createUser(accountId, owner)
    const { token } = await ask(id)
    expect(await send(token, { answer: 'green' }, { 'content-type': 'text/plain' })).toMatchObject({
      status: 415,
    })
    expect(await send(token, { answer: 'x'.repeat(20_001) })).toMatchObject({ status: 200 })
    expect((await send(token)).body).toContain('Your answer')
  })

  it('shows the exact input of a request, and takes a decision with a comment once', async () => {
    const { taskboard, accountId, workspaceId, agentId, board, send } = await linkBoard({ tokens })
    const { id: userId } = await taskboard.accounts.createUser(accountId, owner)
    async function request(input: unknown) {
      const { id: taskId } = await board.add({ title: 'Pay the <invoice>' })
      const fencingToken = (await board.claim({ agentId, taskId }))?.fencingToken ?? 0
      const asked = { fencingToken, action: 'pay', summary: 'Pay 19.00 EUR', input }
      const { approval } = await board.requestApproval(taskId, asked)
      const { url } = await taskboard.links.create({ workspaceId, approvalId: approval.id, userId })
      return { approval, taskId, token: url.split('/').at(-1) ?? '' }
    }
    const first = await request({ cents: 1_900 })
    const page = (await send(first.token)).body
    for (const text of ['Pay 19.00 EUR', '&#34;cents&#34;: 1900', 'Pay the &#60;invoice&#62;', 'Clerk']) {
      expect(page).toContain(text)
    }
    expect((await send(first.token, { decision: 'maybe' })).body).toContain('Approve or reject it.')
    const rejected = await send(first.token, { decision: 'rejected', comment: 'too much' })
    expect(rejected.body).toContain('Rejected by ada@acme.example')
    expect(rejected.body).toContain('<pre>too much</pre>')
    expect((await send(first.token, { decision: 'approved' })).body).toContain('Rejected by')
    const second = await request({ cents: 2_000 })
    expect((await send(second.token, { decision: 'approved', comment: ' ' })).body).toContain('Approved by')
    const [approval] = (await board.approvals(second.taskId)).approvals
    expect([approval?.status, approval?.comment]).toEqual(['approved', null])
    const third = await request({ cents: 2_100 })
    await board.release(third.taskId)
    expect((await send(third.token, { decision: 'approved' })).body).toContain('No decision to make')
    await board.delete(third.taskId)
    expect(await send(third.token)).toMatchObject({ status: 404 })
  })

  it('says who decided, also when the host did, and that a person who left decides nothing', async () => {
    const person: Principal = {
      id: 'ada',
      kind: 'user',
      accountId: '',
      tier: 'professional',
      scopes: ['tasks:write', 'approvals:write'],
      workspaceIds: 'all',
      defaultWorkspaceId: '',
    }
    let ada: Principal | null = person
    const { taskboard, accountId, workspaceId, agentId, board, ask, send } = await linkBoard({
      authenticate: () => null,
      people: { principal: () => ada },
    })
    ada = { ...person, accountId, defaultWorkspaceId: workspaceId }
    const first = await ask('ada')
    expect((await send(first.token, {})).body).toContain('Your answer')
    await board.answer(first.taskId, { body: 'green' })
    expect((await send(first.token)).body).toContain('Answered by the host')
    const { id: taskId } = await board.add({ title: 'Pay' })
    const fencingToken = (await board.claim({ agentId, taskId }))?.fencingToken ?? 0
    const asked = { fencingToken, action: 'pay', summary: 'Pay', input: null }
    const { approval } = await board.requestApproval(taskId, asked)
    const { url } = await taskboard.links.create({ workspaceId, approvalId: approval.id, userId: 'ada' })
    await board.decide(approval.id, { decision: 'approved' })
    expect((await send(url.split('/').at(-1) ?? '')).body).toContain('Approved by the host')
    await expect(
      taskboard.links.create({ workspaceId, approvalId: approval.id, userId: 'ada' }),
    ).rejects.toMatchObject({ code: 'CONFLICT' })
    const second = await ask('ada', 'Which floor?')
    ada = null
    expect((await send(second.token, { answer: 'two' })).body).toContain('You can no longer decide this.')
    expect((await board.comments(second.taskId)).comments).toHaveLength(1)
  })

  it('takes a limited number of wrong tokens from an address', async () => {
    const { send } = await linkBoard({ tokens })
    const statuses = new Set<number>()
    let last = await send('wrong')
    for (let tries = 0; tries < 500 && last.status !== 429; tries += 1) {
      last = await send(`wrong${tries}`)
      statuses.add(last.status)
    }
    expect([...statuses]).toEqual([404, 429])
    expect(Number(last.headers['retry-after'])).toBeGreaterThan(0)
  })

  it('takes forms of itself alone, by what browsers say of them', async () => {
    const { taskboard, accountId, ask, send, board } = await linkBoard({ tokens })
    const { id } = await taskboard.accounts.createUser(accountId, owner)
    const { token, taskId } = await ask(id)
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'https://app.example', 'sec-fetch-site': 'cross-site' },
      { origin: 'https://app.example', 'sec-fetch-site': 'none' },
    ]) {
      expect(await send(token, { answer: 'green' }, headers)).toMatchObject({ status: 403 })
    }
    expect(await send('unknown', { answer: 'green' })).toMatchObject({ status: 404 })
    expect((await board.comments(taskId)).comments).toHaveLength(1)
    const own = { origin: 'null', 'sec-fetch-site': 'same-origin' }
    expect((await send(token, { answer: 'green' }, own)).body).toContain('Answered by')
  })

  it('says that it failed, and logs the template of its address alone', async () => {
    const lines: string[] = []
    const note = (fields: object, message: string) => void lines.push(`${message} ${JSON.stringify(fields)}`)
    const none = () => undefined
    const storage: Storage = memoryStorage()
    let fault = new Error('the disk is full')
    const { taskboard, accountId, ask, send } = await linkBoard({
      tokens,
      logger: { debug: none, info: none, warn: note, error: note, fatal: note },
      storage: { ...storage, links: { ...storage.links, findLink: () => Promise.reject(fault) } },
    })
    const { token } = await ask((await taskboard.accounts.createUser(accountId, owner)).id)
    expect(await send(token)).toMatchObject({ status: 500 })
    fault = new TaskboardError('SERVICE_UNAVAILABLE', 'the database is away')
    expect(await send(token)).toMatchObject({ status: 503 })
    fault = new TaskboardError('FORBIDDEN', 'not from here')
    expect(await send(token)).toMatchObject({ status: 403 })
    fault = new TaskboardError('PAYLOAD_TOO_LARGE', 'too long')
    expect(await send(token)).toMatchObject({ status: 413 })
    expect(lines.map((line) => line.split(' {')[0])).toEqual(['a link failed', 'a link could not be served'])
    expect(lines.join()).toContain('/v2/decide/:token')
    expect(lines.join()).not.toContain(token)
  })

  it('is none without a public address, and without people', async () => {
    expect((await linkBoard({ tokens, publicUrl: undefined })).route).toBeUndefined()
    expect((await linkBoard({ authenticate: () => null })).route).toBeUndefined()
    expect((await linkBoard({ tokens })).route).toBeDefined()
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
    const { accountId, workspaceId, ask, send, board } = await linkBoard({
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

  it('asks for the login of the host without an address of it', async () => {
    let [accountId, defaultWorkspaceId] = ['', '']
    const person = { id: 'ada', kind: 'user', tier: 'professional', scopes: ['tasks:write'] } as const
    const made = await linkBoard({
      authenticate: () => null,
      people: {
        principal: () => ({ ...person, accountId, workspaceIds: 'all', defaultWorkspaceId }),
      },
      links: { requireLogin: true },
    })
    ;[accountId, defaultWorkspaceId] = [made.accountId, made.workspaceId]
    const page = await made.send((await made.ask('ada')).token)
    expect(page.status).toBe(401)
    expect(page.body).toContain('then open it again.</p>')
  })

  it('is refused at the start with a login that nobody has', async () => {
    await expect(linkBoard({ links: { requireLogin: true } })).rejects.toMatchObject({
      code: 'INVALID_CONFIG',
      field: 'links.requireLogin',
    })
  })
})
