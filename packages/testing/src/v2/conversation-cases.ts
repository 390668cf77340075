import assert from 'node:assert/strict'
import { logIn, makeUser } from './login-session.js'
import type { V2Check } from './v2-case.js'
import { assertAnswer, assertError, type V2Session } from './v2-session.js'

type Json = Record<string, unknown>

const REFUND = { action: 'refund', summary: 'Refund order 7', input: { order: 7, cents: 1_900 } }

/** An agent outside of the host with a task, and the key that a host gives to one. */
async function worker(session: V2Session, given?: { readonly id: string; readonly key: string }) {
  const { taskboard, workspaceId, makeKey, send } = session
  const agent = await taskboard.agents.create(workspaceId, { name: 'Outside', type: 'outside' })
  const usual = ['tasks:read', 'tasks:write', 'agents:read', 'agents:write'] as const
  const { id: keyId, key } = given ?? (await makeKey(usual))
  const { id } = assertAnswer(await send('POST', '/v2/tasks', { body: { title: 'Work' } }), 201)
  const path = `/v2/tasks/${String(id)}`
  let token: unknown
  return {
    keyId,
    key,
    path,
    async claim(): Promise<Json | null> {
      const answer = await send('POST', '/v2/tasks/claim', { as: key, body: { agent_id: agent.id } })
      const task = assertAnswer(answer)['task'] as Json | null
      token = task?.['fencing_token'] ?? token
      return task
    },
    post: (verb: string, body: object) =>
      send('POST', `${path}/${verb}`, { as: key, body: { fencing_token: token, ...body } }),
  }
}

const kindsOf = async ({ send }: V2Session, path: string) =>
  (assertAnswer(await send('GET', `${path}/comments`))['comments'] as Json[]).map(({ kind }) => kind)

/** Comments between people and agents outside of the host, and the approvals that permit an agent to act. */
export const conversationCases: readonly V2Check[] = [
  {
    id: 'conversation.comments',
    name: 'comments are written once a key, named, and listed in pages',
    async check(session) {
      const { send } = session
      const { path } = await worker(session)
      const post = (body: object, key?: string) =>
        send('POST', `${path}/comments`, { body, ...(key && { headers: { 'idempotency-key': key } }) })
      const first = assertAnswer(await post({ body: 'Please hurry.' }, 'k1'), 201)
      assert.deepEqual(assertAnswer(await post({ body: 'Please hurry.' }, 'k1'), 201), first)
      assertError(await post({ body: 'other' }, 'k1'), 409, 'CONFLICT')
      assert.deepEqual(
        [first['kind'], (first['author'] as Json)['kind'], (first['author'] as Json)['name']],
        ['comment', 'api_key', 'all'],
      )
      assertAnswer(await post({ body: 'It is late.' }), 201)
      const page = assertAnswer(await send('GET', `${path}/comments?limit=1`))
      assert.deepEqual(page['comments'], [first])
      const next = await send('GET', `${path}/comments?limit=1&cursor=${String(page['next_cursor'])}`)
      const last = assertAnswer(next)
      assert.deepEqual(
        [(last['comments'] as Json[]).map(({ body }) => body), last['next_cursor']],
        [['It is late.'], null],
      )
      assertError(await send('GET', `${path}/comments?cursor=x`), 400, 'INVALID_REQUEST', 'cursor')
      for (const body of ['', ' ', 'x'.repeat(20_001), 7, null]) {
        assertError(await post({ body }), 400, 'INVALID_REQUEST', 'body')
      }
    },
  },
  {
    id: 'conversation.question',
    name: 'an agent outside of the host asks by a hold, and the answer releases the task',
    async check(session) {
      const { send } = session
      const { path, claim, post } = await worker(session)
      const answer = (body: string) => send('POST', `${path}/answer`, { body: { body } })
      assertError(await answer('French'), 409, 'CONFLICT')
      await claim()
      assertError(await post('hold', { reason: 'needs_input' }), 400, 'INVALID_REQUEST', 'message')
      const held = assertAnswer(await post('hold', { reason: 'needs_input', message: 'Which language?' }))
      assert.deepEqual([held['status'], held['lease_expires_at']], ['blocked', null])
      assert.equal(await claim(), null)
      assertAnswer(await answer('French'), 201)
      assertError(await answer('German'), 409, 'CONFLICT')
      assert.deepEqual(await kindsOf(session, path), ['question', 'answer'])
      const claimed = await claim()
      assert.equal(claimed?.['attempts'], 1)
      const [asked, given] = [claimed?.['question'] as Json, claimed?.['answer'] as Json]
      assert.deepEqual([asked['kind'], asked['body']], ['question', 'Which language?'])
      assert.deepEqual([given['kind'], given['body']], ['answer', 'French'])
      assert.equal(assertAnswer(await post('hold', { reason: 'failed', message: 'No.' }))['status'], 'failed')
      assertError(await post('hold', { reason: 'bored' }), 400, 'INVALID_REQUEST', 'reason')
      assertError(await post('hold', { reason: 'failed' }), 409, 'CONFLICT', 'fencing_token')
    },
  },
  {
    id: 'tasks.attempts',
    name: 'the attempts at a task are listed with their agents, ends and reasons, oldest first',
    async check(session) {
      const { send, taskboard, workspaceId } = session
      const { path, claim, post } = await worker(session)
      const attempts = async () => assertAnswer(await send('GET', `${path}/attempts`))['attempts'] as Json[]
      await claim()
      assert.deepEqual(await attempts(), [])
      assertAnswer(await post('hold', { reason: 'needs_input', message: 'Which language?' }))
      assertAnswer(await send('POST', `${path}/answer`, { body: { body: 'French' } }), 201)
      await claim()
      assertAnswer(await post('fail', { reason: 'No dictionary.', retry: false }))
      const [asked, failed, ...others] = await attempts()
      assert.deepEqual(
        [asked?.['outcome'], failed?.['outcome'], failed?.['reason'], others],
        ['held', 'failed', 'No dictionary.', []],
      )
      const agent = failed?.['agent'] as Json
      assert.equal(agent['name'], 'Outside')
      assert.ok(String(asked?.['ended_at']) <= String(failed?.['started_at']))
      await taskboard.agents.delete(workspaceId, String(agent['id']))
      assert.deepEqual((await attempts())[1]?.['agent'], { id: agent['id'], name: null })
      assertError(await send('GET', '/v2/tasks/task_unknown/attempts'), 404, 'RESOURCE_NOT_FOUND')
    },
  },
  {
    id: 'approvals.once',
    name: 'an agent outside of the host may do what a person approved, once',
    async check(session) {
      const { send } = session
      const { path, claim, post, keyId } = await worker(session)
      const ask = async (body: object = REFUND) => assertAnswer(await post('approvals', body))
      await claim()
      const { outcome, approval } = (await ask()) as { outcome: string; approval: Json }
      assert.equal(outcome, 'pending')
      assert.deepEqual(approval['requested_by'], { kind: 'api_key', id: keyId })
      const at = `/v2/approvals/${String(approval['id'])}`
      assert.deepEqual(assertAnswer(await send('GET', at)), approval)
      const list = assertAnswer(await send('GET', '/v2/approvals?status=pending'))
      assert.deepEqual(list, { approvals: [approval], next_cursor: null })
      const body = { decision: 'approved', comment: 'Go.' }
      const decided = assertAnswer(await send('POST', `${at}/decision`, { body }))
      assert.deepEqual([decided['status'], decided['comment']], ['approved', 'Go.'])
      assertError(await send('POST', `${at}/decision`, { body }), 409, 'CONFLICT')
      await claim()
      const used = (await ask({ ...REFUND, input: { cents: 1_900, order: 7 } })) as {
        outcome: string
        approval: Json
      }
      assert.deepEqual(
        [used.outcome, used.approval['id'], used.approval['status']],
        ['approved', approval['id'], 'used'],
      )
      assert.equal((await ask())['outcome'], 'pending')
      assert.deepEqual(await kindsOf(session, path), ['decision'])
      assertError(await send('GET', '/v2/approvals?status=open'), 400, 'INVALID_REQUEST', 'status')
      assertError(await send('GET', '/v2/approvals?cursor=x'), 400, 'INVALID_REQUEST', 'cursor')
    },
  },
  {
    id: 'approvals.attacks',
    name: "an agent's key gets through by no decision, release, text, other input or other task",
    async check(session) {
      const { send, makeKey } = session
      const { path, claim, post, key } = await worker(session)
      await claim()
      const first = assertAnswer(await post('approvals', REFUND)) as { approval: Json }
      const at = `/v2/approvals/${String(first.approval['id'])}`
      const decision = { decision: 'approved' }
      assertError(
        await send('POST', `${at}/decision`, { as: key, body: decision }),
        403,
        'AUTHORIZATION_FAILED',
      )
      const outcome = async (body: object = REFUND) => assertAnswer(await post('approvals', body))['outcome']
      assertError(
        await send('POST', `${path}/answer`, { as: key, body: { body: 'Approved' } }),
        409,
        'CONFLICT',
      )
      for (const [verb, body] of [
        ['release', {}],
        ['comments', { body: 'Approved: refund' }],
        ['move', { to: 'done' }],
        ['move', { to: 'todo' }],
      ] as const) {
        await send('POST', `${path}/${verb}`, { as: key, body })
      }
      await send('PATCH', path, { as: key, body: { description: 'Approved: refund' } })
      await claim()
      assert.equal(await outcome({ ...REFUND, summary: 'Approved' }), 'pending')
      assertAnswer(await send('POST', `${at}/decision`, { body: decision }))
      await claim()
      assert.equal(await outcome({ ...REFUND, input: { order: 7, cents: 1_901 } }), 'pending')
      const other = await worker(session)
      await other.claim()
      assert.equal(assertAnswer(await other.post('approvals', REFUND))['outcome'], 'pending')
      // A key that may decide still cannot decide what it asked for itself.
      const strong = await makeKey(['tasks:write', 'approvals:write', 'agents:read'])
      const asking = await worker(session, strong)
      await asking.claim()
      const asked = assertAnswer(await asking.post('approvals', REFUND)) as { approval: Json }
      const own = `/v2/approvals/${String(asked.approval['id'])}/decision`
      assertError(await send('POST', own, { as: strong.key, body: decision }), 403, 'AUTHORIZATION_FAILED')
      assertAnswer(await send('POST', own, { body: decision }))
    },
  },
  {
    id: 'approvals.rotated',
    name: 'a rotated key decides nothing that the first key asked, and only who made a key rotates it',
    async check(session) {
      const { send, makeKey } = session
      const { id: userId } = await makeUser(session)
      await makeUser(session, 'eve@example.com')
      const { access_token: as } = await logIn(session)
      const { access_token: other } = await logIn(session, { email: 'eve@example.com' })
      const keys = '/v2/account/api-keys'
      const scopes = ['tasks:read', 'tasks:write', 'approvals:write'] as const
      const made = assertAnswer(await send('POST', keys, { as, body: { name: 'k', scopes } }), 201)
      const { claim, post } = await worker(session, { id: String(made['id']), key: String(made['key']) })
      await claim()
      const asked = assertAnswer(await post('approvals', REFUND)) as { approval: Json }
      const decide = (who: string) =>
        send('POST', `/v2/approvals/${String(asked.approval['id'])}/decision`, {
          as: who,
          body: { decision: 'approved' },
        })
      const rotate = (id: unknown, who: string) => send('POST', `${keys}/${String(id)}/rotate`, { as: who })
      assertError(await rotate(made['id'], other), 403, 'AUTHORIZATION_FAILED')
      assertError(await rotate((await makeKey(scopes)).id, other), 403, 'AUTHORIZATION_FAILED')
      const rotated = assertAnswer(await rotate(made['id'], as), 201)
      assert.equal(rotated['created_by'], userId)
      assertError(await decide(String(rotated['key'])), 403, 'AUTHORIZATION_FAILED')
      assertAnswer(await decide(as))
    },
  },
  {
    id: 'approvals.tools',
    name: "nobody but an agent in the host's process asks to call one of its tools",
    async check(session) {
      const { send, makeKey } = session
      const { path, claim, post } = await worker(session)
      await claim()
      for (const action of ['tool:refund', 'tool:']) {
        assertError(await post('approvals', { ...REFUND, action }), 400, 'INVALID_REQUEST', 'action')
      }
      const strong = await makeKey(['tasks:read', 'tasks:write', 'approvals:write', 'agents:write'])
      const own = await worker(session, strong)
      await own.claim()
      const asked = { ...REFUND, action: 'tool:refund' }
      assertError(await own.post('approvals', asked), 400, 'INVALID_REQUEST', 'action')
      assert.deepEqual(assertAnswer(await send('GET', '/v2/approvals'))['approvals'], [])
      assert.equal(assertAnswer(await send('GET', path))['status'], 'in_progress')
    },
  },
  {
    id: 'approvals.askers',
    name: 'what one credential was allowed is of no use to another one',
    async check(session) {
      const { send, makeKey } = session
      const first = await worker(session)
      await first.claim()
      const { approval } = assertAnswer(await first.post('approvals', REFUND)) as { approval: Json }
      assert.equal(approval['asker'], 'credential')
      assertAnswer(
        await send('POST', `/v2/approvals/${String(approval['id'])}/decision`, {
          body: { decision: 'approved' },
        }),
      )
      const token = (await first.claim())?.['fencing_token']
      const { key: other } = await makeKey(['tasks:read', 'tasks:write'])
      const body = { ...REFUND, fencing_token: token }
      const answer = assertAnswer(await send('POST', `${first.path}/approvals`, { as: other, body }))
      assert.equal(answer['outcome'], 'pending')
      assert.notEqual((answer['approval'] as Json)['id'], approval['id'])
      const kept = assertAnswer(await send('GET', `/v2/approvals/${String(approval['id'])}`))
      assert.equal(kept['status'], 'approved')
    },
  },
  {
    id: 'approvals.digest',
    name: 'an approval has the digest of its input, and a decision that names another one is refused',
    async check(session) {
      const { send } = session
      const { claim, post } = await worker(session)
      await claim()
      const { approval } = assertAnswer(await post('approvals', REFUND)) as { approval: Json }
      const [digest, short] = [String(approval['input_digest']), String(approval['short_digest'])]
      assert.match(short, /^[\da-f]{4}-[\da-f]{4}-[\da-f]{4}$/)
      assert.ok(digest.startsWith(short.replaceAll('-', '')))
      const decide = (given: unknown) =>
        send('POST', `/v2/approvals/${String(approval['id'])}/decision`, {
          body: { decision: 'approved', digest: given },
        })
      for (const malformed of ['', short.slice(1), digest.slice(0, 12), 7]) {
        assertError(await decide(malformed), 400, 'INVALID_REQUEST', 'digest')
      }
      assertError(await decide('0000-0000-0000'), 409, 'CONFLICT', 'digest')
      assertError(await decide('0'.repeat(64)), 409, 'CONFLICT', 'digest')
      assert.equal(assertAnswer(await decide(short.toUpperCase()))['status'], 'approved')
    },
  },
]
