import assert from 'node:assert/strict'
import { createTenantFixture } from './tenant-fixture.js'
import type { V2Check } from './v2-case.js'
import { suiteBot } from './suite-bot.js'
import { assertAnswer, assertError } from './v2-session.js'

/** The accounts and conversations of messengers. */
export const messengerCases: readonly V2Check[] = [
  {
    id: 'messengers.code',
    name: 'a user gets a code that links an account, and sees and ends the link; nobody else does',
    options: { bots: [suiteBot], publicUrl: 'https://app.example' },
    async check({ send, token, storage, clock, accountId }) {
      const as = token
      const before = assertAnswer(await send('GET', '/v2/messengers', { as }))
      assert.deepEqual(before, { messengers: [{ name: 'suite', label: 'Suite' }], links: [] })
      const body = { time_zone: 'Europe/Oslo' }
      const made = assertAnswer(await send('POST', '/v2/messengers/codes', { as, body }), 201)
      const code = String(made['code'])
      assert.match(code, /^[0-9a-z]{4}(-[0-9a-z]{4}){2}$/)
      assert.equal(made['expires_at'], new Date(clock.now() + 600_000).toISOString())
      assert.deepEqual(made['addresses'], { suite: `https://suite.example/${code.replaceAll('-', '')}` })
      assertError(await send('POST', '/v2/messengers/codes', { body }), 403, 'AUTHORIZATION_FAILED')
      const wrong = { time_zone: 'Mars/Olympus' }
      const refused = await send('POST', '/v2/messengers/codes', { as, body: wrong })
      assertError(refused, 400, 'INVALID_REQUEST', 'time_zone')
      const userId = (await storage.access.listUsers({ accountId }, { now: null }))[0]?.id ?? ''
      const codeHash = 'another code'
      const owner = { userId, accountId, timeZone: 'Europe/Oslo' }
      const { id: codeId } = await storage.bots.insertLinkCode(
        { ...owner, codeHash, ttlMs: 1_000 },
        { now: null },
      )
      const shown = { bot: 'suite', externalId: 'U1', secretHash: 's' }
      await storage.bots.offerLink({ codeHash, name: 'Ada', ...shown }, { now: null })
      const link = await storage.bots.settleLink({ codeId, ...shown, accepts: true, most: 5 }, { now: null })
      const { links } = assertAnswer(await send('GET', '/v2/messengers', { as })) as { links: unknown[] }
      assert.equal(links.length, 1)
      const at = `/v2/messengers/links/${link?.id ?? ''}`
      assertAnswer(await send('DELETE', at, { as }), 204)
      assertError(await send('DELETE', at, { as }), 404, 'RESOURCE_NOT_FOUND')
    },
  },
  {
    id: 'messengers.conversations',
    name: 'the conversations of an account are listed, and disconnected once',
    async check(session) {
      const { ids } = await createTenantFixture(session, session)
      await createTenantFixture(session, session.stranger)
      const { conversations } = assertAnswer(await session.send('GET', '/v2/messengers/conversations')) as {
        conversations: { id: string; title: string; failure: string | null }[]
      }
      assert.deepEqual(
        conversations.map(({ id, title, failure }) => [id, title, failure]),
        [[ids['conversation_id'], 'theirs', null]],
      )
      const at = `/v2/messengers/conversations/${ids['conversation_id'] ?? ''}`
      assertAnswer(await session.send('DELETE', at), 204)
      assertError(await session.send('DELETE', at), 404, 'RESOURCE_NOT_FOUND')
    },
  },
]
