import assert from 'node:assert/strict'
import { sendRequest, type ClientResponse } from '../transport/http-client.js'
import type { V2Check } from './v2-case.js'
import { assertError, type V2Session } from './v2-session.js'

const HOUR_MS = 3_600_000
const HEADERS = ['limit', 'remaining', 'reset', 'burst', 'burst-remaining'].map(
  (name) => `x-ratelimit-${name}`,
)

/** The five headers in order; null for each missing one. */
function limitsOf({ headers }: ClientResponse): (number | null)[] {
  return HEADERS.map((name) => (headers[name] === undefined ? null : Number(headers[name])))
}

/** The end of the present hour, in epoch seconds. */
const resetOf = ({ clock }: V2Session): number => ((Math.floor(clock.now() / HOUR_MS) + 1) * HOUR_MS) / 1_000

const askBoard = ({ host, key }: V2Session): Promise<ClientResponse> =>
  sendRequest(host.url, { path: '/api/board?action=todo', headers: { authorization: `Bearer ${key}` } })

/** The limits of tiers. */
export const limitCases: readonly V2Check[] = [
  {
    id: 'limits.headers',
    name: 'every response to a known caller has the limits of the hour and the minute, and counts in both',
    async check(session) {
      const { send, makeKey } = session
      const { key: reader } = await makeKey(['tasks:read'])
      const answers = [
        await send('GET', '/v2/account'),
        await send('GET', '/v2/tasks/task_00000000000000000000000000'),
        await send('PUT', '/v2/account'),
        await send('GET', '/v2/account', { as: reader }),
        await send('POST', '/v2/workspaces', { body: '{' }),
        await send('POST', '/v2/workspaces', { body: { name: 'Second' } }),
      ]
      assert.deepEqual(
        answers.map(({ status }) => status),
        [200, 404, 405, 403, 400, 201],
      )
      for (const [index, answer] of answers.entries())
        assert.deepEqual(limitsOf(answer), [100_000, 99_999 - index, resetOf(session), 2_000, 1_999 - index])
    },
  },
  {
    id: 'limits.nobody',
    name: 'a response without a caller has no limits',
    async check({ send }) {
      for (const path of ['/v2/account', '/v2/openapi.json'])
        assert.deepEqual(limitsOf(await send('GET', path, { as: null })), [null, null, null, null, null])
    },
  },
  {
    id: 'limits.burst',
    name: 'a full minute is 429 and consumes nothing; after exactly Retry-After the next request passes',
    options: { tiers: { enterprise: { requestsPerHour: 10, burstPerMinute: 3 } } },
    async check(session) {
      const { send, clock, taskboard, workspaceId } = session
      const task = await taskboard.board(workspaceId).add({ title: 'a secret' })
      for (let count = 0; count < 3; count++) assert.equal((await send('GET', '/v2/account')).status, 200)
      for (let count = 0; count < 3; count++) {
        const refused = await send('GET', '/v2/account')
        assertError(refused, 429, 'RATE_LIMIT_EXCEEDED')
        assert.deepEqual(limitsOf(refused), [10, 7, resetOf(session), 3, 0])
      }
      // Only the credential is checked before.
      const refused = await send('PUT', '/v2/account')
      assertError(refused, 429, 'RATE_LIMIT_EXCEEDED')
      for (const id of [task.id, 'task_00000000000000000000000000'])
        assertError(await send('GET', `/v2/tasks/${id}`), 429, 'RATE_LIMIT_EXCEEDED')
      const seconds = Number(refused.headers['retry-after'])
      assert.ok(Number.isInteger(seconds) && seconds >= 1 && seconds <= 61, String(seconds))
      await clock.advance({ seconds: seconds - 1 })
      assert.equal((await send('GET', '/v2/account')).status, 429)
      await clock.advance({ seconds: 1 })
      assert.deepEqual(limitsOf(await send('GET', '/v2/account')), [10, 6, resetOf(session), 3, 2])
    },
  },
  {
    id: 'limits.hour',
    name: 'a full hour is 429 until its end, and consumes nothing of the minute',
    options: { tiers: { enterprise: { requestsPerHour: 2, burstPerMinute: 9 } } },
    async check(session) {
      const { send, clock } = session
      await send('GET', '/v2/account')
      await send('GET', '/v2/account')
      const reset = resetOf(session)
      for (let count = 0; count < 3; count++) {
        const refused = await send('GET', '/v2/account')
        assertError(refused, 429, 'RATE_LIMIT_EXCEEDED')
        assert.deepEqual(limitsOf(refused), [2, 0, reset, 9, 7])
        assert.equal(Number(refused.headers['retry-after']), Math.ceil(reset - clock.now() / 1_000))
      }
      await clock.advance(reset * 1_000 - clock.now() - 1)
      assert.equal((await send('GET', '/v2/account')).status, 429)
      await clock.advance(1)
      const next = await send('GET', '/v2/account')
      assert.deepEqual([next.status, ...limitsOf(next)], [200, 2, 1, reset + 3_600, 9, 8])
    },
  },
  {
    id: 'limits.account',
    name: 'all credentials of an account count together, other accounts and the board API apart',
    options: { tiers: { enterprise: { burstPerMinute: 2 } } },
    async check(session) {
      const { send, makeKey, stranger, workspaceId } = session
      const { key } = await makeKey(['account:read'], workspaceId)
      for (let count = 0; count < 9; count++) assert.equal((await askBoard(session)).status, 200)
      assert.equal((await send('GET', '/v2/account')).status, 200)
      assert.equal((await send('GET', '/v2/account', { as: key })).status, 200)
      for (const as of [session.key, key, session.token])
        assertError(await send('GET', '/v2/account', { as }), 429, 'RATE_LIMIT_EXCEEDED')
      assert.equal((await send('GET', '/v2/account', { as: stranger.key })).status, 200)
      const board = await askBoard(session)
      assert.deepEqual([board.status, ...limitsOf(board)], [200, null, null, null, null, null])
    },
  },
  {
    id: 'limits.at-once',
    name: 'of many requests at once exactly the burst passes, each with a different remaining count',
    options: { tiers: { enterprise: { burstPerMinute: 20 } } },
    async check({ send }) {
      const answers = await Promise.all(Array.from({ length: 40 }, () => send('GET', '/v2/account')))
      const passed = answers.filter(({ status }) => status === 200)
      const left = passed.map((answer) => limitsOf(answer)[4] ?? -1).toSorted((a, b) => a - b)
      assert.deepEqual(
        left,
        Array.from({ length: 20 }, (_, index) => index),
      )
    },
  },
  {
    id: 'limits.unlimited',
    name: 'what is not limited has no headers',
    options: { tiers: { enterprise: { requestsPerHour: null, burstPerMinute: null } } },
    async check({ send, taskboard }) {
      const unlimited = await send('GET', '/v2/account')
      assert.deepEqual(limitsOf(unlimited), [null, null, null, null, null])
      const { account } = await taskboard.accounts.create({ name: 'Own terms', tier: 'custom' })
      const scopes = ['account:read'] as const
      const { key } = await taskboard.accounts.createKey({
        accountId: account.id,
        name: 'k',
        scopes: [...scopes],
      })
      const custom = await send('GET', '/v2/account', { as: key })
      assert.deepEqual([custom.status, ...limitsOf(custom)], [200, null, null, null, null, null])
    },
  },
  {
    id: 'limits.headers-of-each-answer',
    name: 'the account has the limits of its tier',
    options: { tiers: { enterprise: { burstPerMinute: null, quota: { agents: 9 } } } },
    async check({ send }) {
      const { limits, usage } = (await send('GET', '/v2/account')).json()
      assert.deepEqual(limits, {
        requests_per_hour: 100_000,
        burst_per_minute: null,
        websocket_connections: 100,
      })
      assert.deepEqual((usage as Record<string, unknown>)['agents'], { used: 1, limit: 9 })
    },
  },
]
