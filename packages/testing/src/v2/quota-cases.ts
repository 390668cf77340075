import assert from 'node:assert/strict'
import { sendRequest, type ClientResponse } from '../transport/http-client.js'
import type { V2Check } from './v2-case.js'
import { assertAnswer, assertError, SUITE_AGENT_TYPE, type V2Session } from './v2-session.js'
import { SUITE_CHANNEL_TYPE } from './suite-channel-type.js'

const WEBHOOK = { url: 'https://receiver.example/hook', events: ['task.created'] }
const CHANNEL = { type: SUITE_CHANNEL_TYPE, name: 'c', config: { room: 'r' }, events: ['task.created'] }

/** Each webhook has another URL: the same one again isn't a second webhook. */
let webhookCount = 0

/** A create through API v2; under an `Idempotency-Key` where one is given. */
function create(
  { send, token }: V2Session,
  what: 'tasks' | 'agents' | 'webhooks' | 'notification-channels' | 'schedules' | 'account/api-keys',
  idempotencyKey?: string,
): Promise<ClientResponse> {
  const body = {
    tasks: { title: 'a task' },
    agents: { name: 'one more', type: SUITE_AGENT_TYPE },
    webhooks: { ...WEBHOOK, url: `${WEBHOOK.url}/${idempotencyKey ?? (webhookCount += 1)}` },
    'notification-channels': CHANNEL,
    schedules: { cron: '0 9 * * 1', task: { title: 'every week' } },
    'account/api-keys': { name: 'one more', scopes: ['tasks:read'] },
  }[what]
  return send('POST', `/v2/${what}`, {
    as: token,
    body,
    headers: idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey },
  })
}

/** A create through the board API. */
const byBoard = (
  { host, key }: V2Session,
  path: string,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<ClientResponse> =>
  sendRequest(host.url, {
    method: 'POST',
    path,
    body,
    headers: { authorization: `Bearer ${key}`, ...headers },
  })

async function usage({ send }: V2Session): Promise<Record<string, { used: number; limit: number }>> {
  return assertAnswer(await send('GET', '/v2/account'))['usage'] as Record<
    string,
    { used: number; limit: number }
  >
}

/** Sends creates at the same time; returns how many were made and that the others were over the quota. */
async function countMade(creating: readonly Promise<ClientResponse>[], field: string): Promise<number> {
  const answers = await Promise.all(creating)
  const made = answers.filter(({ status }) => status === 201)
  for (const answer of answers.filter(({ status }) => status !== 201))
    assertError(answer, 402, 'QUOTA_EXCEEDED', field)
  return made.length
}

/** Quotas of tiers. */
export const quotaCases: readonly V2Check[] = [
  {
    id: 'quotas.tasks',
    name: 'both APIs create as many tasks as the month covers together, and then answer 402',
    options: { tiers: { enterprise: { quota: { tasksPerMonth: 3 } } } },
    async check(session) {
      assertAnswer(await create(session, 'tasks'), 201)
      assert.equal((await byBoard(session, '/api/board?action=add', { title: 'a task' })).status, 200)
      assertError(
        await session.send('POST', '/v2/tasks', { body: { title: ' ' } }),
        400,
        'INVALID_REQUEST',
        'title',
      )
      assert.equal((await byBoard(session, '/api/board?action=add', { title: ' ' })).status, 400)
      const { tasks_per_month: tasks } = await usage(session)
      assert.deepEqual([tasks?.used, tasks?.limit], [2, 3])
      assertAnswer(await create(session, 'tasks'), 201)
      assertError(await create(session, 'tasks'), 402, 'QUOTA_EXCEEDED', 'tasks_per_month')
      const refused = await byBoard(session, '/api/board?action=add', { title: 'a task' })
      assert.deepEqual([refused.status, refused.json()['code']], [402, 'QUOTA_EXCEEDED'])
      // Errors of a request come before the quota's refusal, on both APIs, with and without an idempotency key.
      for (const headers of [{}, { 'idempotency-key': 'bad' }] as const) {
        const bad = await byBoard(session, '/api/board?action=add', {}, headers)
        assert.deepEqual([bad.status, bad.json()['code']], [400, 'MISSING_FIELD'])
      }
      assertError(
        await session.send('POST', '/v2/tasks', { body: { title: ' ' } }),
        400,
        'INVALID_REQUEST',
        'title',
      )
      // Others are not meant.
      const { stranger, send } = session
      assertAnswer(await send('POST', '/v2/tasks', { as: stranger.key, body: { title: 'a task' } }), 201)
    },
  },
  {
    id: 'quotas.repeats',
    name: 'a repeat under the same Idempotency-Key uses no quota, and is answered when the quota is used up',
    options: { tiers: { enterprise: { quota: { tasksPerMonth: 2, webhooks: 1 } } } },
    async check(session) {
      for (const what of ['tasks', 'webhooks'] as const) {
        const first = assertAnswer(await create(session, what, 'one'), 201)
        assert.equal(assertAnswer(await create(session, what, 'one'), 201)['id'], first['id'])
        if (what === 'tasks') assertAnswer(await create(session, what, 'two'), 201)
        assertError(await create(session, what, 'three'), 402, 'QUOTA_EXCEEDED')
        assert.equal(assertAnswer(await create(session, what, 'one'), 201)['id'], first['id'])
      }
      const { tasks } = assertAnswer(await session.send('GET', '/v2/tasks'))
      assert.equal((tasks as unknown[]).length, 2)
      const { webhooks } = assertAnswer(await session.send('GET', '/v2/webhooks'))
      const [{ id, url, events }] = webhooks as [{ id: string; url: string; events: string[] }]
      const same = await session.send('POST', '/v2/webhooks', { body: { url, events } })
      assert.equal(assertAnswer(same, 201)['id'], id)
    },
  },
  {
    id: 'quotas.at-once',
    name: 'concurrent creates stay within the quota',
    options: {
      tiers: {
        enterprise: {
          quota: {
            tasksPerMonth: 4,
            agents: 3,
            apiKeys: 3,
            webhooks: 2,
            notificationChannels: 1,
            schedules: 5,
          },
        },
      },
    },
    async check(session) {
      const many = (what: Parameters<typeof create>[1]) =>
        Array.from({ length: 6 }, () => create(session, what))
      assert.equal(await countMade(many('tasks'), 'tasks_per_month'), 4)
      // One came with the workspace, and one is the session's own.
      assert.equal(await countMade(many('agents'), 'agents'), 2)
      assert.equal(await countMade(many('account/api-keys'), 'api_keys'), 2)
      assert.equal(await countMade(many('webhooks'), 'webhooks'), 2)
      assert.equal(await countMade(many('notification-channels'), 'notification_channels'), 1)
      assert.equal(await countMade(many('schedules'), 'schedules'), 5)
      const used = Object.values(await usage(session)).map((each) => [each.used, each.limit])
      assert.deepEqual(used, [
        [4, 4],
        [3, 3],
        [3, 3],
        [2, 2],
        [1, 1],
        [5, 5],
      ])
    },
  },
  {
    id: 'quotas.held',
    name: 'what is deleted or revoked makes room; the board API and a new workspace with its agent ask too',
    options: { tiers: { enterprise: { quota: { agents: 1, apiKeys: 2, webhooks: 1 } } } },
    async check(session) {
      const { send, token } = session
      const { id: webhookId } = assertAnswer(await create(session, 'webhooks'), 201)
      const refused = await byBoard(session, '/api/webhooks/create', WEBHOOK)
      assert.deepEqual([refused.status, refused.json()['code']], [402, 'QUOTA_EXCEEDED'])
      assertAnswer(await send('DELETE', `/v2/webhooks/${String(webhookId)}`), 204)
      assert.equal((await byBoard(session, '/api/webhooks/create', WEBHOOK)).status, 200)

      const { id: keyId } = assertAnswer(await create(session, 'account/api-keys'), 201)
      assertError(await create(session, 'account/api-keys'), 402, 'QUOTA_EXCEEDED', 'api_keys')
      assertAnswer(await send('POST', `/v2/account/api-keys/${String(keyId)}/rotate`, { as: token }), 201)
      assertAnswer(await send('DELETE', `/v2/account/api-keys/${String(keyId)}`, { as: token }), 204)
      assertError(await create(session, 'account/api-keys'), 402, 'QUOTA_EXCEEDED', 'api_keys')

      const second = await send('POST', '/v2/workspaces', { body: { name: 'Second' } })
      assertError(second, 402, 'QUOTA_EXCEEDED', 'agents')
      const { workspaces } = assertAnswer(await send('GET', '/v2/account'))
      assert.equal((workspaces as unknown[]).length, 1)
    },
  },
]
