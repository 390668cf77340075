import assert from 'node:assert/strict'
import { webhookReceiver } from '../webhooks/webhook-receiver.js'
import type { V2Check } from './v2-case.js'
import { assertAnswer, assertError, type V2Session } from './v2-session.js'

const INPUT = { url: 'https://receiver.example/hook', events: ['task.created'] }

async function create(session: V2Session, input: object = {}): Promise<Record<string, unknown>> {
  return assertAnswer(await session.send('POST', '/v2/webhooks', { body: { ...INPUT, ...input } }), 201)
}

/** Webhooks by API v2. */
export const webhookCases: readonly V2Check[] = [
  {
    id: 'webhooks.lifecycle',
    name: 'a webhook is created, read, listed, changed and deleted, and its secret is never returned',
    async check(session) {
      const { send, workspaceId } = session
      const made = await create(session, { secret: 'hunter2hunter2' })
      const path = `/v2/webhooks/${String(made['id'])}`
      assert.deepEqual([made['workspace_id'], made['signed'], made['enabled']], [workspaceId, true, true])
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
      const listed = await session.send('GET', `/v2/webhooks?workspace_id=${second.id}`)
      assert.deepEqual(assertAnswer(listed)['webhooks'], [made])
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
      assert.deepEqual(assertAnswer(await send('GET', '/v2/webhooks'))['webhooks'], [])
    },
  },
  {
    id: 'webhooks.idempotency',
    name: 'the same Idempotency-Key creates one webhook, and refuses another',
    async check({ send }) {
      const post = (body: object) =>
        send('POST', '/v2/webhooks', { body, headers: { 'idempotency-key': 'once' } })
      const first = assertAnswer(await post(INPUT), 201)
      assert.deepEqual(assertAnswer(await post(INPUT), 201), first)
      assertError(await post({ ...INPUT, events: ['task.failed'] }), 409, 'CONFLICT')
      assert.deepEqual(assertAnswer(await send('GET', '/v2/webhooks'))['webhooks'], [first])
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
        await session.send('POST', path, { body: { secret: 'of my own', overlap_s: 0 } }),
      )
      assert.equal(own['secret'], 'of my own')
      assert.equal((own['webhook'] as { signed: boolean }).signed, true)
      const odd = await session.send('POST', path, { body: { overlap_s: -1 } })
      assertError(odd, 400, 'INVALID_REQUEST', 'overlap_s')
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
