import { memoryStorage } from '@taskboard/memory'
import { plainPasswordHasher, virtualClock } from '@taskboard/testing'
import { describe, expect, it } from 'vitest'
import type { Principal } from '../access/index.js'
import { createTaskboard } from '../wiring/taskboard.js'
import type { TaskboardOptions } from '../wiring/taskboard-options.js'
import type { DirectMessage } from './direct-message.js'
import type { LinkInput } from './link-input.js'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const password = 'correct horse battery'
const from = { clientAddress: '203.0.113.9', requestId: null }
const by = { kind: 'user', id: 'user_0' } as const

async function setUp(options: Partial<TaskboardOptions> = {}) {
  const clock = virtualClock(Date.UTC(2026, 0, 1))
  const sent: DirectMessage[] = []
  const messenger = {
    name: 'messenger',
    secrets: [],
    parseConfig: () => ({}),
    deliver: () => Promise.resolve(),
    async direct(message: DirectMessage) {
      if (message.person.email === null) return false
      sent.push(message)
      return true
    },
  }
  const taskboard = createTaskboard({
    storage: memoryStorage(),
    clock,
    logger: false,
    tokens: { secret: 'x'.repeat(32) },
    passwordHasher: plainPasswordHasher,
    publicUrl: 'https://app.example/kanban',
    notifications: [messenger],
    ...options,
  })
  const owner = { email: 'ada@acme.example', password, emailVerified: true }
  const { account, workspace, user } = await taskboard.accounts.create({
    name: 'Acme',
    tier: 'professional',
    owner,
  })
  const [workspaceId, userId] = [workspace.id, user?.id ?? '']
  const board = taskboard.board(workspaceId)
  const agent = await taskboard.agents.create(workspaceId, { name: 'Clerk', type: 'clerk' })

  async function claim() {
    const { id } = await board.add({ title: 'Answer the complaint' })
    const task = await board.claim({ agentId: agent.id, taskId: id })
    return { id, fencingToken: task?.fencingToken ?? 0 }
  }
  return {
    clock,
    sent,
    taskboard,
    accountId: account.id,
    workspaceId,
    userId,
    board,
    reach: { accountId: account.id, workspaceIds: 'all' } as const,
    links: taskboard.services.links,
    async approval(input: unknown = { order: 7, cents: 1_900 }) {
      const { id, fencingToken } = await claim()
      const { approval } = await board.requestApproval(id, {
        fencingToken,
        action: 'refund',
        summary: 'Refund 19.00 EUR',
        input,
      })
      return approval
    },
    async question(text = 'Which color?') {
      const { id, fencingToken } = await claim()
      const comment = await board.ask(id, { fencingToken, question: text })
      return { taskId: id, id: comment.id }
    },
  }
}

const tokenOf = (url: string): string => url.split('/').at(-1) ?? ''

describe('links', () => {
  it('decide an approval as their person, once', async () => {
    const { taskboard, workspaceId, userId, links, approval, accountId } = await setUp()
    const { id: approvalId, taskId, inputDigest } = await approval()
    const made = await taskboard.links.create({ workspaceId, approvalId, userId })
    expect(made.url).toMatch(/^https:\/\/app\.example\/kanban\/v2\/decide\/[\w-]{22}$/)
    const token = tokenOf(made.url)
    const open = await links.open(token, from)
    expect(open).toMatchObject({ state: 'open', userId, kind: 'approval', expiresAt: made.expiresAt })
    expect(open?.request).toMatchObject({
      taskId,
      taskTitle: 'Answer the complaint',
      person: 'ada@acme.example',
      approval: { input: { order: 7, cents: 1_900 }, inputDigest },
    })
    expect(await links.decide(token, { answer: 'yes' }, from)).toMatchObject({
      state: 'open',
      notice: 'Approve or reject it.',
    })
    const choices = ['approved', 'rejected', 'approved'] as const
    const views = await Promise.all(
      choices.map((decision) => links.decide(token, { decision, comment: decision }, from)),
    )
    const decided = { status: 'approved', comment: 'approved', decidedBy: { kind: 'user', id: userId } }
    for (const view of views) expect(view).toMatchObject({ state: 'decided', request: { approval: decided } })
    const { records } = await taskboard.audit.list(accountId, { actions: ['approval.decided'] })
    expect(records).toHaveLength(1)
    expect(records[0]?.by).toMatchObject({ kind: 'user', id: userId, clientAddress: from.clientAddress })
    const made1 = await taskboard.audit.list(accountId, { actions: ['link.created'] })
    expect(made1.records[0]).toMatchObject({
      target: { kind: 'link', id: made.id },
      details: { user_id: userId, task_id: taskId, approval_id: approvalId },
    })
  })

  it('answer the question that they are about, and no later one', async () => {
    const { taskboard, workspaceId, userId, links, question, board } = await setUp()
    const { taskId } = await question()
    const first = tokenOf((await taskboard.links.create({ workspaceId, taskId, userId })).url)
    const other = tokenOf((await taskboard.links.create({ workspaceId, taskId, userId })).url)
    expect(await links.decide(first, { answer: ' ' }, from)).toMatchObject({ state: 'open' })
    expect(await links.decide(first, { decision: 'approved', comment: null }, from)).toMatchObject({
      state: 'open',
      notice: 'Write an answer.',
    })
    expect(await links.decide(first, { answer: 'green' }, from)).toMatchObject({
      state: 'decided',
      request: { answer: { body: 'green', author: { kind: 'user', id: userId } } },
    })
    expect(await links.decide(other, { answer: 'red' }, from)).toMatchObject({
      state: 'decided',
      request: { answer: { body: 'green' } },
    })
    const [agent] = await taskboard.agents.list(workspaceId)
    const again = await board.claim({ agentId: agent?.id ?? '', taskId })
    await board.ask(taskId, { fencingToken: again?.fencingToken ?? 0, question: 'Which shade?' })
    expect(await links.decide(other, { answer: 'red' }, from)).toMatchObject({
      state: 'changed',
      request: null,
    })
    expect((await board.comments(taskId)).comments.map(({ body }) => body)).not.toContain('red')
  })

  it('expire with their time, and with the request', async () => {
    const { taskboard, clock, workspaceId, userId, links, approval } = await setUp({
      approvals: { expireAfterMs: 2 * DAY_MS },
    })
    const { id: approvalId } = await approval()
    const day = await taskboard.links.create({ workspaceId, approvalId, userId })
    const week = await taskboard.links.create({
      workspaceId,
      approvalId,
      userId,
      expiresInMs: 7 * DAY_MS,
    })
    await clock.advance(DAY_MS - 1)
    expect(await links.open(tokenOf(day.url), from)).toMatchObject({ state: 'open' })
    await clock.advance(1)
    const late = { decision: 'approved', comment: null } as const
    expect(await links.decide(tokenOf(day.url), late, from)).toMatchObject({
      state: 'expired',
      request: null,
    })
    expect(await links.open(tokenOf(week.url), from)).toMatchObject({ state: 'open' })
    await clock.advance(DAY_MS)
    expect(await links.decide(tokenOf(week.url), late, from)).toMatchObject({
      state: 'expired',
      request: null,
    })
    await expect(taskboard.links.create({ workspaceId, approvalId, userId })).rejects.toThrow(
      'the approval has expired',
    )
    expect((await taskboard.approvals.find(await reachOf(taskboard), approvalId)).decidedBy).toBeNull()
  })

  it('decide nothing for who may not decide any more, and show nothing then', async () => {
    const { taskboard, accountId, workspaceId, links, approval } = await setUp()
    const { id } = await taskboard.accounts.createUser(accountId, { email: 'bea@acme.example', password })
    const { id: approvalId } = await approval()
    const { url } = await taskboard.links.create({ workspaceId, approvalId, userId: id })
    await taskboard.accounts.setRole(accountId, id, 'viewer')
    const choice = { decision: 'approved', comment: null } as const
    expect(await links.decide(tokenOf(url), choice, from)).toMatchObject({
      state: 'refused',
      request: null,
      notice: 'this person lacks the scope approvals:write',
    })
    await expect(taskboard.links.create({ workspaceId, approvalId, userId: id })).rejects.toMatchObject({
      code: 'FORBIDDEN',
    })
    await taskboard.accounts.deleteUser(id)
    expect(await links.open(tokenOf(url), from)).toBeNull()
  })

  it('decide nothing that nothing waits for', async () => {
    const { taskboard, workspaceId, userId, links, approval, board } = await setUp()
    const { id: approvalId, taskId } = await approval()
    const token = tokenOf((await taskboard.links.create({ workspaceId, approvalId, userId })).url)
    const choice = { decision: 'approved', comment: null } as const
    await board.release(taskId)
    expect(await links.decide(token, choice, from)).toMatchObject({ state: 'withdrawn', request: null })
    await board.delete(taskId)
    expect(await links.decide(token, choice, from)).toBeNull()
  })

  it('need an address, people, and a request that waits', async () => {
    const { taskboard, workspaceId, userId, approval, board } = await setUp()
    const { id: approvalId } = await approval()
    const create = (given: Partial<LinkInput>) => taskboard.links.create({ workspaceId, userId, ...given })
    await expect(create({})).rejects.toMatchObject({ code: 'MISSING_FIELD', field: 'approvalId' })
    await expect(create({ approvalId, taskId: 'task_1' })).rejects.toMatchObject({ field: 'approvalId' })
    await expect(create({ approvalId, expiresInMs: 7 * DAY_MS + 1 })).rejects.toMatchObject({
      field: 'expiresInMs',
    })
    await expect(create({ approvalId, userId: 'user_0' })).rejects.toMatchObject({ code: 'FORBIDDEN' })
    await expect(create({ approvalId: 'apr_0' })).rejects.toMatchObject({ code: 'NOT_FOUND' })
    const { id: taskId } = await board.add({ title: 'Nothing is asked' })
    await expect(create({ taskId })).rejects.toMatchObject({ code: 'CONFLICT' })
    await expect(create({ taskId: 'task_0' })).rejects.toMatchObject({ code: 'TASK_NOT_FOUND' })
    await board.decide(approvalId, { decision: 'approved' }, { actor: { kind: 'user', id: userId } })
    await expect(create({ approvalId })).rejects.toMatchObject({ code: 'CONFLICT' })
  })

  it.each<readonly [string, Partial<TaskboardOptions>]>([
    ['publicUrl', { publicUrl: undefined }],
    ['people', { tokens: undefined, authenticate: () => null }],
    ['people', { tokens: undefined }],
  ])('are a fault of the host without %s', async (field, options) => {
    const { taskboard, workspaceId, approval } = await setUp(options)
    const { id: approvalId } = await approval()
    await expect(taskboard.links.create({ workspaceId, approvalId, userId: 'user_0' })).rejects.toMatchObject(
      { code: 'INVALID_CONFIG', field },
    )
    expect(taskboard.services.links.areServed).toBe(false)
  })

  it.each([
    ['links.requireLogin', { requireLogin: 'yes' }],
    ['links.loginUrl', { loginUrl: '/login' }],
    ['links.name', { name: ' ' }],
    ['links.color', { color: 'red' }],
    ['links.colour', { colour: '#ff0000' }],
  ])('refuse a wrong %s', async (field, links) => {
    await expect(setUp({ links } as Partial<TaskboardOptions>)).rejects.toMatchObject({
      code: 'INVALID_CONFIG',
      field,
    })
  })

  it('make addresses that are wrong wait, and slow down no right one of others', async () => {
    const { taskboard, clock, workspaceId, userId, links, approval } = await setUp({
      limits: { failedCredentialsPerMinute: 3 },
    })
    const { id: approvalId } = await approval()
    const token = tokenOf((await taskboard.links.create({ workspaceId, approvalId, userId })).url)
    for (let i = 0; i < 3; i++) expect(await links.open(`${i}`.padEnd(22, 'x'), from)).toBeNull()
    await expect(links.open('x'.repeat(22), from)).rejects.toMatchObject({ code: 'RATE_LIMITED' })
    expect(await links.open(token, { ...from, clientAddress: '203.0.113.10' })).toMatchObject({
      state: 'open',
    })
    await clock.advance(60_000)
    expect(await links.open(token, from)).toMatchObject({ state: 'open' })
  })
})

const reachOf = async (taskboard: Awaited<ReturnType<typeof setUp>>['taskboard']) => {
  const [account] = await taskboard.accounts.list()
  return { accountId: account?.id ?? '', workspaceIds: 'all' } as const
}

describe('links that are sent', () => {
  it('go to the person alone, and nothing returns their address', async () => {
    const { reach, userId, links, approval, sent, question } = await setUp()
    const { id: approvalId } = await approval()
    const about = { approvalId }
    const answer = await links.send(reach, { about, userId }, by)
    expect(sent).toMatchObject([{ person: { id: userId, email: 'ada@acme.example' } }])
    expect(sent[0]?.text).toContain('refund {"order":7,"cents":1900}')
    expect(answer).toEqual({ expiresAt: sent[0]?.expiresAt })
    expect(await links.open(tokenOf(sent[0]?.url ?? ''), from)).toMatchObject({ state: 'open', userId })
    const { taskId } = await question()
    await links.send(reach, { about: { taskId }, userId }, by)
    expect(sent[1]?.text).toContain('Which color?')
  })

  it('are refused for strangers, and for who cannot decide or cannot be reached', async () => {
    const { taskboard, reach, accountId, links, approval } = await setUp()
    const { id: approvalId } = await approval()
    const owner = { email: 'eve@other.example', password }
    const { user: stranger } = await taskboard.accounts.create({ name: 'Other', tier: 'professional', owner })
    const viewer = { email: 'vic@acme.example', password, scopes: ['tasks:read' as const] }
    const { id: viewerId } = await taskboard.accounts.createUser(accountId, viewer)
    const { id: unverified } = await taskboard.accounts.createUser(accountId, {
      email: 'u@acme.example',
      password,
    })
    const send = (userId: string) => links.send(reach, { about: { approvalId }, userId }, by)
    for (const unknown of [stranger?.id ?? '', 'user_0', 'ada@acme.example'])
      await expect(send(unknown)).rejects.toMatchObject({ code: 'NOT_FOUND', field: 'userId' })
    await expect(send(viewerId)).rejects.toMatchObject({ code: 'INVALID_FIELD', field: 'userId' })
    await expect(send(unverified)).rejects.toMatchObject({ code: 'CONFLICT', field: 'userId' })
  })

  it('reach a person ten times an hour', async () => {
    const { clock, reach, userId, links, approval, sent } = await setUp()
    const { id: approvalId } = await approval()
    const send = () => links.send(reach, { about: { approvalId }, userId }, by)
    for (let i = 0; i < 10; i++) await send()
    await expect(send()).rejects.toMatchObject({ code: 'RATE_LIMITED' })
    await clock.advance(HOUR_MS)
    await send()
    expect(sent).toHaveLength(11)
  })

  it('say that nothing could be sent, and need a way', async () => {
    const failing = {
      name: 'failing',
      secrets: [],
      parseConfig: () => ({}),
      deliver: () => Promise.resolve(),
      direct: () => Promise.reject(new Error('down')),
    }
    for (const [notifications, code] of [
      [[failing], 'SERVICE_UNAVAILABLE'],
      [[], 'INVALID_CONFIG'],
    ] as const) {
      const { reach, userId, links, approval } = await setUp({ notifications })
      const { id: approvalId } = await approval()
      const sending = links.send(reach, { about: { approvalId }, userId }, by)
      await expect(sending).rejects.toMatchObject({ code })
    }
  })

  it('find the people of a host', async () => {
    let ada: Principal | null = null
    const { taskboard, reach, workspaceId, links, approval, sent } = await setUp({
      tokens: undefined,
      authenticate: () => null,
      people: {
        principal: (id) => (id === 'ada' ? ada : null),
        find: (_, text) => (text === 'ada' ? { id: 'ada', email: 'ada@host.example' } : null),
      },
    })
    ada = {
      id: 'ada',
      kind: 'user',
      name: 'Ada',
      accountId: reach.accountId,
      tier: 'professional',
      scopes: ['approvals:write'],
      workspaceIds: 'all',
      defaultWorkspaceId: workspaceId,
    }
    const { id: approvalId } = await approval()
    await links.send(reach, { about: { approvalId }, userId: 'ada' }, by)
    const token = tokenOf(sent[0]?.url ?? '')
    const choice = { decision: 'rejected', comment: 'no' } as const
    expect(await links.decide(token, choice, from)).toMatchObject({
      state: 'decided',
      request: { person: 'Ada', approval: { status: 'rejected', decidedBy: { id: 'ada', name: 'Ada' } } },
    })
    ada = null
    expect(await links.open(token, from)).toMatchObject({ state: 'refused', request: null })
    await expect(taskboard.links.create({ workspaceId, approvalId, userId: 'ada' })).rejects.toMatchObject({
      code: 'CONFLICT',
    })
  })
})
