import assert from 'node:assert/strict'
import { PASSWORD } from './login-options.js'
import { logIn, makeUser, tryLogin, tryRefresh, type WireTokens } from './login-session.js'
import { enrol } from './mfa-cases.js'
import type { V2Check } from './v2-case.js'
import { assertAnswer, assertError, type V2Session } from './v2-session.js'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
/** How long a login is a proof. */
const PROOF_MS = 10 * MINUTE_MS
const KEYS = '/v2/account/api-keys'
const SESSIONS = '/v2/account/sessions'

/** What someone with a stolen access token would do to stay. None of the bodies is right, so that nothing changes. */
const lasting = [
  ['POST', '/v2/account/mfa/confirm', { mfa_code: 'none' }],
  ['DELETE', '/v2/account/mfa', { mfa_code: 'none' }],
  ['POST', '/v2/account/password', { current_password: 'wrong', password: 'another horse battery' }],
  ['POST', '/v2/account/members', { email: 'none', password: 'another horse battery' }],
  ['PATCH', '/v2/account/members/user_none', { role: 'viewer' }],
  ['DELETE', '/v2/account/members/user_none', undefined],
  ['DELETE', '/v2/workspaces/ws_none', undefined],
  ['POST', KEYS, { name: 'k', scopes: ['account:write'] }],
  ['POST', KEYS, { name: 'k', scopes: ['tasks:read'] }],
  ['POST', `${KEYS}/ak_none/rotate`, {}],
] as const

function stepUp({ send }: V2Session, as: string, body: object) {
  return send('POST', '/v2/auth/step-up', { as, body })
}

interface Listed {
  readonly id: string
  readonly is_current: boolean
  readonly user_agent: string | null
}

async function sessionsOf({ send }: V2Session, as: string): Promise<readonly Listed[]> {
  return assertAnswer(await send('GET', SESSIONS, { as }))['sessions'] as Listed[]
}

/** Operations that require a recent proof of identity, and the sessions of a user. */
export const proofCases: readonly V2Check[] = [
  {
    id: 'proof.required',
    name: 'what outlives a session requires a login or a step-up within ten minutes, and a refresh is neither',
    async check(session) {
      const { send, clock } = session
      await makeUser(session)
      const first = await logIn(session)
      await clock.advance(PROOF_MS - 1)
      for (const [method, path, body] of lasting) {
        const answer = await send(method, path, { as: first.access_token, body })
        if (method === 'POST' && body !== undefined && 'scopes' in body) assertAnswer(answer, 201)
        else assert.ok([400, 404, 409].includes(answer.status), `${method} ${path}: ${answer.text}`)
      }
      await clock.advance(1)
      const next = assertAnswer(await tryRefresh(session, first.refresh_token)) as unknown as WireTokens
      const as = next.access_token
      for (const [method, path, body] of [...lasting, ['POST', '/v2/account/mfa', {}] as const]) {
        assertError(await send(method, path, { as, body }), 403, 'STEP_UP_REQUIRED')
      }
      assertAnswer(await stepUp(session, as, { password: PASSWORD }), 204)
      assertAnswer(await send('POST', KEYS, { as, body: { name: 'k', scopes: ['account:write'] } }), 201)
    },
  },
  {
    id: 'proof.short-keys',
    name: 'a key of a day with the scopes of tasks alone requires no proof, and no other key goes without',
    async check(session) {
      const { send, clock } = session
      await makeUser(session)
      const { access_token: as } = await logIn(session)
      await clock.advance(PROOF_MS)
      const create = (scopes: readonly string[], lifetimeMs: number) => {
        const expires = new Date(clock.now() + lifetimeMs).toISOString()
        return send('POST', KEYS, { as, body: { name: 'k', scopes, expires_at: expires } })
      }
      assertAnswer(await create(['tasks:read', 'tasks:write'], DAY_MS), 201)
      assertError(await create(['tasks:read', 'tasks:write'], DAY_MS + 1_000), 403, 'STEP_UP_REQUIRED')
      assertError(await create(['tasks:read', 'agents:read'], DAY_MS), 403, 'STEP_UP_REQUIRED')
    },
  },
  {
    id: 'proof.step-up',
    name: 'a step-up takes the password, and a code where the user has a second factor, or a login code of the user',
    async check(session) {
      const { taskboard, clock } = session
      const { code, token: as } = await enrol(session)
      const { id: stranger } = await makeUser(session, 'eve@example.com')
      const { login } = taskboard.services
      const codeOf = async (user: { userId: string } | { email: string }): Promise<string> =>
        (await login?.createLoginCode(user))?.code ?? ''
      assertError(await stepUp(session, as, {}), 400, 'INVALID_REQUEST')
      assertError(await stepUp(session, as, { password: 'wrong' }), 400, 'INVALID_REQUEST', 'password')
      assertError(await stepUp(session, as, { password: PASSWORD }), 400, 'INVALID_REQUEST', 'mfa_code')
      assertAnswer(await stepUp(session, as, { password: PASSWORD, mfa_code: code() }), 204)
      const foreign = await codeOf({ userId: stranger })
      assertError(await stepUp(session, as, { code: foreign }), 400, 'INVALID_REQUEST', 'code')
      await clock.advance(PROOF_MS)
      const own = await codeOf({ email: 'ada@example.com' })
      assertAnswer(await stepUp(session, as, { code: own }), 204)
      assertError(await stepUp(session, as, { code: own }), 400, 'INVALID_REQUEST', 'code')
      const both = { password: PASSWORD, code: await codeOf({ email: 'ada@example.com' }) }
      assertError(await stepUp(session, as, both), 400, 'INVALID_REQUEST')
      assertError(await stepUp(session, session.key, { password: PASSWORD }), 403, 'AUTHORIZATION_FAILED')
    },
  },
  {
    id: 'proof.guesses',
    name: 'wrong passwords of step-ups count with those of logins',
    async check(session) {
      await makeUser(session)
      const { access_token: as } = await logIn(session)
      for (let count = 0; count < 5; count++) {
        assert.equal((await stepUp(session, as, { password: 'wrong' })).status, 400)
        assert.equal((await tryLogin(session, { password: 'wrong' })).status, 401)
      }
      assertError(await stepUp(session, as, { password: PASSWORD }), 429, 'RATE_LIMIT_EXCEEDED')
      assert.equal((await tryLogin(session)).status, 429)
    },
  },
  {
    id: 'proof.factor',
    name: 'a new second factor, and its end, end all other sessions of the user',
    async check(session) {
      const { send, clock } = session
      await makeUser(session)
      const before = await logIn(session)
      const { token: as, code } = await enrol(session, { isKnown: true })
      assert.equal((await send('GET', '/v2/account', { as: before.access_token })).status, 401)
      const other = await logIn(session, { mfa_code: code() })
      await clock.advance(MINUTE_MS)
      assertAnswer(await send('DELETE', '/v2/account/mfa', { as, body: { mfa_code: code() } }), 204)
      assert.equal((await send('GET', '/v2/account', { as: other.access_token })).status, 401)
      assertAnswer(await send('GET', '/v2/account', { as }))
    },
  },
  {
    id: 'proof.factor-reset',
    name: 'the host ends the second factor of a user who has lost it, and the sessions with it',
    async check(session) {
      const { taskboard, accountId, send } = session
      const { token } = await enrol(session)
      const users = await taskboard.accounts.listUsers(accountId)
      const { id = '' } = users.find(({ email }) => email === 'ada@example.com') ?? {}
      await taskboard.accounts.resetSecondFactor(id)
      assert.equal((await send('GET', '/v2/account', { as: token })).status, 401)
      await logIn(session)
      await assert.rejects(taskboard.accounts.resetSecondFactor('user_none'), { code: 'NOT_FOUND' })
    },
  },
  {
    id: 'sessions.list',
    name: 'users see their own sessions, and end one of them or all others',
    async check(session) {
      const { send } = session
      await makeUser(session)
      await makeUser(session, 'eve@example.com')
      const eve = await logIn(session, { email: 'eve@example.com' })
      const [one, two, three] = [await logIn(session), await logIn(session), await logIn(session)]
      const as = two.access_token
      const listed = await sessionsOf(session, as)
      assert.deepEqual(
        listed.map((each) => each.is_current),
        [false, true, false],
      )
      const [newest, , oldest] = listed.map(({ id }) => id)
      assertAnswer(await send('DELETE', `${SESSIONS}/${newest}`, { as }), 204)
      assertError(await send('DELETE', `${SESSIONS}/${newest}`, { as }), 404, 'RESOURCE_NOT_FOUND')
      assert.equal((await send('GET', '/v2/account', { as: three.access_token })).status, 401)
      const foreign = { as: eve.access_token }
      assertError(await send('DELETE', `${SESSIONS}/${oldest}`, foreign), 404, 'RESOURCE_NOT_FOUND')
      assertAnswer(await send('DELETE', SESSIONS, { as }), 204)
      assert.equal((await send('GET', '/v2/account', { as: one.access_token })).status, 401)
      assert.equal((await sessionsOf(session, as)).length, 1)
      assert.equal((await sessionsOf(session, eve.access_token)).length, 1)
      assertError(await send('GET', SESSIONS), 403, 'AUTHORIZATION_FAILED')
    },
  },
  {
    id: 'sessions.longest',
    name: 'a session ends 30 days after its login, however often it is refreshed',
    async check(session) {
      await makeUser(session)
      let { refresh_token: token } = await logIn(session)
      for (let day = 0; day < 29; day++) {
        await session.clock.advance(DAY_MS)
        token = String(assertAnswer(await tryRefresh(session, token))['refresh_token'])
      }
      await session.clock.advance(DAY_MS)
      assertError(await tryRefresh(session, token), 401, 'AUTHENTICATION_FAILED')
    },
  },
]
