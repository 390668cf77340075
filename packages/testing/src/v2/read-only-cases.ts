import assert from 'node:assert/strict'
import { sendRequest } from '../transport/http-client.js'
import { SUITE_CHANNEL_TYPE } from './suite-channel-type.js'
import type { V2Check } from './v2-case.js'
import { assertAnswer, assertError, SUITE_AGENT_TYPE } from './v2-session.js'

/** A body for each path that makes something. */
const creates: Readonly<Record<string, object>> = {
  tasks: { title: 'a task' },
  agents: { name: 'one more', type: SUITE_AGENT_TYPE },
  webhooks: { url: 'https://receiver.example/read-only', events: ['task.created'] },
  'notification-channels': {
    type: SUITE_CHANNEL_TYPE,
    name: 'c',
    config: { room: 'r' },
    events: ['task.created'],
  },
  schedules: { cron: '0 9 * * 1', task: { title: 'every week' } },
  'account/api-keys': { name: 'one more', scopes: ['tasks:read'] },
}

/** Accounts that take no writes. */
export const readOnlyCases: readonly V2Check[] = [
  {
    id: 'read-only',
    name: 'a read-only account can be read, and each write is answered 503 with Retry-After, also by the board API',
    async check({ send, token, taskboard, accountId, host, key }) {
      const add = () =>
        sendRequest(host.url, {
          method: 'POST',
          path: '/api/board?action=add',
          body: { title: 'a task' },
          headers: { authorization: `Bearer ${key}` },
        })
      await taskboard.accounts.update(accountId, { readOnly: true })
      assertAnswer(await send('GET', '/v2/tasks'))
      for (const [path, body] of Object.entries(creates)) {
        const answer = await send('POST', `/v2/${path}`, { as: token, body })
        assertError(answer, 503, 'SERVICE_UNAVAILABLE')
        assert.equal(answer.headers['retry-after'], '5')
      }
      const refused = await add()
      assert.deepEqual([refused.status, refused.headers['retry-after']], [503, '5'])
      await taskboard.accounts.update(accountId, { readOnly: false })
      assertAnswer(await send('POST', '/v2/tasks', { as: token, body: creates['tasks'] ?? {} }), 201)
      assert.equal((await add()).status, 200)
    },
  },
]
