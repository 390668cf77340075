import { memoryStorage } from '@taskboard/memory'
import { virtualClock } from '@taskboard/testing'
import { describe, expect, it } from 'vitest'
import { systemRandom } from '../environment/index.js'
import { createTaskboard } from '../wiring/taskboard.js'
import { createScryptHasher, type PasswordHasher } from './password-hasher.js'

const HERE = { clientAddress: '203.0.113.7' }
const OTHER = 'another good password'
const owner = { email: 'ada@example.com', password: 'correct horse battery' }

const hasherOf = (costLog2: number): PasswordHasher => createScryptHasher({ random: systemRandom, costLog2 })

/** A board whose hashes cost as much. */
function boardOf(costLog2: number, storage = memoryStorage(), passwordHasher = hasherOf(costLog2)) {
  const board = createTaskboard({
    storage,
    clock: virtualClock(),
    logger: false,
    tokens: { secret: 's'.repeat(32) },
    passwordHasher,
  })
  const { login } = board.services
  if (login === null) throw new Error('no login')
  const stored = async () =>
    (await storage.sessions.findSignIn({ email: owner.email }, { now: 0 }))?.passwordHash ?? ''
  return { ...board, storage, stored, sessions: login.sessions }
}

describe('a stored password', () => {
  it('is hashed anew at the next right login when new ones cost more, and ends no session', async () => {
    const cheap = boardOf(3)
    await cheap.accounts.create({ name: 'Ada', tier: 'professional', owner })
    const { refreshToken } = await cheap.sessions.login(owner, HERE)
    const before = await cheap.stored()
    const dear = boardOf(4, cheap.storage)
    await expect(dear.sessions.login({ ...owner, password: 'wrong' }, HERE)).rejects.toMatchObject({
      code: 'UNAUTHORIZED',
    })
    expect(await dear.stored()).toBe(before)
    await dear.sessions.login(owner, HERE)
    const after = await dear.stored()
    expect([before, after].map((hash) => hash.split('$')[2])).toEqual(['ln=3,r=8,p=3', 'ln=4,r=8,p=3'])
    await dear.sessions.login(owner, HERE)
    expect(await dear.stored()).toBe(after)
    await dear.sessions.refresh(refreshToken, HERE)
    // A process with the old cost makes it no cheaper.
    await cheap.sessions.login(owner, HERE)
    expect(await dear.stored()).toBe(after)
  })

  it('stays as it is when a login has no time to hash it again, and the login succeeds', async () => {
    const cheap = boardOf(3)
    await cheap.accounts.create({ name: 'Ada', tier: 'professional', owner })
    const before = await cheap.stored()
    const busy = { ...hasherOf(4), hash: () => Promise.reject(new Error('too busy')) }
    await boardOf(4, cheap.storage, busy).sessions.login(owner, HERE)
    expect(await cheap.stored()).toBe(before)
  })
})

describe('a new password', () => {
  it.each(['passwordpassword', owner.email, 'ADA@example.com'])(
    'such as %j is refused for a new account, a new user and a known one',
    async (password) => {
      const { accounts, stored } = boardOf(3)
      const refused = { code: 'INVALID_FIELD', field: 'password' }
      const weak = { name: 'Weak', tier: 'professional', owner: { ...owner, password } } as const
      await expect(accounts.create(weak)).rejects.toMatchObject(refused)
      const { account } = await accounts.create({ name: 'Acme', tier: 'professional' })
      await expect(accounts.createUser(account.id, { ...owner, password })).rejects.toMatchObject(refused)
      const { id } = await accounts.createUser(account.id, owner)
      const before = await stored()
      await expect(accounts.setPassword(id, password)).rejects.toMatchObject(refused)
      expect(await stored()).toBe(before)
      await accounts.setPassword(id, OTHER)
      expect(await stored()).not.toBe(before)
    },
  )
})
