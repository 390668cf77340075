import assert from 'node:assert/strict'
import { webhookReceiver } from '../webhooks/webhook-receiver.js'
import type { V2Check } from './v2-case.js'
import { assertAnswer, assertError, type V2Session } from './v2-session.js'
import { SUITE_CHANNEL_TYPE } from './suite-channel-type.js'

const PATH = '/v2/notification-channels'
const SECRET = 'T0SECRET0/B0HUNTER2HUNTER2'
const INPUT = {
  type: SUITE_CHANNEL_TYPE,
  name: 'Team',
  config: { room: 'orders' },
  events: ['task.created', 'task.moved'],
}

async function create(session: V2Session, input: object = {}): Promise<Record<string, unknown>> {
  return assertAnswer(await session.send('POST', PATH, { body: { ...INPUT, ...input } }), 201)
}

const pathOf = (channel: Record<string, unknown>): string => `${PATH}/${String(channel['id'])}`

const allowLoopback = { webhooks: { allow: ['127.0.0.0/8'] } }

/** The notification channels that users set up. */
export const channelCases: readonly V2Check[] = [
  {
    id: 'channels.lifecycle',
    name: 'a notification channel is created, read, listed, changed and deleted',
    async check(session) {
      const { send, workspaceId } = session
      const made = await create(session)
      const expected = { ...INPUT, workspace_id: workspaceId, failing_since: null, last_error: null }
      for (const [member, value] of Object.entries(expected)) assert.deepEqual(made[member], value)
      assert.match(String(made['id']), /^nch_[0-9a-z]{26}$/)
      assert.deepEqual(assertAnswer(await send('GET', pathOf(made))), made)
      const list = assertAnswer(await send('GET', PATH))
      assert.deepEqual(list, { notification_channels: [made], next_cursor: null })
      const change = { name: 'Others', events: ['task.failed'], config: { room: 'repairs' } }
      const changed = assertAnswer(await send('PATCH', pathOf(made), { body: change }))
      assert.deepEqual({ ...changed, updated_at: '' }, { ...made, ...change, updated_at: '' })
      assertAnswer(await send('DELETE', pathOf(made)), 204)
      assertError(await send('GET', pathOf(made)), 404, 'RESOURCE_NOT_FOUND')
      assertError(await send('DELETE', pathOf(made)), 404, 'RESOURCE_NOT_FOUND')
      assertError(await send('POST', `${pathOf(made)}/test`), 404, 'RESOURCE_NOT_FOUND')
    },
  },
  {
    id: 'channels.types',
    name: 'the registered types of channels are listed, to all who can read channels',
    async check({ send }) {
      const { notification_channel_types: types } = assertAnswer(
        await send('GET', `${PATH.slice(0, -1)}-types`),
      )
      const room = { name: 'room', label: 'Room', hint: 'Who hears of it', kind: 'text', optional: false }
      const url = { name: 'url', label: 'URL', hint: null, kind: 'url', optional: true }
      assert.deepEqual(types, [
        { name: SUITE_CHANNEL_TYPE, label: 'Conformance', secrets: ['url'], fields: [room, url] },
      ])
    },
  },
  {
    id: 'channels.secrets',
    name: 'secrets are masked in every answer and stay over a change that does not name them',
    options: allowLoopback,
    async check(session) {
      const { send, storage, workspaceId, clock } = session
      const url = `https://receiver.example/${SECRET}`
      const texts: string[] = []
      const sent = async (method: string, path: string, body?: object): Promise<Record<string, unknown>> => {
        const answer = await send(method, path, { body })
        texts.push(answer.text)
        return answer.json()
      }
      const made = await sent('POST', PATH, { ...INPUT, config: { room: 'orders', url } })
      const masked = { room: 'orders', url: '********' }
      assert.deepEqual(made['config'], masked)
      const stored = async (): Promise<string> => {
        const query = { within: workspaceId, channelId: String(made['id']) }
        const [channel] = await storage.channels.listChannels(query, { now: clock.now() })
        texts.push(JSON.stringify(channel))
        return channel?.secrets['url'] ?? ''
      }
      const sealed = await stored()
      assert.match(sealed, /^v1\./)
      const renamed = await sent('PATCH', pathOf(made), { name: 'Renamed' })
      assert.deepEqual(renamed['config'], masked)
      const moved = await sent('PATCH', pathOf(made), { config: { room: 'repairs' } })
      assert.deepEqual(moved['config'], { ...masked, room: 'repairs' })
      const back = await sent('PATCH', pathOf(made), { config: masked })
      assert.deepEqual([back['config'], await stored()], [masked, sealed])
      const refused = await sent('PATCH', pathOf(made), { config: { room: 7 } })
      assert.equal((refused['error'] as { code: string }).code, 'INVALID_REQUEST')
      const replaced = await sent('PATCH', pathOf(made), { config: { room: 'x', url: `${url}2` } })
      assert.deepEqual(replaced['config'], { ...masked, room: 'x' })
      assert.notEqual(await stored(), sealed)
      await sent('GET', PATH)
      await sent('GET', pathOf(made))
      const removed = await sent('PATCH', pathOf(made), { config: { room: 'x', url: null } })
      assert.deepEqual([removed['config'], await stored()], [{ room: 'x' }, ''])
      assert.deepEqual(
        texts.filter((text) => text.includes('HUNTER2')),
        [],
      )
    },
  },
  {
    id: 'channels.faults',
    name: 'an invalid channel is refused by its field, an unknown type with the types that there are',
    async check({ send }) {
      const refused = async (body: object, field: string, issue?: string) => {
        const answer = await send('POST', PATH, { body: { ...INPUT, ...body } })
        assertError(answer, 400, 'INVALID_REQUEST', field)
        if (issue !== undefined) {
          const { error } = answer.json() as { error: { details: { issue: string } } }
          assert.equal(error.details.issue, issue)
        }
      }
      await refused({ type: 'fax' }, 'type', `type must be one of ${SUITE_CHANNEL_TYPE}, not fax`)
      await refused({ name: ' ' }, 'name')
      await refused({ events: [] }, 'events')
      await refused({ events: ['task.progress'] }, 'events')
      await refused({ config: [] }, 'config')
      await refused({ config: {} }, 'config', 'config.room must be text')
      await refused({ config: { room: 'x', fax: 1 } }, 'config', 'config.fax is not known')
      const local = { room: 'x', url: 'https://127.0.0.1/' }
      await refused({ config: local }, 'config', 'config.url must be at a public address')
      const masked = { room: 'x', url: '********' }
      await refused({ config: masked }, 'config', 'config.url must be the secret itself')
      const typed = await send('PATCH', `${PATH}/nch_1`, { body: { type: 'fax' } })
      assertError(typed, 400, 'INVALID_REQUEST', 'type')
      const list = assertAnswer(await send('GET', PATH))
      assert.deepEqual(list['notification_channels'], [])
    },
  },
  {
    id: 'channels.workspace',
    name: 'a channel is set up in the named workspace, if the caller reaches it, and a key of another one does not see it',
    async check(session) {
      const { send, taskboard, accountId, workspaceId } = session
      const second = await taskboard.accounts.createWorkspace(accountId, { name: 'Second' })
      const made = await create(session, { workspace_id: second.id })
      assert.equal(made['workspace_id'], second.id)
      const { key } = await session.makeKey(['webhooks:read'], workspaceId)
      assertError(await send('GET', pathOf(made), { as: key }), 404, 'RESOURCE_NOT_FOUND')
      const listed = await send('GET', `${PATH}?workspace_id=${second.id}`)
      assert.deepEqual(assertAnswer(listed)['notification_channels'], [made])
      const none = await send('GET', PATH)
      assert.deepEqual(assertAnswer(none)['notification_channels'], [])
      for (const stranger of [session.stranger.workspaceId, 'ws_00000000000000000000000000']) {
        const answer = await send('POST', PATH, { body: { ...INPUT, workspace_id: stranger } })
        assertError(answer, 404, 'RESOURCE_NOT_FOUND', 'workspace_id')
      }
    },
  },
  {
    id: 'channels.pages',
    name: 'a list of channels has pages',
    async check(session) {
      const made = [await create(session), await create(session), await create(session)]
      const first = assertAnswer(await session.send('GET', `${PATH}?limit=2`))
      assert.deepEqual(first['notification_channels'], made.slice(0, 2))
      const rest = await session.send('GET', `${PATH}?limit=2&cursor=${String(first['next_cursor'])}`)
      assert.deepEqual(assertAnswer(rest), { notification_channels: made.slice(2), next_cursor: null })
      for (const query of ['limit=0', 'limit=1001']) {
        assertError(await session.send('GET', `${PATH}?${query}`), 400, 'INVALID_REQUEST', 'limit')
      }
      assertError(await session.send('GET', `${PATH}?cursor=x`), 400, 'INVALID_REQUEST', 'cursor')
    },
  },
  {
    id: 'channels.idempotency',
    name: 'the same Idempotency-Key sets up one channel, and refuses another',
    async check({ send }) {
      const post = (body: object) => send('POST', PATH, { body, headers: { 'idempotency-key': 'once' } })
      const first = assertAnswer(await post(INPUT), 201)
      assert.deepEqual(assertAnswer(await post(INPUT), 201), first)
      assertError(await post({ ...INPUT, name: 'Another' }), 409, 'CONFLICT')
      assert.deepEqual(assertAnswer(await send('GET', PATH))['notification_channels'], [first])
    },
  },
  {
    id: 'channels.quota',
    name: 'the channels of an account are limited by its tier, over its workspaces, and a deleted one makes room',
    options: { tiers: { enterprise: { quota: { notificationChannels: 2 } } } },
    async check(session) {
      const { send, taskboard, accountId } = session
      const second = await taskboard.accounts.createWorkspace(accountId, { name: 'Second' })
      const made = await create(session)
      await create(session, { workspace_id: second.id })
      assertError(await send('POST', PATH, { body: INPUT }), 402, 'QUOTA_EXCEEDED')
      const { usage } = assertAnswer(await send('GET', '/v2/account')) as Record<
        string,
        Record<string, unknown>
      >
      assert.deepEqual(usage?.['notification_channels'], { used: 2, limit: 2 })
      assertAnswer(await send('DELETE', pathOf(made)), 204)
      await create(session)
    },
  },
  {
    id: 'channels.test',
    name: 'a test is delivered at once, and answers with the outcome without the secret',
    options: allowLoopback,
    async check(session) {
      const { send } = session
      const receiver = await webhookReceiver()
      try {
        const endpoint = receiver.at(`/${SECRET}`)
        const made = await create(session, { config: { room: 'orders', url: endpoint.url } })
        const success = assertAnswer(await send('POST', `${pathOf(made)}/test`))
        assert.deepEqual([success['delivered'], success['error']], [true, null])
        const [delivery] = endpoint.deliveries
        const { id: _, ...body } =
          delivery?.json === undefined ? {} : (delivery.json as Record<string, unknown>)
        const text = 'New task: A sample task'
        assert.deepEqual(body, { room: 'orders', text, type: 'task.created', seq: 0, isTest: true })
        endpoint.respond({ status: 500, body: `no such hook ${endpoint.url}` })
        const failure = await send('POST', `${pathOf(made)}/test`)
        const { delivered, error } = assertAnswer(failure)
        assert.equal(delivered, false)
        assert.match(String(error), /\*{8} did not take it: HTTP 500 no such hook \*{8}/)
        assert.equal(failure.text.includes('HUNTER2'), false)
        const { last_error: lastError } = assertAnswer(await send('GET', pathOf(made)))
        assert.equal(lastError, null)
      } finally {
        await receiver.close()
      }
    },
  },
  {
    id: 'channels.test-limit',
    name: 'a channel is tested five times an hour at most, whoever asks, and the others as before',
    async check(session) {
      const { send, clock } = session
      const [made, other] = [await create(session), await create(session, { name: 'Other' })]
      const test = (channel: typeof made) => send('POST', `${pathOf(channel)}/test`)
      for (let count = 0; count < 5; count++) assertAnswer(await test(made))
      const refused = await test(made)
      assertError(refused, 429, 'RATE_LIMIT_EXCEEDED')
      const retryAfter = Number(refused.headers['retry-after'])
      assert.ok(retryAfter > 3_500 && retryAfter <= 3_600, `${retryAfter} s`)
      assertAnswer(await test(other))
      await clock.advance({ hours: 1 })
      assertAnswer(await test(made))
    },
  },
  {
    id: 'channels.delivery',
    name: 'a channel receives what it subscribes to, in order; a failure is shown, and retried until it succeeds',
    options: allowLoopback,
    async check(session) {
      const { send, taskboard, clock, stranger } = session
      const receiver = await webhookReceiver()
      try {
        const endpoint = receiver.at(`/${SECRET}`)
        await taskboard.start()
        const made = await create(session, { config: { room: 'orders', url: endpoint.url } })
        await taskboard.board(stranger.workspaceId).add({ title: 'theirs' })
        const add = async (title: string) =>
          assertAnswer(await send('POST', '/v2/tasks', { body: { title } }), 201)
        await add('First')
        await clock.advance({ seconds: 1 })
        assert.deepEqual(textsOf(endpoint.deliveries), ['New task: First'])
        endpoint.respond(503)
        await taskboard.publish(session.workspaceId, 'agent.alert', { message: 'not subscribed' })
        await add('Second')
        await add('Third')
        await clock.advance({ seconds: 10 })
        const failing = await send('GET', pathOf(made))
        const { failing_since: since, last_error: lastError } = assertAnswer(failing)
        assert.ok(since !== null, failing.text)
        assert.match(String(lastError), /HTTP 503/)
        assert.equal(failing.text.includes('HUNTER2'), false)
        const before = endpoint.deliveries.length
        assert.ok(before > 3)
        endpoint.respond(200)
        await clock.advance({ minutes: 1 })
        assert.deepEqual(textsOf(endpoint.deliveries.slice(before)), ['New task: Second', 'New task: Third'])
        const well = assertAnswer(await send('GET', pathOf(made)))
        assert.deepEqual([well['failing_since'], well['last_error']], [null, null])
        assert.ok(well['last_delivered_at'] !== null)
      } finally {
        await receiver.close()
      }
    },
  },
]

function textsOf(deliveries: readonly { readonly json: unknown }[]): readonly string[] {
  return deliveries.map(({ json }) => (json as { text: string }).text)
}
