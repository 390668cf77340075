import assert from 'node:assert/strict'
import { logIn, makeUser } from './login-session.js'
import type { V2Check } from './v2-case.js'
import { assertAnswer, assertError, type V2Session } from './v2-session.js'

const used = { model: 'small', input_tokens: 100, output_tokens: 20, cached_input_tokens: 50, cost_usd: 0.25 }
const amounts = { input_tokens: 100, output_tokens: 20, cached_input_tokens: 50, cost_usd: 0.25 }

async function newTask({ send }: V2Session, task: object = {}): Promise<string> {
  const made = assertAnswer(await send('POST', '/v2/tasks', { body: { title: 'Work', ...task } }), 201)
  return `/v2/tasks/${String(made['id'])}`
}

const today = ({ clock }: V2Session): string => new Date(clock.now()).toISOString().slice(0, 10)

/** Usage and budgets over API v2. */
export const usageCases: readonly V2Check[] = [
  {
    id: 'usage.report',
    name: 'a report from outside counts for the task and the day, once for an Idempotency-Key',
    async check(session) {
      const { send } = session
      const path = await newTask(session)
      const headers = { 'idempotency-key': 'first' }
      const first = assertAnswer(await send('POST', `${path}/usage`, { body: used, headers }), 201)
      assert.deepEqual(first, {
        ...first,
        ...used,
        agent_id: null,
        fencing_token: null,
        total: amounts,
        spent: null,
      })
      assert.deepEqual(assertAnswer(await send('POST', `${path}/usage`, { body: used, headers }), 201), first)
      assert.deepEqual(assertAnswer(await send('GET', path))['usage'], amounts)
      const other = await newTask(session)
      const listed = assertAnswer(await send('GET', '/v2/tasks?include=usage'))['tasks'] as { id: string }[]
      const none = { input_tokens: 0, output_tokens: 0, cached_input_tokens: 0, cost_usd: 0 }
      assert.deepEqual(
        Object.fromEntries(
          listed.map(({ id, ...task }) => [`/v2/tasks/${id}`, (task as { usage?: unknown }).usage]),
        ),
        { [path]: amounts, [other]: none },
      )
      const bare = assertAnswer(await send('GET', '/v2/tasks'))['tasks'] as object[]
      assert.ok(bare.every((task) => !('usage' in task)))
      assertError(await send('GET', '/v2/tasks?include=cost'), 400, 'INVALID_REQUEST', 'include')
      const period = `from=${today(session)}&to=${today(session)}`
      const sums = assertAnswer(await send('GET', `/v2/analytics/usage?${period}&group_by=model`))
      assert.deepEqual(sums, { usage: [{ key: 'small', reports: 1, ...amounts }], next_cursor: null })
    },
  },
  {
    id: 'usage.unclaimed',
    name: 'a report without a claim needs agents:write: the key of a worker counts nothing for others',
    async check(session) {
      const { send, makeKey } = session
      const path = await newTask(session)
      const report = (key: string, body: object = used) => send('POST', `${path}/usage`, { as: key, body })
      const { key: worker } = await makeKey(['tasks:read', 'tasks:write'])
      assertError(await report(worker), 403, 'AUTHORIZATION_FAILED')
      assertError(await report(worker, { ...used, fencing_token: null }), 403, 'AUTHORIZATION_FAILED')
      // Nor does a token that no claim gave.
      assertError(await report(worker, { ...used, fencing_token: 1 }), 409, 'CONFLICT', 'fencing_token')
      assert.equal((assertAnswer(await send('GET', path))['usage'] as typeof amounts).input_tokens, 0)
      const { key: accountant } = await makeKey(['tasks:write', 'agents:write'])
      assertAnswer(await report(accountant), 201)
    },
  },
  {
    id: 'usage.claimed',
    name: 'a report under a claim that spends the budget of the task puts it on hold as budget',
    async check(session) {
      const { send, taskboard, workspaceId } = session
      const agent = await taskboard.agents.create(workspaceId, { name: 'Outside', type: 'outside' })
      const path = await newTask(session, { budget: { tokens: 200 } })
      const claim = assertAnswer(await send('POST', '/v2/tasks/claim', { body: { agent_id: agent.id } }))
      const { fencing_token: token } = claim['task'] as { fencing_token: number }
      const report = (fencingToken: number) =>
        send('POST', `${path}/usage`, { body: { ...used, fencing_token: fencingToken } })
      assertError(await report(token + 1), 409, 'CONFLICT', 'fencing_token')
      assert.equal(assertAnswer(await report(token), 201)['spent'], null)
      const last = assertAnswer(await report(token), 201)
      assert.deepEqual([last['spent'], last['agent_id']], ['task', agent.id])
      const task = assertAnswer(await send('GET', path))
      assert.deepEqual([task['status'], task['budget']], ['blocked', { tokens: 200, cost_usd: null }])
      assert.equal((task['hold'] as { reason: string }).reason, 'budget')
    },
  },
  {
    id: 'usage.faults',
    name: 'a report and a budget with values that are not valid are refused by name',
    async check(session) {
      const { send } = session
      const path = await newTask(session)
      const post = (body: object) => send('POST', `${path}/usage`, { body: { ...used, ...body } })
      assertError(await post({ model: '' }), 400, 'INVALID_REQUEST', 'model')
      assertError(await post({ input_tokens: -1 }), 400, 'INVALID_REQUEST', 'input_tokens')
      assertError(await post({ output_tokens: 0.5 }), 400, 'INVALID_REQUEST', 'output_tokens')
      assertError(await post({ cached_input_tokens: 101 }), 400, 'INVALID_REQUEST', 'cached_input_tokens')
      assertError(await post({ cost_usd: -1 }), 400, 'INVALID_REQUEST', 'cost_usd')
      assertError(await post({ cost_usd: 100.01 }), 400, 'INVALID_REQUEST', 'cost_usd')
      assertError(await post({ input_tokens: 10_000_000 }), 400, 'INVALID_REQUEST', 'input_tokens')
      assertError(await post({ output_tokens: 10_000_000 }), 400, 'INVALID_REQUEST', 'output_tokens')
      for (const budget of [5, {}, { tokens: 0 }, { tokens: 1.5 }, { cost_usd: 0 }, { usd: 1 }])
        assertError(await send('PATCH', path, { body: { budget } }), 400, 'INVALID_REQUEST', 'budget')
      const period = 'from=2026-01-01&to=2025-01-01&group_by=day'
      assertError(await send('GET', `/v2/analytics/usage?${period}`), 400, 'INVALID_REQUEST', 'to')
    },
  },
  {
    id: 'usage.monthly',
    name: 'monthly budgets are set, listed with what was used, and removed',
    async check(session) {
      const { send, taskboard, workspaceId } = session
      const agent = await taskboard.agents.create(workspaceId, { name: 'Outside', type: 'outside' })
      const [ofAgent, ofWorkspace] = [`/v2/agents/${agent.id}/budget`, `/v2/workspaces/${workspaceId}/budget`]
      const set = assertAnswer(await send('PATCH', ofAgent, { body: { budget: { tokens: 500 } } }))
      assert.deepEqual(set, {
        workspace_id: workspaceId,
        agent_id: agent.id,
        budget: { tokens: 500, cost_usd: null },
        month: `${today(session).slice(0, 7)}-01T00:00:00.000Z`,
        used: { tokens: 0, cost_usd: 0 },
        is_spent: false,
      })
      assertAnswer(await send('PATCH', ofWorkspace, { body: { budget: { cost_usd: 1 } } }))
      const listed = assertAnswer(await send('GET', '/v2/budgets')) as {
        budgets: { agent_id: string | null }[]
      }
      assert.deepEqual(
        listed.budgets.map(({ agent_id: id }) => id),
        [null, agent.id],
      )
      assert.equal(assertAnswer(await send('PATCH', ofAgent, { body: { budget: null } }))['budget'], null)
      assertError(await send('PATCH', ofAgent, { body: {} }), 400, 'INVALID_REQUEST', 'budget')
    },
  },
  {
    id: 'budgets.raise',
    name: 'who writes tasks sets and lowers their budgets, and raises or removes one only with account:write, as for agents',
    async check(session) {
      const { send, makeKey, taskboard, workspaceId } = session
      const { key: writer } = await makeKey(['tasks:read', 'tasks:write', 'agents:write'])
      const { key: owner } = await makeKey(['tasks:write', 'account:write'])
      const body = { title: 'Work', budget: { tokens: 1_000 } }
      const { id } = assertAnswer(await send('POST', '/v2/tasks', { as: writer, body }), 201)
      const set = (as: string, budget: unknown) =>
        send('PATCH', `/v2/tasks/${String(id)}`, { as, body: { budget, title: 'Changed' } })
      const refused = [{ tokens: 1_001 }, { cost_usd: 1 }, null]
      for (const budget of refused)
        assertError(await set(writer, budget), 403, 'AUTHORIZATION_FAILED', 'budget')
      const lower = { tokens: 900, cost_usd: 1 }
      assert.deepEqual(assertAnswer(await set(writer, lower))['budget'], lower)
      assert.deepEqual(assertAnswer(await set(owner, { tokens: 5_000 }))['budget'], {
        tokens: 5_000,
        cost_usd: null,
      })
      assert.equal(assertAnswer(await set(owner, null))['budget'], null)
      const agent = await taskboard.agents.create(workspaceId, { name: 'Outside', type: 'outside' })
      const ofAgent = (as: string) =>
        send('PATCH', `/v2/agents/${agent.id}/budget`, { as, body: { budget: null } })
      assertError(await ofAgent(writer), 403, 'AUTHORIZATION_FAILED')
      assertAnswer(await ofAgent(owner))
    },
  },
  {
    id: 'usage.correct',
    name: 'a person with account:write corrects a month, once for an Idempotency-Key, with the reason on record',
    async check(session) {
      const { send, makeKey, stranger, workspaceId, taskboard } = session
      const agent = await taskboard.agents.create(workspaceId, { name: 'Outside', type: 'outside' })
      const path = await newTask(session)
      const claim = assertAnswer(await send('POST', '/v2/tasks/claim', { body: { agent_id: agent.id } }))
      const { fencing_token: token } = claim['task'] as { fencing_token: number }
      const wrong = { ...used, cost_usd: 99.5, fencing_token: token }
      assertAnswer(await send('POST', `${path}/usage`, { body: wrong }), 201)
      const user = await makeUser(session)
      const { access_token: as } = await logIn(session)
      const correct = (body: object, who = as, headers = {}) =>
        send('POST', '/v2/account/usage/corrections', { as: who, body, headers })
      const reason = 'A worker reported cents as dollars.'
      const body = { agent_id: agent.id, cost_usd: -99.25, reason }
      const once = { 'idempotency-key': 'first' }
      const done = assertAnswer(await correct(body, as, once), 201)
      assert.deepEqual(assertAnswer(await correct(body, as, once), 201), done)
      for (const holder of [done['workspace'], done['agent']]) {
        assert.deepEqual((holder as { used: unknown }).used, { tokens: 120, cost_usd: 0.25 })
      }
      const period = `from=${today(session)}&to=${today(session)}`
      const sums = assertAnswer(await send('GET', `/v2/analytics/usage?${period}&group_by=model`))['usage']
      assert.deepEqual(
        (sums as { key: string; reports: number; cost_usd: number }[]).map((sum) => [
          sum.key,
          sum.reports,
          sum.cost_usd,
        ]),
        [
          ['correction', 0, -99.25],
          ['small', 1, 99.5],
        ],
      )
      const audit = assertAnswer(await send('GET', '/v2/account/audit?action=usage.corrected', { as }))
      const records = audit['records'] as {
        by: { id: string }
        target: object
        details: { reason: string }
      }[]
      assert.deepEqual(
        records.map(({ by, target, details }) => [by.id, target, details.reason]),
        [[user.id, { kind: 'agent', id: agent.id }, reason]],
      )
      assertError(await correct({ ...body, cost_usd: -0.26 }), 400, 'INVALID_REQUEST', 'cost_usd')
      assertError(await correct({ ...body, month: '2026' }), 400, 'INVALID_REQUEST', 'month')
      assertError(await correct({ cost_usd: 1 }), 400, 'INVALID_REQUEST', 'reason')
      assertError(await correct({ ...body, input_tokens: 0.5 }), 400, 'INVALID_REQUEST', 'input_tokens')
      const elsewhere = { ...body, agent_id: null, workspace_id: stranger.workspaceId }
      assertError(await correct(elsewhere), 404, 'RESOURCE_NOT_FOUND')
      const { key } = await makeKey(['account:write'])
      assertError(await correct(body, key), 403, 'AUTHORIZATION_FAILED')
    },
  },
]
