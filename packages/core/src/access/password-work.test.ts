import { describe, expect, it } from 'vitest'
import type { PasswordHasher } from './password-hasher.js'
import { createPasswordWork, type PasswordClient } from './password-work.js'

const stranger = (key: string): PasswordClient => ({ key, isKnown: false })
const known = (key: string): PasswordClient => ({ key, isKnown: true })

/** Work on passwords that ends when the test says so. */
function setUp(limits: { atOnce?: number; mostWaiting?: number } = {}) {
  const begun: string[] = []
  const running: (() => void)[] = []
  const hasher: PasswordHasher = {
    hash: (password) =>
      new Promise((resolve) => {
        begun.push(password)
        running.push(() => resolve(password))
      }),
    verify: () => Promise.resolve(true),
    decoy: '',
  }
  const work = createPasswordWork({ hasher, atOnce: 1, ...limits })
  const refused: string[] = []
  const ask = (password: string, client: PasswordClient): void => {
    work.hash(password, client).catch((error: { code: string }) => {
      expect(error).toMatchObject({ code: 'SERVICE_UNAVAILABLE', retryAfterMs: 1_000 })
      refused.push(password)
    })
  }
  const finish = async (): Promise<readonly string[]> => {
    for (let end = running.shift(); end !== undefined; end = running.shift()) {
      end()
      await new Promise((resolve) => setImmediate(resolve))
    }
    return begun
  }
  return { begun, refused, ask, finish, settle: () => new Promise((resolve) => setImmediate(resolve)) }
}

describe('work on passwords', () => {
  it('runs a few at once, and the others in the order in which one client asked', async () => {
    const { begun, ask, finish } = setUp({ atOnce: 2 })
    for (const password of ['a', 'b', 'c', 'd']) ask(password, stranger('one'))
    expect(begun).toEqual(['a', 'b'])
    expect(await finish()).toEqual(['a', 'b', 'c', 'd'])
  })

  it('is shared in turn between clients', async () => {
    const { ask, finish } = setUp()
    for (const password of ['a', 'b', 'c', 'd']) ask(password, stranger('many'))
    for (const client of ['x', 'y']) ask(client, stranger(client))
    expect(await finish()).toEqual(['a', 'b', 'x', 'y', 'c', 'd'])
  })

  it('is for known clients first', async () => {
    const { ask, finish } = setUp()
    for (const password of ['a', 'b', 'c']) ask(password, stranger(password))
    for (const password of ['1', '2']) ask(password, known('ada'))
    ask('3', known('eve'))
    expect(await finish()).toEqual(['a', '1', '3', '2', 'b', 'c'])
  })

  it('has a bound, at which the client with most gives way to others, and strangers to known clients', async () => {
    const { refused, ask, finish, settle } = setUp({ mostWaiting: 4 })
    ask('first', stranger('flood'))
    for (const password of ['a', 'b', 'c', 'd', 'e']) ask(password, stranger('flood'))
    await settle()
    expect(refused).toEqual(['e'])
    ask('x', stranger('other'))
    ask('1', known('ada'))
    await settle()
    expect(refused).toEqual(['e', 'd', 'c'])
    expect(await finish()).toEqual(['first', '1', 'a', 'x', 'b'])
  })

  it('refuses a known client only when nobody else waits', async () => {
    const { refused, ask, settle } = setUp({ mostWaiting: 2 })
    ask('first', known('ada'))
    for (const password of ['a', 'b', 'c']) ask(password, known(password))
    await settle()
    expect(refused).toEqual(['c'])
  })

  it('takes from the longest queue when all who wait are known, and from nobody who waits less than who comes', async () => {
    const { refused, ask, finish, settle } = setUp({ mostWaiting: 4 })
    ask('first', known('flood'))
    for (const password of ['a', 'b', 'c', 'd', 'e']) ask(password, known('flood'))
    for (const password of ['1', '2', '3']) ask(password, known('ada'))
    ask('x', stranger('eve'))
    ask('y', stranger('eve'))
    await settle()
    expect(refused).toEqual(['e', 'd', 'c', '3', 'b', 'y'])
    expect(await finish()).toEqual(['first', 'a', '1', '2', 'x'])
  })
})
