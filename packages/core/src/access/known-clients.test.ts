import { memoryStorage } from '@taskboard/memory'
import { virtualClock } from '@taskboard/testing'
import { expect, it } from 'vitest'
import { createTaskboard } from '../wiring/taskboard.js'
import type { PasswordHasher } from './password-hasher.js'

const owner = { email: 'ada@example.com', password: 'correct horse battery' }
const FROM_ADA = '203.0.113.7'

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
  const { login } = board.services
  if (login === null) throw new Error('no login')
  const begin = async (password: string, clientAddress: string): Promise<void> => {
    void login.sessions.login({ ...owner, password }, { clientAddress }).catch(() => null)
    await clock.settle()
  }
  const finish = async (): Promise<readonly string[]> => {
    for (let end = running.shift(); end !== undefined; end = running.shift()) {
      end()
      await clock.settle()
    }
    return checked.splice(0)
  }
  return { begin, finish }
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
