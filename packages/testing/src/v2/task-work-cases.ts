import assert from 'node:assert/strict'
import type { V2Check } from './v2-case.js'
import { assertAnswer, assertError, type V2Session } from './v2-session.js'

type Json = Record<string, unknown>

/** An agent outside the host, with a claimed task. */
async function claimed(session: V2Session, leaseS?: number) {
  const { taskboard, workspaceId, send } = session
  const agent = await taskboard.agents.create(workspaceId, { name: 'Outside', type: 'outside' })
  const made = assertAnswer(await send('POST', '/v2/tasks', { body: { title: 'Work' } }), 201)
  const task = await claim(session, agent.id, leaseS)
  assert.equal(task?.['id'], made['id'])
  const path = `/v2/tasks/${String(made['id'])}`
  return {
    agent,
    task: task as Json,
    path,
    token: Number(task?.['fencing_token']),
    post: (verb: string, body: object) =>
      send('POST', `${path}/${verb}`, { body: { fencing_token: task?.['fencing_token'], ...body } }),
  }
}

async function claim({ send }: V2Session, agentId: string, leaseS?: number): Promise<Json | null> {
  const body = { agent_id: agentId, ...(leaseS !== undefined && { lease_s: leaseS }) }
  return assertAnswer(await send('POST', '/v2/tasks/claim', { body }))['task'] as Json | null
}

const inSeconds = ({ clock }: V2Session, seconds: number): string =>
  new Date(clock.now() + seconds * 1_000).toISOString()

/** The pull API: agents outside the host claim tasks and report on them. */
export const taskWorkCases: readonly V2Check[] = [
  {
    id: 'work.claim',
    name: 'a claim returns the best task with its token and the end of its lease, and null when there is none',
    async check(session) {
      const { agent, task } = await claimed(session, 90)
      assert.deepEqual(
        [task['status'], task['fencing_token'], task['lease_expires_at'], task['attempts']],
        ['in_progress', 1, inSeconds(session, 90), 1],
      )
      assert.deepEqual(task['agent'], { id: agent.id, name: 'Outside', status: 'busy' })
      assert.equal(await claim(session, agent.id), null)
    },
  },
  {
    id: 'work.claim-faults',
    name: 'a claim needs an agent within reach and a lease of whole seconds',
    async check(session) {
      const { send, taskboard, stranger } = session
      const post = (body: object) => send('POST', '/v2/tasks/claim', { body })
      assertError(await post({}), 400, 'INVALID_REQUEST', 'agent_id')
      const foreign = await taskboard.agents.create(stranger.workspaceId, { name: 'Theirs', type: 'outside' })
      await taskboard.board(stranger.workspaceId).add({ title: 'theirs' })
      for (const id of [foreign.id, 'agent_00000000000000000000000000']) {
        assertError(await post({ agent_id: id }), 404, 'RESOURCE_NOT_FOUND')
        for (const lease of [0, 1.5, 86_401, '60', null]) {
          assertError(await post({ agent_id: id, lease_s: lease }), 400, 'INVALID_REQUEST', 'lease_s')
        }
      }
    },
  },
  {
    id: 'work.report',
    name: 'heartbeat, progress, log lines and outputs renew the lease and show with the task',
    async check(session) {
      const { send, clock } = session
      const { path, post } = await claimed(session)
      await clock.advance({ seconds: 30 })
      const beat = assertAnswer(await post('heartbeat', {}))
      assert.equal(beat['lease_expires_at'], inSeconds(session, 60))
      const progress = assertAnswer(await post('progress', { progress: 40.4, lease_s: 120 }))
      assert.deepEqual([progress['progress'], progress['lease_expires_at']], [40, inSeconds(session, 120)])
      assertAnswer(await post('logs', { message: 'first' }), 201)
      await clock.advance({ seconds: 1 })
      assertAnswer(await post('logs', { message: 'zweite “Zeile”', level: 'warn' }), 201)
      const output = { type: 'file', name: 'report.pdf', url: 'https://files.example/r.pdf', size: 2_048 }
      assert.deepEqual(assertAnswer(await post('outputs', output), 201), output)
      const { size: _, ...unsized } = output
      assert.deepEqual(assertAnswer(await post('outputs', unsized), 201), { ...output, size: null })
      const detail = assertAnswer(await send('GET', path))
      assert.deepEqual([detail['status'], detail['progress']], ['in_progress', 40])
      assert.deepEqual(detail['logs'], [
        { timestamp: inSeconds(session, -1), message: 'first', level: 'info' },
        { timestamp: inSeconds(session, 0), message: 'zweite “Zeile”', level: 'warn' },
      ])
      assert.deepEqual(detail['outputs'], [output, { ...output, size: null }])
    },
  },
  {
    id: 'work.log-pages',
    name: 'of a log whose newest 100 lines the task shows, all that are kept are read in pages, oldest first',
    async check(session) {
      const { send, stranger } = session
      const { path, post } = await claimed(session)
      const page = async (query = '') => assertAnswer(await send('GET', `${path}/logs${query}`))
      assert.deepEqual(await page(), { logs: [], next_cursor: null })
      for (let line = 1; line <= 103; line++) assertAnswer(await post('logs', { message: `${line}` }), 201)
      const detail = assertAnswer(await send('GET', path))
      const { logs, next_cursor: cursor } = (await page()) as { logs: Json[]; next_cursor: string }
      assert.deepEqual(logs[0], { timestamp: inSeconds(session, 0), message: '1', level: 'info' })
      const rest = await page(`?limit=2&cursor=${cursor}`)
      const last = await page(`?limit=2&cursor=${String(rest['next_cursor'])}`)
      assert.deepEqual(
        [...logs, ...(rest['logs'] as Json[]), ...(last['logs'] as Json[])].map(({ message }) => message),
        Array.from({ length: 103 }, (_, index) => `${index + 1}`),
      )
      assert.deepEqual(
        [...logs.slice(3), ...(rest['logs'] as Json[]), ...(last['logs'] as Json[])],
        detail['logs'],
      )
      assert.equal(last['next_cursor'], null)
      for (const limit of ['0', '101', '1.5', 'x']) {
        assertError(await send('GET', `${path}/logs?limit=${limit}`), 400, 'INVALID_REQUEST', 'limit')
      }
      assertError(await send('GET', `${path}/logs?cursor=x`), 400, 'INVALID_REQUEST', 'cursor')
      assertError(await send('GET', '/v2/tasks/task_unknown/logs'), 404, 'RESOURCE_NOT_FOUND')
      assertError(await send('GET', `${path}/logs`, { as: stranger.key }), 404, 'RESOURCE_NOT_FOUND')
    },
  },
  {
    id: 'work.lease-length',
    name: 'a lease keeps the length of its claim through writes that name none',
    async check(session) {
      const { clock, taskboard, workspaceId } = session
      const { task, post } = await claimed(session, 3_600)
      const remainingMs = async () => {
        const { lease } = await taskboard.board(workspaceId).get(String(task['id']))
        return (lease?.expiresAt ?? 0) - clock.now()
      }
      const output = { type: 'file', name: 'n', url: 'https://files.example/n' }
      const writes: readonly (readonly [string, object, number])[] = [
        ['heartbeat', {}, 200],
        ['progress', { progress: 5 }, 200],
        ['logs', { message: 'x' }, 201],
        ['outputs', output, 201],
      ]
      for (const [verb, body, status] of writes) {
        await clock.advance({ seconds: 1 })
        assertAnswer(await post(verb, { ...body, lease_s: 30 }), status)
        assert.equal(await remainingMs(), 30_000)
        assertAnswer(await post(verb, body), status)
        assert.equal(await remainingMs(), 3_600_000)
      }
    },
  },
  {
    id: 'work.complete-repeated',
    name: 'a completion whose answer was lost is answered again, and only that one',
    async check(session) {
      const { path, post } = await claimed(session)
      const first = assertAnswer(await post('complete', { result: 'the result' }))
      await session.clock.advance({ hours: 1 })
      assert.deepEqual(assertAnswer(await post('complete', { result: 'the result' })), first)
      assertError(await post('complete', { result: 'another' }), 409, 'CONFLICT', 'fencing_token')
      assertAnswer(await session.send('POST', `${path}/move`, { body: { to: 'todo' } }))
      assertError(await post('complete', { result: 'the result' }), 409, 'CONFLICT', 'fencing_token')
    },
  },
  {
    id: 'work.complete',
    name: 'a completion ends the task with its result; the token is no longer valid for anything else',
    async check(session) {
      const { agent, path, post } = await claimed(session)
      const done = assertAnswer(await post('complete', { result: 'the result' }))
      assert.deepEqual([done['status'], done['progress'], done['lease_expires_at']], ['completed', 100, null])
      const detail = assertAnswer(await session.send('GET', path))
      assert.deepEqual([detail['result'], (detail['agent'] as Json)['id']], ['the result', agent.id])
      assertError(await post('complete', {}), 409, 'CONFLICT', 'fencing_token')
    },
  },
  {
    id: 'work.complete-by-person',
    name: 'a person completes a task without a token, also one that an agent has when it takes that over',
    async check(session) {
      const { send, storage, workspaceId, clock } = session
      const made = assertAnswer(await send('POST', '/v2/tasks', { body: { title: 'By hand' } }), 201)
      const byHand = `/v2/tasks/${String(made['id'])}`
      const done = assertAnswer(await send('POST', `${byHand}/complete`, { body: { result: 'mended' } }))
      assert.deepEqual([done['status'], done['lease_expires_at']], ['completed', null])
      assertAnswer(await send('POST', `${byHand}/complete`, { body: { result: 'mended' } }))
      const again = await send('POST', `${byHand}/complete`, { body: { result: 'again', take_over: true } })
      assertError(again, 409, 'CONFLICT')
      const { taken_by: by, ...detail } = assertAnswer(await send('GET', byHand))
      assert.deepEqual(
        [detail['result'], detail['column'], (by as Json)['kind']],
        ['mended', 'done', 'api_key'],
      )

      const { path, post } = await claimed(session)
      const complete = (body: object) => send('POST', `${path}/complete`, { body })
      assertError(await complete({ result: 'x' }), 409, 'CONFLICT', 'take_over')
      assertError(await complete({ take_over: 'yes' }), 400, 'INVALID_REQUEST', 'take_over')
      assertError(await post('complete', { take_over: true }), 400, 'INVALID_REQUEST', 'take_over')
      for (const token of [null, '', 0, '1']) {
        const body = { fencing_token: token, take_over: false }
        assertError(await complete(body), 400, 'INVALID_REQUEST', 'fencing_token')
      }
      assertAnswer(await complete({ result: 'taken', take_over: true }))
      assertError(await post('complete', { result: 'taken' }), 409, 'CONFLICT', 'fencing_token')
      assertError(await post('heartbeat', {}), 409, 'CONFLICT', 'fencing_token')
      const query = { workspaceId, afterSeq: 0, limit: 1_000 }
      const completed = (await storage.events.readEvents(query, { now: clock.now() })).flatMap((event) =>
        event.type === 'task.completed' ? [[event.data.result, event.data.actor?.kind]] : [],
      )
      assert.deepEqual(completed, [
        ['mended', 'api_key'],
        ['taken', 'api_key'],
      ])
    },
  },
  {
    id: 'work.fail',
    name: 'a failed task waits for its next attempt, or is held',
    async check(session) {
      const { agent, path, post } = await claimed(session)
      const retried = assertAnswer(await post('fail', { reason: 'no luck' }))
      assert.deepEqual([retried['status'], retried['not_before']], ['pending', inSeconds(session, 10)])
      assert.equal(await claim(session, agent.id), null)
      await session.clock.advance({ seconds: 10 })
      const again = await claim(session, agent.id)
      assert.equal(again?.['fencing_token'], 2)
      const held = assertAnswer(await post('fail', { fencing_token: 2, reason: 'hopeless', retry: false }))
      assert.equal(held['status'], 'failed')
      const { hold } = assertAnswer(await session.send('GET', path)) as { hold: Json }
      assert.deepEqual([hold['reason'], hold['message']], ['failed', 'hopeless'])
    },
  },
  {
    id: 'work.postpone',
    name: 'a task that its agent cannot work on now waits without a counted attempt, and so does the agent',
    async check(session) {
      const { agent, path, post } = await claimed(session)
      assertAnswer(await session.send('POST', '/v2/tasks', { body: { title: 'Another' } }), 201)
      const given = { reason: 'the provider is down', retry_after_s: 30 }
      for (const seconds of [0, 3_601, 1.5, '30']) {
        const refused = await post('fail', { ...given, retry_after_s: seconds })
        assertError(refused, 400, 'INVALID_REQUEST', 'retry_after_s')
      }
      assertError(await post('fail', { ...given, retry: false }), 400, 'INVALID_REQUEST', 'retry_after_s')
      const waiting = assertAnswer(await post('fail', given))
      assert.deepEqual([waiting['status'], waiting['not_before']], ['pending', inSeconds(session, 30)])
      assertError(await post('fail', given), 409, 'CONFLICT', 'fencing_token')
      await session.clock.advance({ seconds: 29 })
      assert.equal(await claim(session, agent.id), null)
      await session.clock.advance({ seconds: 1 })
      const both = [await claim(session, agent.id), await claim(session, agent.id)]
      assert.deepEqual(
        both.map((task) => task?.['attempts']),
        [1, 1],
      )
      const { attempts } = assertAnswer(await session.send('GET', `${path}/attempts`)) as { attempts: Json[] }
      assert.deepEqual([attempts[0]?.['outcome'], attempts[0]?.['reason']], ['postponed', given.reason])
    },
  },
  {
    id: 'work.superseded',
    name: 'writes with a token that is superseded, expired or was never given are 409 and change nothing',
    async check(session) {
      const { agent, path, post } = await claimed(session)
      const detail = async () => assertAnswer(await session.send('GET', path))
      const output = { type: 'file', name: 'n', url: 'https://files.example/n' }
      const writes: readonly (readonly [string, object])[] = [
        ['heartbeat', {}],
        ['progress', { progress: 5 }],
        ['logs', { message: 'x' }],
        ['outputs', output],
        ['complete', { result: 'x' }],
        ['fail', { reason: 'x' }],
      ]
      const refuseAll = async (token: number): Promise<void> => {
        const before = await detail()
        for (const [verb, body] of writes) {
          const answer = await post(verb, { ...body, fencing_token: token })
          assertError(answer, 409, 'CONFLICT', 'fencing_token')
        }
        assert.deepEqual(await detail(), before)
      }
      await refuseAll(2)
      await session.clock.advance({ seconds: 60 })
      await refuseAll(1)
      assertAnswer(await session.send('POST', `${path}/move`, { body: { to: 'todo' } }))
      await refuseAll(1)
      assert.equal((await claim(session, agent.id))?.['fencing_token'], 2)
      await refuseAll(1)
      assertAnswer(await session.send('POST', `${path}/cancel`))
      await refuseAll(2)
    },
  },
  {
    id: 'work.deleted',
    name: 'the agent of a deleted task gets 404',
    async check(session) {
      const { path, post } = await claimed(session)
      assertAnswer(await session.send('DELETE', path), 204)
      assertError(await post('heartbeat', {}), 404, 'RESOURCE_NOT_FOUND')
      assertError(await post('complete', { result: 'x' }), 404, 'RESOURCE_NOT_FOUND')
    },
  },
  {
    id: 'work.delegate',
    name: 'an agent splits its task once for a key, and with wait the task can be taken again after its parts',
    async check(session) {
      const { send } = session
      const { agent, task, path, token } = await claimed(session)
      const tasks = [{ title: 'First' }, { title: 'Second', depends_on: [0] }]
      const body = { fencing_token: token, tasks, wait: true }
      const split = async () => {
        const headers = { 'idempotency-key': 'split' }
        return assertAnswer(await send('POST', `${path}/delegate`, { body, headers }), 201)['tasks'] as Json[]
      }
      const parts = await split()
      assert.deepEqual(
        parts.map(({ title, parent_id: parent, depends_on: needed }) => [title, parent, needed]),
        [
          ['First', task['id'], []],
          ['Second', task['id'], [parts[0]?.['id']]],
        ],
      )
      assert.deepEqual(await split(), parts)
      const taken: unknown[] = []
      for (let next = await claim(session, agent.id); next !== null; next = await claim(session, agent.id)) {
        taken.push(next['title'])
        const done = { fencing_token: next['fencing_token'], result: 'done' }
        assertAnswer(await send('POST', `/v2/tasks/${String(next['id'])}/complete`, { body: done }))
      }
      assert.deepEqual(taken, ['First', 'Second', 'Work'])
    },
  },
  {
    id: 'work.faults',
    name: 'an invalid report is refused by its field, before an unknown task',
    async check(session) {
      const { path } = await claimed(session)
      const output = { type: 'file', name: 'n', url: 'https://files.example/n' }
      const faults: readonly (readonly [string, object, string])[] = [
        ['heartbeat', { fencing_token: undefined }, 'fencing_token'],
        ['heartbeat', { fencing_token: '1' }, 'fencing_token'],
        ['heartbeat', { fencing_token: 0 }, 'fencing_token'],
        ['heartbeat', { lease_s: 0 }, 'lease_s'],
        ['progress', {}, 'progress'],
        ['progress', { progress: 101 }, 'progress'],
        ['progress', { progress: -1 }, 'progress'],
        ['logs', {}, 'message'],
        ['logs', { message: 'x'.repeat(10_001) }, 'message'],
        ['logs', { message: 'x', level: 'loud' }, 'level'],
        ['outputs', { ...output, url: 'javascript:alert(1)' }, 'url'],
        ['outputs', { ...output, url: 'no address' }, 'url'],
        ['outputs', { ...output, name: '' }, 'name'],
        ['outputs', { ...output, size: -1 }, 'size'],
        ['complete', { result: 7 }, 'result'],
        ['fail', {}, 'reason'],
        ['fail', { reason: 'x', retry: 'no' }, 'retry'],
      ]
      for (const at of [path, '/v2/tasks/task_00000000000000000000000000']) {
        for (const [verb, body, field] of faults) {
          const answer = await session.send('POST', `${at}/${verb}`, { body: { fencing_token: 1, ...body } })
          assertError(answer, 400, 'INVALID_REQUEST', field)
        }
      }
    },
  },
]
