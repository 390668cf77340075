import assert from 'node:assert/strict'
import { sendRequest } from '../transport/http-client.js'
import type { V2Check } from './v2-case.js'
import { assertAnswer, assertError, type V2Session } from './v2-session.js'
import { forge, forgeries } from './forged-tokens.js'
import { TOKEN_SECRET } from './login-options.js'
import { logIn, makeUser, tryLogin, tryRefresh, type WireTokens } from './login-session.js'

const SECOND_MS = 1_000

async function seesAccount({ send }: V2Session, token: string): Promise<boolean> {
  const { status } = await send('GET', '/v2/account', { as: token })
  assert.ok(status === 200 || status === 401)
  return status === 200
}

/** Login, refresh and logout. */
export const authCases: readonly V2Check[] = [
  {
    id: 'auth.absent',
    name: 'without the board’s own login there are no routes for it',
    options: { tokens: undefined },
    async check({ send, openApi }) {
      assert.equal(openApi.document.paths['/v2/auth/login'], undefined)
      assert.equal((await send('GET', '/v2/account')).status, 200)
    },
  },
  {
    id: 'auth.look-alikes',
    name: 'addresses that look alike are one address, and none has characters that do not show',
    async check(session) {
      const user = await makeUser(session, 'ｆｉｎ@Example.com')
      assert.equal(user.email, 'fin@example.com')
      for (const email of ['fin@example.com', 'ﬁn@example.com', 'ＦＩＮ＠ｅｘａｍｐｌｅ．ｃｏｍ']) {
        await logIn(session, { email })
        await assert.rejects(makeUser(session, email), { code: 'CONFLICT', field: 'email' })
      }
      for (const hidden of ['\u200b', '\u00ad', '\u2060', '\u202e', '\ufe0f']) {
        const email = `f${hidden}in@example.com`
        await assert.rejects(makeUser(session, email), { code: 'INVALID_FIELD', field: 'email' })
        assertError(await tryLogin(session, { email }), 401, 'AUTHENTICATION_FAILED')
      }
    },
  },
  {
    id: 'auth.login',
    name: 'a login returns tokens; the access token acts for the user on the whole account',
    // Passwords are hashed as in production.
    options: { passwordHasher: undefined },
    async check(session) {
      const user = await makeUser(session, ' Ada@Example.com ')
      const tokens = await logIn(session, { email: 'ADA@example.com' })
      assert.deepEqual([tokens.token_type, tokens.expires_in], ['Bearer', 900])
      assert.equal(tokens.access_token.split('.').length, 3)
      const body = assertAnswer(await session.send('GET', '/v2/account', { as: tokens.access_token }))
      const { caller } = body as { caller: { id: string; kind: string } }
      assert.deepEqual([body['id'], caller.id, caller.kind], [session.accountId, user.id, 'user'])
      const authorization = `Bearer ${tokens.access_token}`
      const v1 = { path: '/api/board?action=todo', headers: { authorization } }
      assert.equal((await sendRequest(session.host.url, v1)).status, 200)
    },
  },
  {
    id: 'auth.login-faults',
    name: 'a login needs an address and a password as text',
    async check({ send }) {
      const attempt = (body: object) => send('POST', '/v2/auth/login', { as: null, body })
      assertError(await attempt({}), 400, 'INVALID_REQUEST', 'email')
      assertError(await attempt({ email: 'a@b.c' }), 400, 'INVALID_REQUEST', 'password')
      assertError(await attempt({ email: 7, password: 'x' }), 400, 'INVALID_REQUEST', 'email')
      const long = { email: 'a@b.c', password: 'x'.repeat(257) }
      assertError(await attempt(long), 400, 'INVALID_REQUEST', 'password')
      assertError(await send('GET', '/v2/auth/login', { as: null }), 405, 'METHOD_NOT_ALLOWED')
    },
  },
  {
    id: 'auth.alike',
    name: 'an unknown address and a wrong password are answered alike, and so is the lock',
    async check(session) {
      await makeUser(session)
      const plain = async (email: string): Promise<string> => {
        const answer = await tryLogin(session, { email, password: 'wrong' })
        const text = answer.text.replaceAll(/"(request_id|timestamp)":"[^"]*"/g, '')
        return `${answer.status} ${String(answer.headers['retry-after'])} ${text}`
      }
      for (let count = 0; count < 12; count++) {
        assert.equal(await plain('nobody@example.com'), await plain('ada@example.com'))
      }
    },
  },
  {
    id: 'auth.lock',
    name: 'ten wrong passwords at once lock for 15 minutes: the eleventh is not checked, nor is the right one',
    async check(session) {
      await makeUser(session)
      const answers = await Promise.all(
        Array.from({ length: 25 }, () => tryLogin(session, { password: 'wrong' })),
      )
      assert.equal(answers.filter(({ status }) => status === 401).length, 10)
      const refused = await tryLogin(session)
      assertError(refused, 429, 'RATE_LIMIT_EXCEEDED')
      assert.equal(refused.headers['retry-after'], '900')
      await session.clock.advance(899_999)
      assert.equal((await tryLogin(session)).status, 429)
      await session.clock.advance(1)
      await logIn(session)
      for (let count = 0; count < 9; count++) await tryLogin(session, { password: 'wrong' })
      await logIn(session)
      assert.equal((await tryLogin(session, { password: 'wrong' })).status, 401)
    },
  },
  {
    id: 'auth.refresh-at-once',
    name: 'two refreshes at once give one new pair, and the session lives',
    async check(session) {
      await makeUser(session)
      const first = await logIn(session)
      const answers = await Promise.all([1, 2].map(() => tryRefresh(session, first.refresh_token)))
      const won = answers.filter(({ status }) => status === 200)
      assert.equal(won.length, 1)
      const lost = answers.find(({ status }) => status !== 200)
      if (lost !== undefined) assertError(lost, 401, 'AUTHENTICATION_FAILED')
      const next = won[0]?.json() as WireTokens | undefined
      assert.ok(next !== undefined && (await seesAccount(session, next.access_token)))
      assert.equal((await tryRefresh(session, next.refresh_token)).status, 200)
    },
  },
  {
    id: 'auth.refresh-reuse',
    name: 'a refresh token again within ten seconds harms nothing, and later ends the session',
    async check(session) {
      await makeUser(session)
      const first = await logIn(session)
      const second = assertAnswer(await tryRefresh(session, first.refresh_token)) as unknown as WireTokens
      await session.clock.advance(10 * SECOND_MS - 1)
      assertError(await tryRefresh(session, first.refresh_token), 401, 'AUTHENTICATION_FAILED')
      assert.ok(await seesAccount(session, second.access_token))
      await session.clock.advance(1)
      assertError(await tryRefresh(session, first.refresh_token), 401, 'AUTHENTICATION_FAILED')
      assert.equal(await seesAccount(session, second.access_token), false)
      assertError(await tryRefresh(session, second.refresh_token), 401, 'AUTHENTICATION_FAILED')
      assertError(await tryRefresh(session, 'nonsense'), 401, 'AUTHENTICATION_FAILED')
    },
  },
  {
    id: 'auth.logout',
    name: 'a logout ends only the session of its token',
    async check(session) {
      await makeUser(session)
      const [one, two, three] = [await logIn(session), await logIn(session), await logIn(session)]
      const { send } = session
      const byRefresh = { as: null, body: { refresh_token: one.refresh_token } }
      assertAnswer(await send('POST', '/v2/auth/logout', byRefresh), 204)
      assertAnswer(await send('POST', '/v2/auth/logout', byRefresh), 204)
      assertAnswer(await send('POST', '/v2/auth/logout', { as: two.access_token }), 204)
      assert.equal(await seesAccount(session, one.access_token), false)
      assert.equal(await seesAccount(session, two.access_token), false)
      assert.ok(await seesAccount(session, three.access_token))
      assertError(await tryRefresh(session, two.refresh_token), 401, 'AUTHENTICATION_FAILED')
      const without = await send('POST', '/v2/auth/logout', { as: null })
      assertError(without, 400, 'INVALID_REQUEST', 'refresh_token')
    },
  },
  {
    id: 'auth.forged',
    name: 'a forged or changed access token is 401, whatever it claims',
    async check(session) {
      await makeUser(session)
      const { access_token: good } = await logIn(session)
      assert.ok(await seesAccount(session, forge(good, TOKEN_SECRET, { name: 'no change' })))
      for (const forgery of forgeries(Math.floor(session.clock.now() / SECOND_MS))) {
        const token = forge(good, TOKEN_SECRET, forgery)
        const answer = await session.send('GET', '/v2/account', { as: token })
        assert.equal(answer.status, 401, `${forgery.name}: ${answer.text}`)
      }
      assert.equal(await seesAccount(session, `${good}x`), false)
    },
  },
  {
    id: 'auth.expiry',
    name: 'an access token expires; the session continues with its refresh token',
    async check(session) {
      await makeUser(session)
      const first = await logIn(session)
      const issuedMs = Math.floor(session.clock.now() / SECOND_MS) * SECOND_MS
      await session.clock.advance(issuedMs + 900 * SECOND_MS - session.clock.now() - 1)
      assert.ok(await seesAccount(session, first.access_token))
      await session.clock.advance(1)
      assert.equal(await seesAccount(session, first.access_token), false)
      const next = assertAnswer(await tryRefresh(session, first.refresh_token)) as unknown as WireTokens
      assert.ok(await seesAccount(session, next.access_token))
    },
  },
]
