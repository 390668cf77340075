import { memoryStorage } from '@taskboard/memory'
import { plainPasswordHasher, virtualClock } from '@taskboard/testing'
import { describe, expect, it } from 'vitest'
import { createEnvironment, type Logger } from '../environment/index.js'
import { createTaskboard } from '../wiring/taskboard.js'
import { createLoginCodeTokens } from './access-token.js'
import { createLoginCodes } from './login-codes.js'

const HERE = { clientAddress: '203.0.113.7' }
const email = 'ada@example.com'
const owner = { email, password: 'correct horse battery' }

/** Two processes on one storage, and a user. */
async function setUp() {
  const clock = virtualClock()
  const storage = memoryStorage()
  const lines: string[] = []
  const note = (fields: object, message: string) => void lines.push(message + JSON.stringify(fields))
  const logger: Logger = { debug: note, info: note, warn: note, error: note, fatal: note }
  const open = (secret = 's'.repeat(32)) =>
    createTaskboard({ storage, clock, logger, tokens: { secret }, passwordHasher: plainPasswordHasher })
  const [board, other] = [open(), open()]
  const { user } = await board.accounts.create({ name: 'Ada', tier: 'professional', owner })
  if (user === null) throw new Error('no user')
  return { clock, open, board, other, user, lines }
}

function loginOf({ services }: ReturnType<typeof createTaskboard>) {
  if (services.login === null) throw new Error('no login')
  return services.login
}

function whoIs({ services }: ReturnType<typeof createTaskboard>, token: string) {
  const header = (name: string) => (name === 'authorization' ? `Bearer ${token}` : undefined)
  return services.authenticate({ method: 'GET', path: '/', clientAddress: '::1', header })
}

const refused = { code: 'UNAUTHORIZED' }

describe('a login code', () => {
  it('begins a session of its user, named by id or by address', async () => {
    const { board, other, user } = await setUp()
    for (const named of [{ userId: user.id }, { email: ' Ada@Example.com' }]) {
      const { code, ttlMs } = await loginOf(board).createLoginCode(named)
      expect(ttlMs).toBe(600_000)
      const tokens = await loginOf(other).sessions.loginByCode(code, HERE)
      expect(await whoIs(board, tokens.accessToken)).toMatchObject({ id: user.id, kind: 'user' })
      const next = await loginOf(board).sessions.refresh(tokens.refreshToken, HERE)
      expect(next.accessToken).not.toBe('')
    }
  })

  it('says whom it logs in, as often as it is asked, and can still be used', async () => {
    const { board } = await setUp()
    const { sessions, createLoginCode } = loginOf(board)
    const { code } = await createLoginCode({ email })
    for (let times = 0; times < 2; times++) {
      expect(await sessions.showCode(code, HERE)).toEqual({ email, accountName: 'Ada' })
    }
    await expect(sessions.showCode(`${code}x`, HERE)).rejects.toMatchObject(refused)
    await expect(sessions.loginByCode(code, HERE)).resolves.toMatchObject({ tokenType: 'Bearer' })
  })

  it('is good for one of all who show it, in all processes', async () => {
    const { board, other, open } = await setUp()
    const { code } = await loginOf(board).createLoginCode({ email })
    const shown = [board, other, board, other].map((each) => loginOf(each).sessions.loginByCode(code, HERE))
    const outcomes = await Promise.allSettled(shown)
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    await expect(loginOf(open()).sessions.loginByCode(code, HERE)).rejects.toMatchObject(refused)
  })

  it('expires after ten minutes, or the time it was given, and is not good again later', async () => {
    const { board, clock } = await setUp()
    const { sessions, createLoginCode } = loginOf(board)
    const used = await createLoginCode({ email })
    await sessions.loginByCode(used.code, HERE)
    const unused = await createLoginCode({ email })
    const short = await createLoginCode({ email, ttlMs: 5_000 })
    await clock.advance({ seconds: 5 })
    await expect(sessions.loginByCode(short.code, HERE)).rejects.toMatchObject(refused)
    await clock.advance({ minutes: 9, seconds: 54 })
    await expect(sessions.loginByCode(used.code, HERE)).rejects.toMatchObject(refused)
    await clock.advance({ seconds: 1 })
    await expect(sessions.loginByCode(unused.code, HERE)).rejects.toMatchObject(refused)
  })

  it('is good once also where the clock of another process is minutes behind', async () => {
    const clock = virtualClock()
    const { limits } = memoryStorage()
    const signIn = {
      userId: 'user_1',
      email,
      isEmailVerified: true,
      accountId: 'acct_1',
      accountName: 'Acme',
      passwordHash: 'h',
      mfaSecret: null,
      mfaPendingSecret: null,
      asOf: 0,
    }
    const codesOf = (behindMs: number) => {
      const own = { ...clock, now: () => clock.now() - behindMs }
      const names = { secret: new Uint8Array(32), issuer: 'us', audience: 'us' }
      return createLoginCodes({
        environment: { ...createEnvironment({ clock: own }), storageNow: () => clock.now() },
        store: { findSignIn: async () => signIn },
        limits,
        codeTokens: createLoginCodeTokens(names, own),
      })
    }
    const { code } = await codesOf(0).create({ email })
    expect(await codesOf(0).redeem(code)).toEqual(signIn)
    await clock.advance({ minutes: 12 })
    expect(await codesOf(240_000).redeem(code)).toBeNull()
  })

  it('ends with the password and with the user', async () => {
    const { board, user } = await setUp()
    const { sessions, createLoginCode } = loginOf(board)
    const before = await createLoginCode({ email })
    await board.accounts.setPassword(user.id, 'another horse battery')
    await expect(sessions.loginByCode(before.code, HERE)).rejects.toMatchObject(refused)
    const after = await createLoginCode({ email })
    await board.accounts.deleteUser(user.id)
    await expect(sessions.loginByCode(after.code, HERE)).rejects.toMatchObject(refused)
    await expect(createLoginCode({ email })).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  it('is no access token, and an access token or a code of another board is no code', async () => {
    const { board, open } = await setUp()
    const { sessions, createLoginCode } = loginOf(board)
    const { code } = await createLoginCode({ email })
    expect(await whoIs(board, code)).toBeNull()
    const { accessToken } = await sessions.loginByCode(code, HERE)
    const foreign = await loginOf(open('t'.repeat(32))).createLoginCode({ email })
    for (const wrong of [accessToken, foreign.code, '', 'x'.repeat(5_000), `${code.slice(0, -2)}AA`]) {
      await expect(sessions.loginByCode(wrong, HERE)).rejects.toMatchObject(refused)
    }
  })

  it('cannot be guessed at: wrong ones are limited by address', async () => {
    const { board } = await setUp()
    const { sessions, createLoginCode } = loginOf(board)
    for (let guess = 0; guess < 60; guess++) {
      await expect(sessions.loginByCode(`guess ${guess}`, HERE)).rejects.toMatchObject(refused)
    }
    await expect(sessions.loginByCode('guess', HERE)).rejects.toMatchObject({ code: 'RATE_LIMITED' })
    const { code } = await createLoginCode({ email })
    expect(await sessions.loginByCode(code, HERE)).toMatchObject({ tokenType: 'Bearer' })
  })

  it('is never logged', async () => {
    const { board, lines } = await setUp()
    const { sessions, createLoginCode } = loginOf(board)
    const { code } = await createLoginCode({ email })
    await sessions.loginByCode(code, HERE)
    await sessions.loginByCode(code, HERE).catch(() => undefined)
    expect(lines.join('\n')).not.toContain(code.slice(0, 40))
  })

  it.each([
    [{}, undefined],
    [{ userId: 'user_1', email }, undefined],
    [{ email, ttlMs: 1_500 }, 'ttlMs'],
    [{ email, ttlMs: 0 }, 'ttlMs'],
    [{ email, ttlMs: 86_401_000 }, 'ttlMs'],
    [{ email: 1 }, 'email'],
  ])('is not made for %j', async (input, field) => {
    const { board } = await setUp()
    const made = loginOf(board).createLoginCode(input as never)
    await expect(made).rejects.toMatchObject({ code: 'INVALID_FIELD', ...(field && { field }) })
  })
})
