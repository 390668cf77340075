import { memoryStorage } from '@taskboard/memory'
import { virtualClock } from '@taskboard/testing'
import { describe, expect, it } from 'vitest'
import type { Logger } from '../environment/index.js'
import { createTaskboard } from '../wiring/taskboard.js'
import { createScryptHasher, type PasswordHasher } from './password-hasher.js'
import { systemRandom } from '../environment/index.js'

const PASSWORD = 'correct horse battery'
const HERE = { clientAddress: '2001:db8:1:2::1' }
const email = 'ada@example.com'

/** Records what each check was made against. */
function watchedHasher() {
  const scrypt = createScryptHasher({ random: systemRandom, costLog2: 4 })
  const checked: string[] = []
  const hasher: PasswordHasher = {
    ...scrypt,
    verify(password, stored) {
      checked.push(stored.split('$').slice(1, 3).join(' '))
      return scrypt.verify(password, stored)
    },
  }
  return { hasher, checked }
}

/** Task boards of as many processes on one storage. */
function setUp(processes = 1) {
  const clock = virtualClock()
  const storage = memoryStorage()
  const { hasher, checked } = watchedHasher()
  const lines: string[] = []
  const note = (fields: object, message: string) => void lines.push(message + JSON.stringify(fields))
  const logger: Logger = { debug: note, info: note, warn: note, error: note, fatal: note }
  const boards = Array.from({ length: processes }, () =>
    createTaskboard({
      storage,
      clock,
      logger,
      passwordHasher: hasher,
      tokens: { secret: 's'.repeat(32) },
      secrets: { encryptionKey: '0'.repeat(64) },
    }),
  )
  const [board] = boards
  if (board === undefined) throw new Error('no process')
  return { clock, storage, boards, board, checked, lines }
}

function sessionsOf({ services }: ReturnType<typeof createTaskboard>) {
  if (services.login === null) throw new Error('no login')
  return services.login.sessions
}

function whoIs({ services }: ReturnType<typeof createTaskboard>, token: string) {
  const header = (name: string) => (name === 'authorization' ? `Bearer ${token}` : undefined)
  return services.authenticate({ method: 'GET', path: '/', clientAddress: '::1', header })
}

const createOwned = (board: ReturnType<typeof createTaskboard>) =>
  board.accounts.create({ name: 'Ada', tier: 'custom', owner: { email, password: PASSWORD } })

const code = (name: string) => expect.objectContaining({ code: name })

describe('login', () => {
  it('does the same work for an unknown address and a wrong password', async () => {
    const { board, checked } = setUp()
    await createOwned(board)
    const refused: unknown[] = []
    for (const who of [email, 'nobody@example.com']) {
      const login = { email: who, password: 'wrong' }
      await sessionsOf(board)
        .login(login, HERE)
        .catch((error: unknown) => refused.push(error))
    }
    expect(checked).toEqual(['scrypt ln=4,r=8,p=3', 'scrypt ln=4,r=8,p=3'])
    const [one, other] = refused
    expect(one).toEqual(code('UNAUTHORIZED'))
    expect(one).toEqual(other)
  })

  it('checks ten passwords of forty that are guessed at once over four processes', async () => {
    const { boards, board, checked } = setUp(4)
    await createOwned(board)
    const guesses = Array.from({ length: 40 }, (_, index) => {
      const process = boards[index % 4] ?? board
      return sessionsOf(process).login({ email, password: `wrong ${index}` }, HERE)
    })
    const results = await Promise.allSettled(guesses)
    expect(checked).toHaveLength(10)
    const codes = results.map((each) =>
      each.status === 'rejected' ? (each.reason as { code: string }).code : '',
    )
    expect(codes.filter((each) => each === 'UNAUTHORIZED')).toHaveLength(10)
    expect(codes.filter((each) => each === 'RATE_LIMITED')).toHaveLength(30)
  })

  it('locks a /64 of addresses and no others', async () => {
    const { board } = setUp()
    await createOwned(board)
    const { login } = sessionsOf(board)
    for (let count = 0; count < 10; count++) {
      const clientAddress = `2001:db8:1:2::${count}`
      await expect(login({ email, password: 'wrong' }, { clientAddress })).rejects.toThrow(
        code('UNAUTHORIZED'),
      )
    }
    const right = { email, password: PASSWORD }
    await expect(login(right, HERE)).rejects.toThrow(code('RATE_LIMITED'))
    await expect(login(right, { clientAddress: '2001:db8:1:3::1' })).resolves.toBeDefined()
    await expect(login({ ...right, email: ' ADA@example.com ' }, HERE)).rejects.toThrow(code('RATE_LIMITED'))
  })

  it('is limited for each client address, whatever e-mail addresses it tries', async () => {
    const { board, checked, clock } = setUp()
    const { login } = sessionsOf(board)
    const attempts = Array.from({ length: 61 }, (_, index) =>
      login({ email: `user${index}@example.com`, password: 'wrong' }, HERE),
    )
    const results = await Promise.allSettled(attempts)
    expect(checked).toHaveLength(60)
    expect(results.at(-1)).toMatchObject({ reason: { code: 'RATE_LIMITED', retryAfterMs: 60_000 } })
    await clock.advance(60_000)
    await expect(login({ email, password: 'wrong' }, HERE)).rejects.toThrow(code('UNAUTHORIZED'))
  })

  it('limits failed refreshes, and never a valid one', async () => {
    const { board } = setUp()
    await createOwned(board)
    const { login, refresh } = sessionsOf(board)
    let { refreshToken } = await login({ email, password: PASSWORD }, HERE)
    const unknown = `tbr_${'x'.repeat(65)}`
    for (let count = 0; count < 60; count++) {
      await expect(refresh(unknown, HERE)).rejects.toThrow(code('UNAUTHORIZED'))
      ;({ refreshToken } = await refresh(refreshToken, HERE))
    }
    await expect(refresh('nonsense', HERE)).rejects.toThrow(code('RATE_LIMITED'))
    await expect(refresh(refreshToken, HERE)).resolves.toBeDefined()
  })

  it('ends in every process within a second', async () => {
    const { boards, board, clock } = setUp(2)
    await createOwned(board)
    const [here, there] = [board, boards[1] ?? board]
    const { accessToken, refreshToken } = await sessionsOf(here).login({ email, password: PASSWORD }, HERE)
    expect(await whoIs(here, accessToken)).toMatchObject({ kind: 'user' })
    expect(await whoIs(there, accessToken)).toMatchObject({ kind: 'user' })
    await sessionsOf(here).logout({ refreshToken }, HERE)
    expect(await whoIs(here, accessToken)).toBeNull()
    await clock.advance(1_000)
    expect(await whoIs(there, accessToken)).toBeNull()
  })

  it('ends immediately in this process when a used refresh token is shown again', async () => {
    const { clock, board } = setUp()
    await createOwned(board)
    const { login, refresh } = sessionsOf(board)
    const { accessToken, refreshToken } = await login({ email, password: PASSWORD }, HERE)
    await refresh(refreshToken, HERE)
    await clock.advance({ seconds: 20 })
    expect(await whoIs(board, accessToken)).not.toBeNull()
    await expect(refresh(refreshToken, HERE)).rejects.toThrow(code('UNAUTHORIZED'))
    expect(await whoIs(board, accessToken)).toBeNull()
  })

  it('has its keys refused in another process a second after they were revoked', async () => {
    const { boards, board, clock } = setUp(2)
    const { account } = await createOwned(board)
    const [here, there] = [board, boards[1] ?? board]
    const wanted = { accountId: account.id, name: 'k', scopes: ['tasks:read' as const] }
    const { id, key } = await here.accounts.createKey(wanted)
    expect(await whoIs(there, key)).toMatchObject({ id })
    await here.accounts.revokeKey(account.id, id)
    expect(await whoIs(here, key)).toBeNull()
    await clock.advance(1_000)
    expect(await whoIs(there, key)).toBeNull()
  })

  it('remembers the user of a token, and asks the storage again after a second', async () => {
    const { board, clock, storage } = setUp()
    await createOwned(board)
    const { accessToken } = await sessionsOf(board).login({ email, password: PASSWORD }, HERE)
    const find = storage.access.findPrincipal
    let asked = 0
    Object.assign(storage.access, {
      findPrincipal: (...input: Parameters<typeof find>) => {
        asked += 1
        return find(...input)
      },
    })
    await whoIs(board, accessToken)
    // At once, so without the storage and without a check of the signature.
    expect(whoIs(board, accessToken)).not.toBeInstanceOf(Promise)
    await clock.advance(1_000)
    await whoIs(board, accessToken)
    expect(asked).toBe(2)
  })

  it('shows no password, token, secret or code in logs, errors and lists', async () => {
    const { board, lines, storage, clock } = setUp()
    const { account, user } = await createOwned(board)
    const { accessToken, refreshToken } = await sessionsOf(board).login({ email, password: PASSWORD }, HERE)
    const begun = await board.services.login?.mfa.begin(user?.id ?? '')
    const errors = await Promise.allSettled([
      sessionsOf(board).login({ email, password: `${PASSWORD}!` }, HERE),
      sessionsOf(board).refresh(`${refreshToken}x`, HERE),
      board.services.login?.mfa.confirm({ userId: user?.id ?? '', sessionId: 'none' }, '000000', {
        kind: 'host',
      }),
    ])
    const { sessions } = storage
    const stored = [
      await sessions.findSignIn({ email }, { now: clock.now() }),
      await sessions.findSignIn({ userId: user?.id ?? '' }, { now: clock.now() }),
    ]
    const logged = errors.map((each) =>
      each.status === 'rejected' ? Object.values(each.reason as object).join() + String(each.reason) : '',
    )
    const seen = JSON.stringify([lines, logged, stored, user, await board.accounts.listUsers(account.id)])
    for (const secret of [PASSWORD, accessToken, refreshToken, refreshToken.slice(4), begun?.secret ?? '?']) {
      expect(seen).not.toContain(secret)
    }
  })
})

describe('users', () => {
  it.each<[string, string, string]>([
    ['password', email, 'eleven char'],
    ['password', email, '😀'.repeat(11)],
    ['password', email, 'x'.repeat(257)],
    ['email', 'ada', PASSWORD],
    ['email', 'a da@example.com', PASSWORD],
    ['email', 'ada@@example.com', PASSWORD],
    ['email', '', PASSWORD],
  ])('need a good %s', async (field, address, password) => {
    const { board } = setUp()
    const { account } = await board.accounts.create({ name: 'Ada', tier: 'custom' })
    const created = board.accounts.createUser(account.id, { email: address, password })
    await expect(created).rejects.toThrow(expect.objectContaining({ code: 'INVALID_FIELD', field }))
  })

  it('have unique addresses on the whole board, ignoring case', async () => {
    const { board } = setUp()
    await createOwned(board)
    const other = await board.accounts.create({ name: 'Bob', tier: 'custom' })
    const again = board.accounts.createUser(other.account.id, {
      email: ' ADA@Example.com',
      password: PASSWORD,
    })
    await expect(again).rejects.toThrow(expect.objectContaining({ code: 'CONFLICT', field: 'email' }))
  })
})

describe('accounts.setPassword', () => {
  const OTHER = 'another good password'

  it('replaces the password and ends the sessions of the old one, at once', async () => {
    const { board } = setUp()
    const { user } = await createOwned(board)
    const sessions = sessionsOf(board)
    const { accessToken, refreshToken } = await sessions.login({ email, password: PASSWORD }, HERE)
    expect(await whoIs(board, accessToken)).toMatchObject({ id: user?.id })
    await board.accounts.setPassword(user?.id ?? '', OTHER)
    expect(await whoIs(board, accessToken)).toBeNull()
    await expect(sessions.refresh(refreshToken, HERE)).rejects.toEqual(code('UNAUTHORIZED'))
    await expect(sessions.login({ email, password: PASSWORD }, HERE)).rejects.toEqual(code('UNAUTHORIZED'))
    await expect(sessions.login({ email, password: OTHER }, HERE)).resolves.toMatchObject({ expiresInS: 900 })
  })

  it('refuses a login that was checked against the old one', async () => {
    const { board, storage } = setUp()
    const { user } = await createOwned(board)
    const { findSignIn } = storage.sessions
    storage.sessions.findSignIn = async (named, call) => {
      const found = await findSignIn(named, call)
      storage.sessions.findSignIn = findSignIn
      await board.accounts.setPassword(user?.id ?? '', OTHER)
      return found
    }
    const login = sessionsOf(board).login({ email, password: PASSWORD }, HERE)
    await expect(login).rejects.toEqual(code('UNAUTHORIZED'))
  })

  it('requires a valid password and a known user', async () => {
    const { board } = setUp()
    const { user } = await createOwned(board)
    const short = board.accounts.setPassword(user?.id ?? '', 'too short')
    await expect(short).rejects.toMatchObject({ code: 'INVALID_FIELD', field: 'password' })
    await expect(board.accounts.setPassword('user_unknown', OTHER)).rejects.toEqual(code('NOT_FOUND'))
  })
})
