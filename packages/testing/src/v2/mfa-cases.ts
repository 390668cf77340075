import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import type { V2Check } from './v2-case.js'
import { assertAnswer, assertError, type V2Session } from './v2-session.js'
import { logIn, makeUser, tryLogin } from './login-session.js'

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
const STEP_MS = 30_000

/** The one-time password that an authenticator app shows at `now` for a secret in base 32 (RFC 6238: SHA-1, six digits). */
export function oneTimePassword(secret: string, now: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(now / STEP_MS)))
  const digest = createHmac('sha1', decodeBase32(secret)).update(counter).digest()
  const offset = (digest.at(-1) ?? 0) & 15
  return String((digest.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0')
}

function decodeBase32(text: string): Uint8Array {
  const bits = Array.from(text, (digit) => DIGITS.indexOf(digit).toString(2).padStart(5, '0')).join('')
  return Uint8Array.from(bits.match(/.{8}/g) ?? [], (byte) => Number.parseInt(byte, 2))
}

/** A user who is enrolled, a new one unless `isKnown`, with a token of before that. */
export async function enrol(
  session: V2Session,
  { isKnown = false } = {},
): Promise<{
  readonly secret: string
  readonly token: string
  readonly recoveryCodes: readonly string[]
  /** The code that an app shows now. */
  code(): string
}> {
  const { send, clock } = session
  if (!isKnown) await makeUser(session)
  const { access_token: token } = await logIn(session)
  const begun = assertAnswer(await send('POST', '/v2/account/mfa', { as: token }))
  const secret = String(begun['secret'])
  const code = (): string => oneTimePassword(secret, clock.now())
  const body = { mfa_code: code() }
  const confirmed = assertAnswer(await send('POST', '/v2/account/mfa/confirm', { as: token, body }))
  await clock.advance(STEP_MS)
  return { secret, token, recoveryCodes: confirmed['recovery_codes'] as string[], code }
}

/** Second factors. */
export const mfaCases: readonly V2Check[] = [
  {
    id: 'mfa.enrol',
    name: 'a secret takes effect once its code confirms it; from then on a login requires a code',
    async check(session) {
      const { send, clock } = session
      await makeUser(session)
      const { access_token: as } = await logIn(session)
      const early = await send('POST', '/v2/account/mfa/confirm', { as, body: { mfa_code: '123456' } })
      assertError(early, 409, 'CONFLICT')
      const begun = assertAnswer(await send('POST', '/v2/account/mfa', { as }))
      const uri = new URL(String(begun['otpauth_uri']))
      assert.deepEqual([uri.protocol, uri.host], ['otpauth:', 'totp'])
      assert.equal(uri.searchParams.get('secret'), begun['secret'])
      await logIn(session)
      const wrong = { as, body: { mfa_code: 'abcdef' } }
      const refused = await send('POST', '/v2/account/mfa/confirm', wrong)
      assertError(refused, 400, 'INVALID_REQUEST', 'mfa_code')
      const body = { mfa_code: oneTimePassword(String(begun['secret']), clock.now()) }
      const confirmed = assertAnswer(await send('POST', '/v2/account/mfa/confirm', { as, body }))
      assert.equal(new Set(confirmed['recovery_codes'] as string[]).size, 10)
      assertError(await tryLogin(session), 401, 'AUTHENTICATION_FAILED', 'mfa_code')
      assertError(await tryLogin(session, { password: 'wrong' }), 401, 'AUTHENTICATION_FAILED', '')
      assertError(await tryLogin(session, body), 401, 'AUTHENTICATION_FAILED', 'mfa_code')
      assertError(await send('POST', '/v2/account/mfa', { as }), 409, 'CONFLICT')
    },
  },
  {
    id: 'mfa.anybody',
    name: 'users set up a second factor and end it, whatever their scopes',
    async check(session) {
      await makeUser(session, 'ada@example.com', ['tasks:read'])
      const { token: as, recoveryCodes, code } = await enrol(session, { isKnown: true })
      await logIn(session, { mfa_code: code() })
      const body = { mfa_code: recoveryCodes[0] }
      assertAnswer(await session.send('DELETE', '/v2/account/mfa', { as, body }), 204)
      await logIn(session)
    },
  },
  {
    id: 'mfa.code-once',
    name: 'of twenty logins at once with one code one succeeds',
    async check(session) {
      const { code } = await enrol(session)
      const body = { mfa_code: code() }
      const answers = await Promise.all(Array.from({ length: 20 }, () => tryLogin(session, body)))
      assert.equal(answers.filter(({ status }) => status === 200).length, 1)
      assert.ok(answers.every(({ status }) => [200, 401, 429].includes(status)))
      await session.clock.advance(900_000)
      await logIn(session, { mfa_code: code() })
    },
  },
  {
    id: 'mfa.window',
    name: 'a code may be one step early or late, and no more',
    async check(session) {
      const { secret } = await enrol(session)
      const at = (steps: number) => ({
        mfa_code: oneTimePassword(secret, session.clock.now() + steps * STEP_MS),
      })
      await session.clock.advance(5 * STEP_MS)
      for (const steps of [-2, 2]) assert.equal((await tryLogin(session, at(steps))).status, 401)
      for (const steps of [-1, 0, 1]) assert.equal((await tryLogin(session, at(steps))).status, 200)
    },
  },
  {
    id: 'mfa.lock',
    name: 'five wrong codes lock for 15 minutes',
    async check(session) {
      const { code } = await enrol(session)
      for (let count = 0; count < 5; count++) {
        const answer = await tryLogin(session, { mfa_code: 'wrong' })
        assertError(answer, 401, 'AUTHENTICATION_FAILED', 'mfa_code')
      }
      const refused = await tryLogin(session, { mfa_code: code() })
      assertError(refused, 429, 'RATE_LIMIT_EXCEEDED')
      await session.clock.advance(900_000)
      await logIn(session, { mfa_code: code() })
    },
  },
  {
    id: 'mfa.recovery',
    name: 'a recovery code replaces one code, once, in any notation',
    async check(session) {
      const { recoveryCodes } = await enrol(session)
      const [first = '', second = ''] = recoveryCodes
      await logIn(session, { mfa_code: first })
      const again = await tryLogin(session, { mfa_code: first })
      assertError(again, 401, 'AUTHENTICATION_FAILED', 'mfa_code')
      await logIn(session, { mfa_code: ` ${second.replaceAll('-', '').toUpperCase()}` })
    },
  },
  {
    id: 'mfa.remove',
    name: 'a code or a recovery code ends the enrolment, and nothing less does',
    async check(session) {
      const { token: as, recoveryCodes } = await enrol(session)
      const remove = (body: object) => session.send('DELETE', '/v2/account/mfa', { as, body })
      assertError(await remove({}), 400, 'INVALID_REQUEST', 'mfa_code')
      assertError(await remove({ mfa_code: '000 000' }), 400, 'INVALID_REQUEST', 'mfa_code')
      assertAnswer(await remove({ mfa_code: recoveryCodes[3] }), 204)
      await logIn(session)
      assertError(await remove({ mfa_code: recoveryCodes[4] }), 409, 'CONFLICT')
    },
  },
  {
    id: 'mfa.remove-lock',
    name: 'five wrong codes lock the end of the enrolment, too',
    async check(session) {
      const { token: as, code } = await enrol(session)
      const remove = (mfaCode: string) =>
        session.send('DELETE', '/v2/account/mfa', { as, body: { mfa_code: mfaCode } })
      for (let count = 0; count < 5; count++)
        assertError(await remove('wrong'), 400, 'INVALID_REQUEST', 'mfa_code')
      await session.clock.advance(STEP_MS)
      assert.equal((await remove(code())).status, 429)
    },
  },
  {
    id: 'mfa.users-only',
    name: 'an API key has no second factor',
    async check({ send }) {
      assertError(await send('POST', '/v2/account/mfa'), 403, 'AUTHORIZATION_FAILED')
      const body = { mfa_code: '123456' }
      assertError(await send('POST', '/v2/account/mfa/confirm', { body }), 403, 'AUTHORIZATION_FAILED')
      assertError(await send('DELETE', '/v2/account/mfa', { body }), 403, 'AUTHORIZATION_FAILED')
    },
  },
]
