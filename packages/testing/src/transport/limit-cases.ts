import assert from 'node:assert/strict'
import { assertDone, assertRefused, sessionCase, WEBHOOKS, type BoardSession } from './board-session.js'
import type { ClientResponse } from './http-client.js'
import type { TransportCase, TransportConformanceOptions } from './transport-case.js'

/** The rate of a key and the guard against guessed ones, over HTTP and on the virtual clock. */
export function limitCases(options: TransportConformanceOptions): readonly TransportCase[] {
  const define = sessionCase.bind(null, options)
  return [
    define('limit-sixty', 'sixty requests pass, the next one after exactly Retry-After', async (session) => {
      for (let i = 0; i < 60; i++) {
        assertDone(await session.action('todo'))
        if (i < 20) await session.clock.advance({ ms: 100 })
      }
      const refused = await session.action('todo')
      assertRefused(refused, 429, 'RATE_LIMITED')
      assert.equal(refused.headers['retry-after'], '58')
      await session.clock.advance({ seconds: 57 })
      assert.equal((await session.action('todo')).headers['retry-after'], '1')
      await session.clock.advance({ seconds: 1 })
      assertDone(await session.action('todo'))
      assertRefused(await session.action('todo'), 429, 'RATE_LIMITED')
    }),
    define('limit-rolling', 'the minute rolls: it does not start over on the clock', async (session) => {
      await session.clock.advance({ seconds: 59 })
      for (let i = 0; i < 60; i++) assertDone(await session.action('todo'))
      await session.clock.advance({ seconds: 2 })
      assertRefused(await session.action('todo'), 429, 'RATE_LIMITED')
    }),
    define('limit-parallel', 'of eighty requests at once exactly sixty pass', async (session) => {
      const answers = await Promise.all(Array.from({ length: 80 }, () => session.action('todo')))
      assert.equal(answers.filter(({ status }) => status === 200).length, 60)
      assert.equal(answers.filter(({ status }) => status === 429).length, 20)
    }),
    define(
      'limit-shared',
      'all operations of a key share its limit, and no other key does',
      async (session) => {
        for (let i = 0; i < 59; i++) assertDone(await session.action(i % 2 === 0 ? 'todo' : 'done'))
        assertDone(await session.action('chat', { message: 'hi' }))
        assertRefused(await session.action('add', { title: 'x' }), 429, 'RATE_LIMITED')
        assertRefused(await session.request({ path: WEBHOOKS, method: 'POST' }), 429, 'RATE_LIMITED')
        assertDone(await session.action('todo', undefined, await otherKey(session)))
      },
    ),
    define(
      'limit-credentials',
      'an address with too many wrong keys waits; a valid key from there does not',
      async (session) => {
        const guess = (): Promise<ClientResponse> =>
          session.action('todo', undefined, { authorization: 'Bearer tb_guess' })
        for (let i = 0; i < 5; i++) {
          const refused = await guess()
          assertRefused(refused, 401, 'UNAUTHORIZED')
          assert.equal(refused.headers['retry-after'], undefined)
        }
        const refused = await guess()
        assertRefused(refused, 401, 'UNAUTHORIZED')
        assert.equal(refused.headers['retry-after'], '60')
        assertDone(await session.action('todo'))
        await session.clock.advance({ seconds: 60 })
        assert.equal((await guess()).headers['retry-after'], undefined)
      },
      { taskboard: { limits: { failedCredentialsPerMinute: 5 } } },
    ),
  ]
}

async function otherKey(session: BoardSession): Promise<{ authorization: string }> {
  return { authorization: `Bearer ${(await session.makeKey()).key}` }
}
