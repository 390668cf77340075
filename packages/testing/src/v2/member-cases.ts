import assert from 'node:assert/strict'
import { defaultScoring, scopes, type Scope } from '@taskboard/core'
import type { V2Check } from './v2-case.js'
import { assertAnswer, assertError, chatCommands, type V2Session } from './v2-session.js'
import { PASSWORD } from './login-options.js'
import { logIn, makeUser, tryLogin, tryRefresh } from './login-session.js'

const MEMBERS = '/v2/account/members'

type Json = Record<string, unknown>

interface WireMember {
  readonly id: string
  readonly email: string
  readonly scopes: readonly Scope[]
  readonly is_caller: boolean
}

async function membersOf({ send }: V2Session, as?: string): Promise<readonly WireMember[]> {
  return assertAnswer(await send('GET', MEMBERS, { as }))['members'] as WireMember[]
}

async function userWith(session: V2Session, email: string, only?: readonly Scope[]) {
  const user = await makeUser(session, email, only)
  return { user, as: (await logIn(session, { email })).access_token }
}

/** The users of an account, and their passwords. */
export const memberCases: readonly V2Check[] = [
  {
    id: 'members.life',
    name: 'a user of the account makes another one, who logs in, and deletes it, which ends its sessions',
    options: { members: { direct: true } },
    async check(session) {
      const { send, stranger } = session
      const { user, as } = await userWith(session, 'ada@example.com')
      const body = { email: ' Grace@Example.com', password: PASSWORD }
      const made = assertAnswer(await send('POST', MEMBERS, { as, body }), 201) as unknown as WireMember
      assert.deepEqual([made.email, made.is_caller], ['grace@example.com', false])
      assert.deepEqual(made.scopes.toSorted(), scopes.toSorted())
      const listed = await membersOf(session, as)
      const shown = listed.filter(({ id }) => [user.id, made.id].includes(id))
      assert.deepEqual(
        shown.map(({ email, is_caller: isCaller }) => [email, isCaller]),
        [
          ['ada@example.com', true],
          ['grace@example.com', false],
        ],
      )
      assert.ok((await membersOf(session, stranger.token)).every(({ id }) => id !== made.id))

      const tokens = await logIn(session, { email: 'grace@example.com' })
      assertError(await send('POST', MEMBERS, { as, body }), 409, 'CONFLICT', 'email')
      assertError(
        await send('DELETE', `${MEMBERS}/${made.id}`, { as: stranger.token }),
        404,
        'RESOURCE_NOT_FOUND',
      )
      assert.equal((await send('GET', '/v2/account', { as: tokens.access_token })).status, 200)
      assert.equal((await send('DELETE', `${MEMBERS}/${made.id}`, { as })).status, 204)
      assertError(await send('DELETE', `${MEMBERS}/${made.id}`, { as }), 404, 'RESOURCE_NOT_FOUND')
      assertError(await send('GET', '/v2/account', { as: tokens.access_token }), 401, 'AUTHENTICATION_FAILED')
      assertError(await tryRefresh(session, tokens.refresh_token), 401, 'AUTHENTICATION_FAILED')
    },
  },
  {
    id: 'members.self',
    name: 'users do not delete themselves, so that an account keeps one',
    async check(session) {
      const { user, as } = await userWith(session, 'ada@example.com')
      assertError(await session.send('DELETE', `${MEMBERS}/${user.id}`, { as }), 409, 'CONFLICT')
      assert.ok((await membersOf(session, as)).some(({ id }) => id === user.id))
    },
  },
  {
    id: 'members.last-owner',
    name: 'of two owners who delete each other one is left',
    async check(session) {
      const { send, taskboard } = session
      const { account } = await taskboard.accounts.create({ name: 'Two', tier: 'custom' })
      const make = async (email: string) => {
        const user = await taskboard.accounts.createUser(account.id, { email, password: PASSWORD })
        return { id: user.id, as: (await logIn(session, { email })).access_token }
      }
      const [one, two] = [await make('one@two.example'), await make('two@two.example')]
      const remove = ({ as }: typeof one, { id }: typeof one) => send('DELETE', `${MEMBERS}/${id}`, { as })
      const answers = await Promise.all([remove(one, two), remove(two, one)])
      assert.equal(answers.filter(({ status }) => status === 204).length, 1)
      assert.equal((await taskboard.accounts.listUsers(account.id)).length, 1)
    },
  },
  {
    id: 'members.scopes',
    name: 'a user gives no scope that it lacks, and deletes nobody who has one',
    options: { members: { direct: true } },
    async check(session) {
      const { send } = session
      const owner = await makeUser(session, 'owner@example.com')
      const { as } = await userWith(session, 'ada@example.com', [
        'account:read',
        'account:write',
        'tasks:read',
      ])
      const make = (email: string, wanted?: readonly Scope[]) =>
        send('POST', MEMBERS, { as, body: { email, password: PASSWORD, scopes: wanted } })
      const least = assertAnswer(await make('one@example.com', ['tasks:read']), 201)
      assert.deepEqual(least['scopes'], ['tasks:read'])
      const same = assertAnswer(await make('two@example.com'), 201)
      assert.deepEqual((same['scopes'] as string[]).toSorted(), [
        'account:read',
        'account:write',
        'tasks:read',
      ])
      assertError(await make('three@example.com', ['tasks:write']), 403, 'AUTHORIZATION_FAILED')
      assertError(await send('DELETE', `${MEMBERS}/${owner.id}`, { as }), 403, 'AUTHORIZATION_FAILED')
      assert.equal((await send('DELETE', `${MEMBERS}/${String(same['id'])}`, { as })).status, 204)
    },
  },
  {
    id: 'members.keys',
    name: 'a key of a workspace sees no members, and no key makes or deletes one',
    async check(session) {
      const { send, workspaceId, makeKey } = session
      const bound = await makeKey(['account:read', 'account:write'], workspaceId)
      assertError(await send('GET', MEMBERS, { as: bound.key }), 403, 'AUTHORIZATION_FAILED')
      const body = { email: 'grace@example.com', password: PASSWORD }
      assertError(await send('POST', MEMBERS, { body }), 403, 'AUTHORIZATION_FAILED')
      const [member] = await membersOf(session)
      assertError(await send('DELETE', `${MEMBERS}/${member?.id}`), 403, 'AUTHORIZATION_FAILED')
    },
  },
  {
    id: 'members.password',
    name: 'a user changes its password with the old one, which ends all its sessions; ten wrong ones lock that',
    async check(session) {
      const { send, clock } = session
      const { as } = await userWith(session, 'ada@example.com', ['tasks:read'])
      const next = 'another horse battery'
      const change = (current: string, password = next, token = as) =>
        send('POST', '/v2/account/password', { as: token, body: { current_password: current, password } })
      assertError(await change('wrong'), 400, 'INVALID_REQUEST', 'current_password')
      assertError(await change('x'.repeat(100_000)), 400, 'INVALID_REQUEST', 'current_password')
      assertError(await change(PASSWORD, 'too short'), 400, 'INVALID_REQUEST', 'password')
      assert.equal((await change(PASSWORD)).status, 204)
      assertError(await change(next), 401, 'AUTHENTICATION_FAILED')
      assertError(await tryLogin(session), 401, 'AUTHENTICATION_FAILED')
      const { access_token: token } = await logIn(session, { password: next })
      for (let guess = 0; guess < 10; guess++) {
        assertError(
          await change(`guess ${guess}`, PASSWORD, token),
          400,
          'INVALID_REQUEST',
          'current_password',
        )
      }
      assertError(await change(next, PASSWORD, token), 429, 'RATE_LIMIT_EXCEEDED')
      await clock.advance({ minutes: 15 })
      const { access_token: later } = await logIn(session, { password: next })
      assert.equal((await change(next, PASSWORD, later)).status, 204)
    },
  },
  {
    id: 'chat.reply',
    name: 'a chat message gets the reply of the workspace’s agent, and 503 where none can chat',
    async check(session) {
      const { send, taskboard, accountId, makeKey, stranger } = session
      const empty = await taskboard.accounts.createWorkspace(accountId, { name: 'Empty' })
      for (const { id } of await taskboard.agents.list(empty.id)) await taskboard.agents.delete(empty.id, id)
      const chat = (body: object, as?: string) => send('POST', '/v2/chat', { as, body })
      const replied = assertAnswer(await chat({ message: 'hello', user: 'Ada' }))
      assert.equal(replied['reply'], 'Ada said: hello')
      assert.match(String(replied['timestamp']), /Z$/)
      assertError(await chat({ message: 'hello', workspace_id: empty.id }), 503, 'SERVICE_UNAVAILABLE')
      const foreign = { message: 'hello', workspace_id: stranger.workspaceId }
      assertError(await chat(foreign), 404, 'RESOURCE_NOT_FOUND')
      assertError(await chat({ message: ' ' }), 400, 'INVALID_REQUEST', 'message')
      const { key } = await makeKey(['tasks:read'])
      assertError(await chat({ message: 'hello' }, key), 403, 'AUTHORIZATION_FAILED')
    },
  },
  {
    id: 'chat.caller',
    name: 'a chat does what its caller may, within its quota, and 402 says that a budget of the month is spent',
    options: { tiers: { enterprise: { quota: { tasksPerMonth: 1 } } } },
    async check(session) {
      const { send, taskboard, workspaceId, makeKey } = session
      await taskboard.board(workspaceId).add({ title: 'CONFIDENTIAL' })
      const chat = async (message: string, ...granted: Scope[]) =>
        send('POST', '/v2/chat', { as: (await makeKey(['chat:write', ...granted])).key, body: { message } })
      const { list, add, use } = chatCommands
      assertError(await chat(list), 403, 'AUTHORIZATION_FAILED')
      assertError(await chat(add, 'tasks:read'), 403, 'AUTHORIZATION_FAILED')
      assert.equal(assertAnswer(await chat(list, 'tasks:read'))['reply'], '1')
      assertAnswer(await chat(add, 'tasks:write'))
      assertError(await chat(add, 'tasks:write'), 402, 'QUOTA_EXCEEDED', 'tasks_per_month')
      assert.equal(assertAnswer(await chat(list, 'tasks:read'))['reply'], '2')
      await taskboard.usage.setBudget({ workspaceId }, { tokens: 220 })
      assert.equal(assertAnswer(await chat(use))['reply'], 'null')
      assert.equal(assertAnswer(await chat(use))['reply'], 'workspace')
      assertError(await chat(use), 402, 'QUOTA_EXCEEDED', 'budget')
      const { budgets } = await taskboard.usage.budgets(workspaceId)
      assert.equal(budgets[0]?.tokens, 220)
    },
  },
  {
    id: 'tasks.score',
    name: 'a task says why it is where it is: its factors, whose weighted sum is its score',
    async check({ send, taskboard, workspaceId, clock }) {
      const board = taskboard.board(workspaceId)
      const first = await board.add({ title: 'first' })
      const { id } = await board.add({
        title: 'later',
        priority: 'high',
        dueDate: clock.now() + 7 * 86_400_000,
        dependsOn: [first.id],
      })
      await clock.advance({ days: 3 })
      const body = assertAnswer(await send('GET', `/v2/tasks/${id}/score`)) as {
        readonly score: number
        readonly as_of: string
        readonly factors: Readonly<Record<string, { readonly weight: number; readonly value: number }>>
      }
      assert.deepEqual(Object.keys(body.factors), Object.keys(defaultScoring.weights))
      const parts = Object.values(body.factors)
      const sum = parts.reduce((total, { weight, value }) => total + weight * value, 0)
      assert.equal(Math.round(sum * 10_000) / 10_000, body.score)
      assert.equal(Date.parse(body.as_of), clock.now())
      const { flag, due, age, free } = body.factors
      assert.deepEqual([flag?.value, flag?.weight], [2 / 3, 0.4])
      assert.deepEqual([age?.value, age?.weight], [0.1, 0.15])
      assert.deepEqual([free?.value, free?.weight], [0, 0.15])
      assert.ok(due !== undefined && due.weight === 0.3 && Math.abs(due.value - 0.8) < 1e-9)
      await board.move(first.id, 'DONE')
      const freed = assertAnswer(await send('GET', `/v2/tasks/${id}/score`)) as typeof body
      assert.equal(freed.factors['free']?.value, 1)
      assert.ok(Math.abs(freed.score - body.score - 0.15) < 1e-9)
    },
  },
  {
    id: 'tasks.waits',
    name: 'a task says what it waits for: itself, others, and each of the agents that may take it',
    async check(session) {
      const { send, taskboard, accountId, clock, storage } = session
      await storage.agents.reportPresence({ agentTypes: ['*'], liveMs: 0 }, { now: clock.now() })
      const workspace = await taskboard.accounts.createWorkspace(accountId, { name: 'Waits' })
      for (const { id } of await taskboard.agents.list(workspace.id))
        await taskboard.agents.delete(workspace.id, id)
      const board = taskboard.board(workspace.id)
      const waits = async (id: string) =>
        assertAnswer(await send('GET', `/v2/tasks/${id}/score`))['waits_for'] as readonly Json[]
      const reasons = async (id: string) => (await waits(id)).map(({ reason }) => reason)
      const plain = await board.add({ title: 'plain', type: 'procurement' })
      const nobody = { reason: 'no_agent', until: null, count: null, agents: [] }
      assert.deepEqual(await waits(plain.id), [nobody])

      const named = async (name: string, type: string) => {
        const { id } = await taskboard.agents.create(workspace.id, { name, type })
        return { id, name }
      }
      const [quill, sage] = [await named('Quill', 'writing'), await named('Sage', 'procurement')]
      const of = (reason: string, agents: readonly object[], until: string | null = null) => ({
        reason,
        until,
        count: agents.length,
        agents,
      })
      assert.deepEqual(await waits(plain.id), [of('offline', [sage])])
      await board.claim({ agentId: quill.id })
      const assigned = await board.add({ title: 'assigned', assignedTo: quill.id })
      assert.deepEqual(await waits(assigned.id), [])
      await taskboard.agents.update(workspace.id, quill.id, { paused: true })
      assert.deepEqual(await waits(assigned.id), [of('paused', [quill])])
      // No agent has the type, so that each may take it.
      const any = await board.add({ title: 'any', type: 'legal' })
      assert.deepEqual(await waits(any.id), [of('paused', [quill]), of('offline', [sage])])
      await taskboard.agents.update(workspace.id, quill.id, { paused: false })
      assert.deepEqual(await waits(any.id), [])

      const now = clock.now()
      const month = new Date(now)
      const next = new Date(Date.UTC(month.getUTCFullYear(), month.getUTCMonth() + 1)).toISOString()
      await taskboard.usage.setBudget({ workspaceId: workspace.id, agentId: quill.id }, { tokens: 1 })
      const report = { model: 'm', inputTokens: 2, outputTokens: 0 }
      const worked = await board.claim({ agentId: quill.id })
      const fencingToken = worked?.lease?.fencingToken ?? -1
      await board.usage(worked?.id ?? '', { fencingToken, ...report })
      await board.release(worked?.id ?? '')
      assert.deepEqual(await waits(assigned.id), [of('budget', [quill], next)])
      const shown = async () =>
        assertAnswer(await send('GET', `/v2/agents/${quill.id}`))['budget_spent_until']
      assert.equal(await shown(), next)
      await taskboard.usage.setBudget({ workspaceId: workspace.id }, { tokens: 1 })
      assert.deepEqual(await waits(assigned.id), [{ ...of('budget', [], next), count: null }])
      await taskboard.usage.setBudget({ workspaceId: workspace.id }, null)
      await taskboard.usage.setBudget({ workspaceId: workspace.id, agentId: quill.id }, null)
      assert.equal(await shown(), null)
      const rest = { workspaceId: workspace.id, agentId: quill.id, restMs: 30_000 }
      await storage.agents.reportPresence(rest, { now })
      const rested = new Date(now + 30_000).toISOString()
      assert.deepEqual(await waits(assigned.id), [of('resting', [quill], rested)])
      const quiet = assertAnswer(await send('GET', `/v2/agents/${quill.id}`))
      assert.deepEqual([quiet['status'], quiet['resting_until']], ['available', rested])
      await taskboard.agents.update(workspace.id, quill.id, {})
      assert.deepEqual(await waits(assigned.id), [])

      const later = await board.add({
        title: 'later',
        assignedTo: quill.id,
        notBefore: now + 60_000,
        dependsOn: [plain.id, any.id],
      })
      const [start, others] = await waits(later.id)
      assert.deepEqual(start, {
        ...nobody,
        reason: 'not_before',
        until: new Date(now + 60_000).toISOString(),
      })
      assert.deepEqual(others, { ...nobody, reason: 'dependencies', count: 2 })
      await board.cancel(later.id)
      assert.deepEqual(await reasons(later.id), ['hold', 'not_before', 'dependencies'])
      await board.move(later.id, 'DONE')
      assert.deepEqual(await reasons(later.id), [])
    },
  },
]
