import { memoryStorage } from '@taskboard/memory'
import { virtualClock } from '@taskboard/testing'
import { describe, expect, it } from 'vitest'
import { createTaskboard } from '../wiring/taskboard.js'
import { createKnownClients } from './known-clients.js'
import type { PasswordHasher } from './password-hasher.js'

const owner = { email: 'ada@example.com', password: 'correct horse battery' }
const FROM_ADA = '203.0.113.7'

const eve = { email: 'eve@example.com', password: 'the horse of somebody else' }
const evesUsers = Array.from({ length: 11 }, (_, number) => `eve${number}@example.com`)

/** A board that checks two passwords at once, each until `finish` is called. */
async function setUp() {
  const running: (() => void)[] = []
  const checked: string[] = []
  const hasher: PasswordHasher = {
    hash: (password) => Promise.resolve(password),
    async verify(password, stored) {
      checked.push(password)
      await new Promise<void>((resolve) => running.push(resolve))
      return password === stored
    },
    decoy: 'none',
  }
  const clock = virtualClock()
  const board = createTaskboard({
    storage: memoryStorage(),
    clock,
    logger: false,
    tokens: { secret: 's'.repeat(32) },
    passwordHasher: hasher,
  })
  await board.accounts.create({ name: 'Ada', tier: 'professional', owner })
  const { account } = await board.accounts.create({ name: 'Eve', tier: 'custom', owner: eve })
  for (const email of evesUsers) await board.accounts.createUser(account.id, { ...eve, email })
  const { login } = board.services
  if (login === null) throw new Error('no login')
  const outcomes = new Map<string, string>()
  const begin = async (password: string, clientAddress: string, email = owner.email): Promise<void> => {
    void login.sessions.login({ email, password }, { clientAddress }).then(
      () => outcomes.set(password, 'in'),
      (error: { readonly code: string }) => outcomes.set(password, error.code),
    )
    await clock.settle()
  }
  const finish = async (): Promise<readonly string[]> => {
    for (let end = running.shift(); end !== undefined; end = running.shift()) {
      end()
      await clock.settle()
    }
    return checked.splice(0)
  }
  return { begin, finish, outcomes }
}

it.each([
  ['before those of strangers, after a login from there', owner.password, ['s1', 's2', 'late', 's3', 's4']],
  ['in turn, after a wrong one', 'wrong', ['s1', 's2', 's3', 's4', 'late']],
])('a password is checked %s', async (_, first, order) => {
  const { begin, finish } = await setUp()
  await begin(first, FROM_ADA)
  expect(await finish()).toEqual([first])
  for (const number of [1, 2, 3, 4]) await begin(`s${number}`, `198.51.100.${number}`)
  await begin('late', FROM_ADA)
  expect(await finish()).toEqual(order)
})

const numbers = Array.from({ length: 110 }, (_, number) => number)

describe('a flood of passwords, from 110 networks from which its sender has logged in', () => {
  it.each([
    [
      'of one IPv6 site, as eleven users',
      (number: number) => `2001:db8:5:${number.toString(16)}::1`,
      evesUsers,
    ],
    [
      'of as many IPv6 sites, as one user',
      (number: number) => `2001:db8:${number.toString(16)}::1`,
      [eve.email],
    ],
    ['of as many IPv4 addresses, as one user', (number: number) => `198.51.100.${number}`, [eve.email]],
  ])('keeps out nobody else who has logged in before: %s', async (_, addressOf, users) => {
    const { begin, finish, outcomes } = await setUp()
    await begin(owner.password, FROM_ADA)
    await finish()
    for (const number of numbers) {
      await begin(eve.password, addressOf(number), users[number % users.length])
      await finish()
    }
    outcomes.clear()
    for (const number of numbers) await begin(`wrong ${number}`, addressOf(number), `n${number}@example.com`)
    await begin(owner.password, FROM_ADA)
    await finish()
    // The session is signed outside of the virtual clock.
    await expect.poll(() => outcomes.get(owner.password)).toBe('in')
  })
})

describe('the clients that are remembered', () => {
  it('are those that have logged in last', () => {
    const clients = createKnownClients(2)
    for (const key of ['a', 'b', 'a', 'c']) clients.add(key)
    expect(['a', 'b', 'c'].map((key) => clients.has(key))).toEqual([true, false, true])
  })

  it('are few where one user was the last to log in', () => {
    const clients = createKnownClients(4, 2)
    for (const [key, user] of ['a', 'b', 'c', 'office'].map((each) => [each, 'eve'] as const))
      clients.add(key, user)
    expect(['a', 'b', 'c', 'office'].map((key) => clients.has(key))).toEqual([false, false, true, true])
    clients.add('office', 'ada')
    for (const key of ['d', 'e']) clients.add(key, 'eve')
    expect(['c', 'd', 'e', 'office'].map((key) => clients.has(key))).toEqual([false, true, true, true])
  })
})
