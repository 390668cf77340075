import crypto, { type ScryptOptions } from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemRandom } from '../environment/index.js'
import { createScryptHasher } from './password-hasher.js'

/** What was derived: the time of scrypt is in proportion to N and p. */
const derived: { readonly n: number; readonly p: number }[] = []
const { scrypt } = crypto

function replaceScrypt(by: typeof scrypt): void {
  Object.assign(crypto, { scrypt: by })
  syncBuiltinESMExports()
}

function watched(...given: readonly unknown[]): void {
  const { cost: n = 0, parallelization: p = 0 } = given[3] as ScryptOptions
  derived.push({ n, p })
  Reflect.apply(scrypt, crypto, given)
}

beforeAll(() => replaceScrypt(watched as typeof scrypt))
afterAll(() => replaceScrypt(scrypt))

const hasherOf = (costLog2: number) => createScryptHasher({ random: systemRandom, costLog2 })

/** The work that `work` does, and the most that it does at one time. */
async function workOf(work: () => Promise<unknown>) {
  derived.splice(0)
  await work()
  return {
    sum: derived.reduce((sum, { n, p }) => sum + n * p, 0),
    most: Math.max(...derived.map(({ n }) => n)),
  }
}

describe('a wrong password', () => {
  it.each([
    ['of the present cost', 6, (stored: string) => stored],
    ['of half the cost', 5, (stored: string) => stored],
    ['of an eighth', 3, (stored: string) => stored],
    ['of a third', 6, (stored: string) => stored.replace('p=3', 'p=1')],
    ['of a sixth', 5, (stored: string) => stored.replace('p=3', 'p=1')],
  ])('takes as much work for a hash %s as for an address without a user', async (_, costLog2, change) => {
    const hasher = hasherOf(6)
    const stored = change(await hasherOf(costLog2).hash('right'))
    const ofNobody = await workOf(() => hasher.verify('wrong', hasher.decoy))
    expect(ofNobody.sum).toBe(2 ** 6 * 3)
    const ofUser = await workOf(async () => expect(await hasher.verify('wrong', stored)).toBe(false))
    expect(ofUser.sum).toBe(ofNobody.sum)
    expect(ofUser.most).toBeLessThanOrEqual(2 ** 6)
  })

  it('takes as much as the costliest hash, also in a process with a lower cost', async () => {
    const hasher = hasherOf(5)
    const stored = [await hasherOf(6).hash('right'), hasher.decoy, await hasher.hash('right')]
    const all: number[] = []
    for (const each of stored) all.push((await workOf(() => hasher.verify('wrong', each))).sum)
    expect(all).toEqual([2 ** 6 * 3, 2 ** 6 * 3, 2 ** 6 * 3])
  })
})

it('a right password takes no more than its hash', async () => {
  const stored = await hasherOf(3).hash('right')
  expect((await workOf(() => hasherOf(6).verify('right', stored))).sum).toBe(2 ** 3 * 3)
})
