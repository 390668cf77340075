import { oneTimePassword } from '@taskboard/kit/access/one-time-password'
import { virtualClock } from '@taskboard/testing'
import { describe, expect, it } from 'vitest'
import { linkBoard } from '../../../test/link-board.js'

const owner = { email: 'ada@acme.example', password: 'correct horse battery' }
const MINUTE_MS = 60_000

/** A board whose links ask for Taskboard's login, with the link of a person. */
async function withLogin() {
  const clock = virtualClock(Date.UTC(2026, 0, 5, 9))
  const made = await linkBoard({
    clock,
    tokens: { secret: 'x'.repeat(32) },
    secrets: { encryptionKey: '0'.repeat(64) },
    links: { requireLogin: true },
  })
  const { id } = await made.taskboard.accounts.createUser(made.accountId, owner)
  const { token, taskId } = await made.ask(id)
  const logIn = async (form: Readonly<Record<string, string>>) => {
    const response = await made.send(token, form)
    return { ...response, cookie: (response.headers['set-cookie'] ?? '').split(';')[0] ?? '' }
  }
  return { ...made, clock, token, taskId, userId: id, logIn }
}

describe('the login on the page of a link', () => {
  it('shows the request to the person who knows the password, for ten minutes', async () => {
    const { clock, token, send, logIn, board, taskId } = await withLogin()
    expect(await send(token)).toMatchObject({ status: 401 })
    expect((await send(token, { answer: 'green' })).body).not.toContain('Which color?')
    const wrong = await logIn({ password: 'wrong' })
    expect([wrong.status, wrong.cookie]).toEqual([401, ''])
    expect(wrong.body).toContain('The password is wrong.')
    const right = await logIn({ password: owner.password })
    expect(right).toMatchObject({ status: 303, headers: { location: '?' } })
    expect(right.headers['set-cookie']).toMatch(
      /^taskboard-link=[\w.-]+; Path=\/v2\/decide; HttpOnly; SameSite=Strict; Secure; Max-Age=600$/,
    )
    const { cookie } = right
    expect((await send(token, undefined, { cookie: `other=1; ${cookie}` })).body).toContain('Which color?')
    await clock.advance(10 * MINUTE_MS - 1)
    expect(await send(token, undefined, { cookie })).toMatchObject({ status: 200 })
    await clock.advance(1)
    expect(await send(token, { answer: 'green' }, { cookie })).toMatchObject({ status: 401 })
    const again = await logIn({ password: owner.password })
    expect((await send(token, { answer: 'green' }, { cookie: again.cookie })).body).toContain('Answered by')
    expect((await board.comments(taskId)).comments.at(-1)).toMatchObject({ kind: 'answer', body: 'green' })
  })

  it('passes for that link and person alone, and for nothing that others have made', async () => {
    const { taskboard, accountId, userId, token, send, ask, logIn } = await withLogin()
    const { cookie } = await logIn({ password: owner.password })
    const eve = await taskboard.accounts.createUser(accountId, { ...owner, email: 'eve@acme.example' })
    const others = [(await ask(userId)).token, (await ask(eve.id)).token]
    for (const other of others)
      expect(await send(other, undefined, { cookie })).toMatchObject({ status: 401 })
    for (const forged of ['', 'e30', 'x'.repeat(2_000), cookie.slice('taskboard-link='.length, -2)]) {
      const sent = { cookie: `taskboard-link=${forged}` }
      expect(await send(token, undefined, sent)).toMatchObject({ status: 401 })
    }
  })

  it('asks for the second factor of a person who has one', async () => {
    const { taskboard, clock, userId, logIn } = await withLogin()
    const { login } = taskboard.services
    if (login === null) throw new Error('there is no login')
    const { secret } = await login.mfa.begin(userId)
    const code = () => oneTimePassword(secret, clock.now())
    await login.mfa.confirm({ userId, sessionId: 'none' }, code(), { kind: 'host' })
    await clock.advance({ minutes: 1 })
    const { password } = owner
    expect((await logIn({ password })).body).toContain('The code is missing or wrong.')
    expect(await logIn({ password, code: code() })).toMatchObject({ status: 303 })
  })
})
