import assert from 'node:assert/strict'
import { type ClientResponse, sendRequest } from '../transport/http-client.js'
import { webhookReceiver } from '../webhooks/webhook-receiver.js'
import type { V2Check } from './v2-case.js'
import { assertAnswer, assertError, type V2Session } from './v2-session.js'

const INPUT = { url: 'https://receiver.example/hook', events: ['task.created'] }

const SECRET = 'hunter2hunter2hunter2'

function post({ send }: V2Session, input: object = {}): Promise<ClientResponse> {
  return send('POST', '/v2/webhooks', { body: { ...INPUT, ...input } })
}

/** Without the member that only this answer has. */
async function create(session: V2Session, input: object = {}): Promise<Record<string, unknown>> {
  const { secret, ...made } = assertAnswer(await post(session, input), 201)
  assert.equal(secret, null)
  return made
}

/** Registers a webhook with the Board API (v1). */
async function byBoard({ host, key }: V2Session, input: object = {}): Promise<string> {
  const body = { ...INPUT, ...input }
  const headers = { authorization: `Bearer ${key}` }
  const answer = await sendRequest(host.url, { method: 'POST', path: '/api/webhooks/create', body, headers })
  assert.equal(answer.status, 200)
  return (answer.json()['webhook'] as { id: string }).id
}

async function listed({ send }: V2Session): Promise<readonly Record<string, unknown>[]> {
  return assertAnswer(await send('GET', '/v2/webhooks'))['webhooks'] as Record<string, unknown>[]
}

/** Webhooks through API v2. */
export const webhookCases: readonly V2Check[] = [
  {
    id: 'webhooks.lifecycle',
    name: 'a webhook is created, read, listed, changed and deleted, and its secret is never returned',
    async check(session) {
      const { send, workspaceId } = session
      const made = await create(session, { secret: SECRET })
      const path = `/v2/webhooks/${String(made['id'])}`
      assert.deepEqual(
        [made['workspace_id'], made['signed'], made['weak_secret'], made['enabled']],
        [workspaceId, true, false, true],
      )
      assert.deepEqual(assertAnswer(await send('GET', path)), made)
      const list = await send('GET', '/v2/webhooks')
      assert.deepEqual(assertAnswer(list)['webhooks'], [made])
      assert.equal(list.text.includes('hunter2'), false)
      const changed = assertAnswer(
        await send('PATCH', path, { body: { enabled: false, events: ['task.failed'] } }),
      )
      assert.deepEqual(
        [changed['enabled'], changed['disabled_reason'], changed['events'], changed['url']],
        [false, 'host', ['task.failed'], INPUT.url],
      )
      assertAnswer(await send('DELETE', path), 204)
      assertError(await send('GET', path), 404, 'RESOURCE_NOT_FOUND')
      assertError(await send('DELETE', path), 404, 'RESOURCE_NOT_FOUND')
    },
  },
  {
    id: 'webhooks.workspace',
    name: 'a webhook is created in the named workspace, if the caller reaches it',
    async check(session) {
      const second = await session.taskboard.accounts.createWorkspace(session.accountId, { name: 'Second' })
      const made = await create(session, { workspace_id: second.id })
      assert.equal(made['workspace_id'], second.id)
      const found = await session.send('GET', `/v2/webhooks?workspace_id=${second.id}`)
      assert.deepEqual(assertAnswer(found)['webhooks'], [made])
      for (const workspaceId of [session.stranger.workspaceId, 'ws_00000000000000000000000000']) {
        const body = { ...INPUT, workspace_id: workspaceId }
        const refused = await session.send('POST', '/v2/webhooks', { body })
        assertError(refused, 404, 'RESOURCE_NOT_FOUND', 'workspace_id')
      }
    },
  },
  {
    id: 'webhooks.faults',
    name: 'an invalid webhook is refused by its field',
    async check({ send }) {
      const refused = async (body: object, field: string) =>
        assertError(await send('POST', '/v2/webhooks', { body }), 400, 'INVALID_REQUEST', field)
      await refused({ events: ['task.created'] }, 'url')
      await refused({ ...INPUT, url: 'http://receiver.example' }, 'url')
      await refused({ ...INPUT, url: 'https://127.0.0.1/' }, 'url')
      await refused({ ...INPUT, url: 7 }, 'url')
      await refused({ url: INPUT.url }, 'events')
      await refused({ ...INPUT, events: [] }, 'events')
      await refused({ ...INPUT, events: ['no.such'] }, 'events')
      await refused({ ...INPUT, secret: '' }, 'secret')
      await refused({ ...INPUT, secret: 'x'.repeat(15) }, 'secret')
      await refused({ ...INPUT, secret: 'x'.repeat(257) }, 'secret')
      await refused({ ...INPUT, generate_secret: 'yes' }, 'generate_secret')
      await refused({ ...INPUT, secret: SECRET, generate_secret: true }, 'generate_secret')
      assert.deepEqual(assertAnswer(await send('GET', '/v2/webhooks'))['webhooks'], [])
    },
  },
  {
    id: 'webhooks.generated-secret',
    name: 'a secret is generated on request, shown once, and signs',
    async check(session) {
      const headers = { 'idempotency-key': 'once' }
      const body = { ...INPUT, generate_secret: true }
      const { secret, ...made } = assertAnswer(
        await session.send('POST', '/v2/webhooks', { body, headers }),
        201,
      )
      assert.match(String(secret), /^whsec_[A-Za-z0-9+/]{43}=$/)
      assert.deepEqual([made['signed'], made['weak_secret']], [true, false])
      const read = await session.send('GET', `/v2/webhooks/${String(made['id'])}`)
      assert.deepEqual(assertAnswer(read), made)
      // What is shown once is not shown again, under the same key or another one.
      for (const again of [headers, {}]) {
        const refused = await session.send('POST', '/v2/webhooks', { body, headers: again })
        assertError(refused, 409, 'CONFLICT')
        assert.ok(refused.text.includes(String(made['id'])))
        assert.ok(!refused.text.includes(String(secret)))
      }
      const { webhook } = await session.taskboard.webhooks.rotateSecret(
        session.workspaceId,
        String(made['id']),
        {
          secret: 'short',
        },
      )
      assert.equal(webhook.weakSecret, true)
      assert.equal(assertAnswer(await session.send('GET', `/v2/webhooks/${webhook.id}`))['weak_secret'], true)
    },
  },
  {
    id: 'webhooks.shortest-secret',
    name: 'the host says how short a secret may be that users choose',
    options: { webhooks: { shortestSecret: 4 } },
    async check(session) {
      assertError(await post(session, { secret: 'abc' }), 400, 'INVALID_REQUEST', 'secret')
      const made = await create(session, { secret: 'abcd' })
      assert.equal(made['weak_secret'], false)
      const path = `/v2/webhooks/${String(made['id'])}/rotate-secret`
      const refused = await session.send('POST', path, { body: { secret: 'abc' } })
      assertError(refused, 400, 'INVALID_REQUEST', 'secret')
      assertAnswer(await session.send('POST', path, { body: { secret: 'efgh' } }))
    },
  },
  {
    id: 'webhooks.same',
    name: 'the same URL and events answer the webhook that is there, unless its secret is another one',
    async check(session) {
      const made = await create(session, { events: ['task.created', 'task.failed'], secret: SECRET })
      const same = { events: ['task.failed', 'task.created', 'task.failed'] }
      for (const given of [{}, { secret: SECRET }, { secret: null, generate_secret: false }]) {
        assert.deepEqual(await create(session, { ...same, ...given }), made)
      }
      for (const given of [{ secret: `${SECRET}!` }, { generate_secret: true }]) {
        const refused = await post(session, { ...same, ...given })
        assertError(refused, 409, 'CONFLICT')
        assert.ok(refused.text.includes(String(made['id'])))
      }
      assert.deepEqual(await listed(session), [made])
      const unsigned = await create(session)
      assertError(await post(session, { secret: SECRET }), 409, 'CONFLICT')
      const others = [{ url: `${INPUT.url}/2` }, { events: ['task.moved'] }]
      const ids = new Set([made['id'], unsigned['id']])
      for (const other of others) ids.add((await create(session, other))['id'])
      assert.equal(ids.size, 4)
      const answers = await Promise.all([1, 2, 3, 4].map(() => create(session, { events: ['task.deleted'] })))
      assert.equal(new Set(answers.map(({ id }) => id)).size, 1)
      assert.equal((await listed(session)).length, 5)
    },
  },
  {
    id: 'webhooks.weak-secret',
    name: 'a secret of one character, from the Board API, registers each time, and is marked until it is rotated',
    async check(session) {
      const ids = [await byBoard(session, { secret: 'z' }), await byBoard(session, { secret: 'z' })]
      assert.equal(new Set(ids).size, 2)
      const marks = async () => (await listed(session)).map((each) => [each['id'], each['weak_secret']])
      assert.deepEqual(
        await marks(),
        ids.map((id) => [id, true]),
      )
      assertError(await post(session, { secret: SECRET }), 409, 'CONFLICT')
      assertAnswer(await session.send('POST', `/v2/webhooks/${ids[0]}/rotate-secret`))
      assert.deepEqual(await marks(), [
        [ids[0], false],
        [ids[1], true],
      ])
      const { records } = await session.taskboard.audit.list(session.accountId)
      const found = records.filter(({ action }) => action.startsWith('webhook.'))
      assert.deepEqual(
        found.map(({ action, details }) => [action, details['weak_secret']]),
        [
          ['webhook.changed', false],
          ['webhook.created', true],
          ['webhook.created', true],
        ],
      )
      assert.ok(!JSON.stringify(found).includes('"z"'))
      const strong = await byBoard(session, { secret: SECRET })
      const [record] = (await session.taskboard.audit.list(session.accountId)).records
      assert.deepEqual([record?.target?.id, record?.details['weak_secret']], [strong, false])
    },
  },
  {
    id: 'webhooks.idempotency',
    name: 'the same Idempotency-Key creates one webhook, and refuses another',
    async check(session) {
      const once = (body: object) =>
        session.send('POST', '/v2/webhooks', { body, headers: { 'idempotency-key': 'once' } })
      const first = assertAnswer(await once(INPUT), 201)
      assert.deepEqual(assertAnswer(await once(INPUT), 201), first)
      assertError(await once({ ...INPUT, events: ['task.failed'] }), 409, 'CONFLICT')
      assert.deepEqual(
        (await listed(session)).map(({ id }) => id),
        [first['id']],
      )
    },
  },
  {
    id: 'webhooks.rotation',
    name: 'rotating returns the new secret once',
    async check(session) {
      const made = await create(session)
      const path = `/v2/webhooks/${String(made['id'])}/rotate-secret`
      const fresh = assertAnswer(await session.send('POST', path))
      assert.match(String(fresh['secret']), /^whsec_/)
      const own = assertAnswer(
        await session.send('POST', path, { body: { secret: 'a secret of my own', overlap_s: 0 } }),
      )
      assert.equal(own['secret'], 'a secret of my own')
      assert.equal((own['webhook'] as { signed: boolean }).signed, true)
      const odd = await session.send('POST', path, { body: { overlap_s: -1 } })
      assertError(odd, 400, 'INVALID_REQUEST', 'overlap_s')
      const short = await session.send('POST', path, { body: { secret: 'x'.repeat(15) } })
      assertError(short, 400, 'INVALID_REQUEST', 'secret')
    },
  },
  {
    id: 'webhooks.test-log-resend',
    name: 'a test is sent to the endpoint, stands in the log, and can be sent again',
    options: { webhooks: { allow: ['127.0.0.0/8'] } },
    async check(session) {
      const { send, taskboard, clock } = session
      const receiver = await webhookReceiver()
      try {
        const made = await create(session, { url: receiver.url })
        const path = `/v2/webhooks/${String(made['id'])}`
        await taskboard.start()
        const test = assertAnswer(await send('POST', `${path}/test`))
        assert.equal(test['status'], 'pending')
        await clock.advance({ seconds: 1 })
        const log = assertAnswer(await send('GET', `${path}/deliveries?limit=10`))
        const [delivery] = log['deliveries'] as Record<string, unknown>[]
        assert.deepEqual(
          [delivery?.['id'], delivery?.['status'], log['next_cursor']],
          [test['id'], 'succeeded', null],
        )
        const resent = await send('POST', `${path}/resend`, { body: { delivery_id: test['id'] } })
        assert.equal(assertAnswer(resent)['resent'], 1)
        await clock.advance({ seconds: 1 })
        assert.equal(receiver.deliveries.length, 2)
        assertError(await send('POST', `${path}/resend`), 400, 'INVALID_REQUEST', 'delivery_id')
        const span = { from: '2000-01-01T00:00:00Z', to: '1999-01-01T00:00:00Z' }
        assertError(await send('POST', `${path}/resend`, { body: span }), 400, 'INVALID_REQUEST', 'to')
        assertError(await send('GET', `${path}/deliveries?status=odd`), 400, 'INVALID_REQUEST', 'status')
        assertError(await send('GET', `${path}/deliveries?limit=0`), 400, 'INVALID_REQUEST', 'limit')
      } finally {
        await receiver.close()
      }
    },
  },
  {
    id: 'webhooks.outage',
    name: 'what is raised while an endpoint is disabled is skipped in the log, and a resend of that time sends it',
    options: { webhooks: { allow: ['127.0.0.0/8'] } },
    async check(session) {
      const { send, taskboard, clock } = session
      const receiver = await webhookReceiver()
      try {
        const made = await create(session, { url: receiver.url })
        const path = `/v2/webhooks/${String(made['id'])}`
        await taskboard.start()
        assertAnswer(await send('PATCH', path, { body: { enabled: false } }))
        const from = new Date(clock.now()).toISOString()
        assertAnswer(await send('POST', '/v2/tasks', { body: { title: 'Missed' } }), 201)
        await clock.advance({ minutes: 1 })
        const to = new Date(clock.now()).toISOString()
        assertAnswer(await send('PATCH', path, { body: { enabled: true } }))
        await clock.advance({ minutes: 1 })
        assert.equal(receiver.deliveries.length, 0)
        const log = assertAnswer(await send('GET', `${path}/deliveries?status=skipped`))
        const [skipped, ...others] = log['deliveries'] as Record<string, unknown>[]
        assert.deepEqual([skipped?.['status'], skipped?.['attempts'], others], ['skipped', [], []])
        assert.equal(assertAnswer(await send('POST', `${path}/resend`, { body: { from, to } }))['resent'], 1)
        await clock.advance({ seconds: 1 })
        const [delivery] = receiver.deliveries
        assert.equal(delivery?.id, skipped?.['id'])
        assert.match(delivery?.body.toString() ?? '', /"title":"Missed"/)
      } finally {
        await receiver.close()
      }
    },
  },
]
