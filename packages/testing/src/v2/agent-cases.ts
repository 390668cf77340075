import assert from 'node:assert/strict'
import { agentFields } from '@taskboard/core/storage'
import { agentProfile } from '../storage/agents/agent-cases.js'
import type { V2Check } from './v2-case.js'
import { assertAnswer, assertError, SUITE_AGENT_TYPE, type V2Session } from './v2-session.js'

const INPUT = agentFields.toWire({ ...agentProfile, name: 'Researcher', type: 'custom' })
const {
  name: _name,
  type: _type,
  ...EMPTY
} = agentFields.toWire({
  ...agentFields.empty,
  name: '',
  type: '',
})

async function create(session: V2Session, input: object = {}): Promise<Record<string, unknown>> {
  return assertAnswer(await session.send('POST', '/v2/agents', { body: { ...INPUT, ...input } }), 201)
}

async function list(session: V2Session, query = ''): Promise<Record<string, unknown>[]> {
  return assertAnswer(await session.send('GET', `/v2/agents${query}`))['agents'] as Record<string, unknown>[]
}

/** Agents through API v2. */
export const agentCases: readonly V2Check[] = [
  {
    id: 'agents.lifecycle',
    name: 'an agent is created with its profile, listed, read, changed and deleted',
    async check(session) {
      const { send, workspaceId } = session
      const made = await create(session)
      const { id, created_at: createdAt, ...rest } = made
      assert.match(String(id), /^agent_[0-9a-z]{26}$/)
      assert.ok(Date.parse(String(createdAt)) > 0)
      assert.deepEqual(rest, {
        ...INPUT,
        workspace_id: workspaceId,
        status: 'available',
        current_workload: 0,
        success_rate: 1,
        is_remote: false,
        budget_spent_until: null,
        resting_until: null,
      })
      const path = `/v2/agents/${String(id)}`
      assert.deepEqual(assertAnswer(await send('GET', path)), made)
      assert.deepEqual(
        (await list(session)).map(({ type }) => type),
        [SUITE_AGENT_TYPE, 'custom'],
      )
      const body = { ...EMPTY, name: 'Writer' }
      const changed = assertAnswer(await send('PATCH', path, { body }))
      assert.deepEqual(changed, { ...made, ...body })
      assert.deepEqual(assertAnswer(await send('PATCH', path, { body: {} })), changed)
      assertAnswer(await send('DELETE', path), 204)
      for (const method of ['GET', 'DELETE']) {
        assertError(await send(method, path), 404, 'RESOURCE_NOT_FOUND')
      }
      assertError(await send('PATCH', path, { body }), 404, 'RESOURCE_NOT_FOUND')
    },
  },
  {
    id: 'agents.bare',
    name: 'a name and a type are enough',
    async check(session) {
      const body = { name: 'Bare', type: 'research', model: null }
      const made = assertAnswer(await session.send('POST', '/v2/agents', { body }), 201)
      assert.deepEqual(made, { ...made, ...EMPTY })
    },
  },
  {
    id: 'agents.any-type',
    name: 'the type of an agent and of a task is any text of 1 to 64 characters',
    async check(session) {
      const types = [
        'Deep Research',
        "Übersetzung: DE → EN, l'été",
        '../../etc',
        '__proto__',
        '🤖'.repeat(64),
      ]
      for (const type of types) {
        const agent = await create(session, { type })
        assert.equal(agent['type'], type)
        const task = assertAnswer(
          await session.send('POST', '/v2/tasks', { body: { title: 'A task', type } }),
          201,
        )
        const path = `/v2/tasks/${String(task['id'])}`
        assert.equal(assertAnswer(await session.send('GET', path))['type'], type)
        const changed = await session.send('PATCH', path, { body: { type: `${type.slice(0, 8)}!` } })
        assert.equal(assertAnswer(changed)['type'], `${type.slice(0, 8)}!`)
      }
      for (const type of ['', ' ', 'x'.repeat(65), '🤖'.repeat(65), 'a\0b', 7]) {
        const bodies = { '/v2/tasks': { title: 'A task', type }, '/v2/agents': { ...INPUT, type } }
        for (const [path, body] of Object.entries(bodies))
          assertError(await session.send('POST', path, { body }), 400, 'INVALID_REQUEST', 'type')
      }
    },
  },
  {
    id: 'agents.workspaces',
    name: 'agents of all workspaces within reach are listed, or of one, page by page',
    async check(session) {
      const second = await session.taskboard.accounts.createWorkspace(session.accountId, { name: 'Second' })
      const made = await create(session, { workspace_id: second.id })
      assert.equal(made['workspace_id'], second.id)
      assert.equal((await list(session)).length, 3)
      const own = await list(session, `?workspace_id=${second.id}`)
      assert.deepEqual(
        own.map(({ name }) => name),
        [SUITE_AGENT_TYPE, INPUT.name],
      )
      const bound = await session.makeKey(['agents:read'], second.id)
      const seen = assertAnswer(await session.send('GET', '/v2/agents', { as: bound.key }))
      assert.deepEqual(seen['agents'], own)
      const first = assertAnswer(await session.send('GET', '/v2/agents?limit=2'))
      const rest = await list(session, `?limit=2&cursor=${String(first['next_cursor'])}`)
      assert.deepEqual([...(first['agents'] as object[]), ...rest], await list(session))
      for (const workspaceId of [session.stranger.workspaceId, 'ws_00000000000000000000000000']) {
        const body = { ...INPUT, workspace_id: workspaceId }
        for (const refused of [
          await session.send('POST', '/v2/agents', { body }),
          await session.send('GET', `/v2/agents?workspace_id=${workspaceId}`),
        ]) {
          assertError(refused, 404, 'RESOURCE_NOT_FOUND', 'workspace_id')
        }
      }
    },
  },
  {
    id: 'agents.faults',
    name: 'an invalid profile is refused by its field, before what does not exist',
    async check(session) {
      const { id } = await create(session)
      const faults: readonly (readonly [object, string])[] = [
        [{ name: undefined }, 'name'],
        [{ name: ' ' }, 'name'],
        [{ type: undefined }, 'type'],
        [{ type: ' ' }, 'type'],
        [{ type: 'x'.repeat(65) }, 'type'],
        [{ model: 7 }, 'model'],
        [{ system_prompt: ['x'] }, 'system_prompt'],
        [{ system_prompt: 'x'.repeat(100_001) }, 'system_prompt'],
        [{ capabilities: 'search' }, 'capabilities'],
        [{ capabilities: [7] }, 'capabilities'],
        [{ tools: [''] }, 'tools'],
      ]
      for (const [fault, field] of faults) {
        const body = { ...INPUT, workspace_id: 'ws_00000000000000000000000000', ...fault }
        assertError(await session.send('POST', '/v2/agents', { body }), 400, 'INVALID_REQUEST', field)
        if (Object.values(fault)[0] === undefined) continue
        const changed = await session.send('PATCH', `/v2/agents/${String(id)}`, { body: fault })
        assertError(changed, 400, 'INVALID_REQUEST', field)
      }
      assertError(await session.send('GET', '/v2/agents?limit=0'), 400, 'INVALID_REQUEST', 'limit')
      assertError(await session.send('GET', '/v2/agents?cursor=x%20y'), 400, 'INVALID_REQUEST', 'cursor')
      assert.equal((await list(session)).length, 2)
    },
  },
  {
    id: 'agents.idempotency',
    name: 'the same Idempotency-Key creates one agent, and refuses another',
    async check(session) {
      const post = (body: object) =>
        session.send('POST', '/v2/agents', { body, headers: { 'idempotency-key': 'once' } })
      const first = assertAnswer(await post(INPUT), 201)
      assert.deepEqual(assertAnswer(await post(INPUT), 201), first)
      assertError(await post({ ...INPUT, tools: [] }), 409, 'CONFLICT')
      assert.equal((await list(session)).length, 2)
    },
  },
  {
    id: 'agents.measured',
    name: 'an agent that works is busy, its success is measured, and it is not deleted',
    async check(session) {
      const { taskboard, clock, send, workspaceId } = session
      const board = taskboard.board(workspaceId)
      const { id } = await create(session, { paused: false })
      const agentId = String(id)
      const path = `/v2/agents/${agentId}`
      const shown = async () => {
        const agent = assertAnswer(await send('GET', path))
        return [agent['status'], agent['current_workload'], agent['success_rate']]
      }
      for (const title of ['one', 'two']) await board.add({ title, assignedTo: agentId })
      assert.deepEqual(await shown(), ['available', 2, 1])
      const work = async (end: 'complete' | 'fail', body: object) => {
        const answer = await send('POST', '/v2/tasks/claim', { body: { agent_id: agentId } })
        const task = assertAnswer(answer)['task'] as { id: string; fencing_token: number }
        assert.equal((await shown())[0], 'busy')
        assertError(await send('DELETE', path), 409, 'CONFLICT')
        await clock.advance({ seconds: 30 })
        const proof = { fencing_token: task.fencing_token, ...body }
        assertAnswer(await send('POST', `/v2/tasks/${task.id}/${end}`, { body: proof }))
      }
      await work('complete', { result: 'done' })
      assert.deepEqual(await shown(), ['available', 1, 1])
      await work('fail', { reason: 'no luck', retry: false })
      assert.deepEqual(await shown(), ['available', 0, 0.5])
      assertError(await send('DELETE', path), 409, 'CONFLICT')
    },
  },
]
