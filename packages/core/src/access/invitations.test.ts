import { createTaskboard, isTaskboardError } from '@taskboard/core'
import { memoryStorage } from '@taskboard/memory'
import { plainPasswordHasher, virtualClock } from '@taskboard/testing'
import { describe, expect, it } from 'vitest'
import type { PasswordHasher } from './password-hasher.js'
import type { Principal } from './principal.js'

const PASSWORD = 'correct horse battery'
const HERE = { clientAddress: '203.0.113.7' }
const OFFICE = { clientAddress: '198.51.100.1' }

const codeOf = (error: unknown): string => (isTaskboardError(error) ? error.code : String(error))

/** A board with one owner, and a list of the passwords that were worked on. While `held` is true, that work does not end. */
async function setUp() {
  const worked: string[] = []
  const waiting: (() => void)[] = []
  const gate = { held: false }
  async function work<T>(password: string, result: Promise<T>): Promise<T> {
    worked.push(password)
    if (gate.held) await new Promise<void>((resolve) => waiting.push(resolve))
    return result
  }
  const hasher: PasswordHasher = {
    ...plainPasswordHasher,
    hash: (password) => work(password, plainPasswordHasher.hash(password)),
    verify: (password, stored) => work(password, plainPasswordHasher.verify(password, stored)),
  }
  const clock = virtualClock()
  const board = createTaskboard({
    storage: memoryStorage(),
    clock,
    logger: false,
    passwordHasher: hasher,
    tokens: { secret: 's'.repeat(32) },
    secrets: { encryptionKey: '0'.repeat(64) },
  })
  const owner = { email: 'ada@acme.example', password: PASSWORD }
  const { account, workspace, user } = await board.accounts.create({ name: 'Acme', tier: 'custom', owner })
  const { login } = board.services
  if (login === null || user === null) throw new Error('no login')
  const inviter: Principal = {
    id: user.id,
    kind: 'user',
    accountId: account.id,
    tier: 'custom',
    scopes: user.scopes,
    workspaceIds: 'all',
    defaultWorkspaceId: workspace.id,
  }
  /** Returns the token of a new invitation. */
  async function invite(email: string): Promise<string> {
    const made = await login?.invitations.create(inviter, { email, role: 'member', showLink: true })
    return made?.link?.split('=').at(-1) ?? ''
  }
  async function letGo(): Promise<void> {
    gate.held = false
    while (waiting.length > 0) {
      waiting.shift()?.()
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  const accept = (token: string, password = PASSWORD) =>
    login.invitations.accept({ token, password }, HERE).then(() => 'accepted', codeOf)
  return { board, clock, worked, gate, login, account, inviter, owner, invite, accept, letGo }
}

describe('an invitation', () => {
  it('is no way before people who have logged in: whoever accepts one is a stranger by the address', async () => {
    const { worked, gate, login, owner, invite, accept, letGo } = await setUp()
    await login.sessions.login(owner, OFFICE)
    const tokens = await Promise.all(['a', 'b', 'c', 'd'].map((name) => invite(`${name}@acme.example`)))
    worked.length = 0
    gate.held = true
    const acceptances = tokens.map((token, index) => accept(token, `a long phrase ${index}`))
    await expect.poll(() => worked.length).toBe(2)
    const login2 = login.sessions.login(owner, OFFICE)
    await new Promise((resolve) => setImmediate(resolve))
    await letGo()
    expect(await Promise.all(acceptances)).toEqual(['accepted', 'accepted', 'accepted', 'accepted'])
    await login2
    expect(worked).toEqual([
      'a long phrase 0',
      'a long phrase 1',
      PASSWORD,
      'a long phrase 2',
      'a long phrase 3',
    ])
  })

  it('costs ten hashes of a password a day at most', async () => {
    const { worked, clock, invite, accept } = await setUp()
    const token = await invite('eve@acme.example')
    worked.length = 0
    const ends = await Promise.all(Array.from({ length: 13 }, () => accept(token)))
    expect(ends.filter((each) => each === 'accepted')).toHaveLength(1)
    expect(ends.filter((each) => each === 'RATE_LIMITED')).toHaveLength(3)
    expect(worked).toHaveLength(10)
    const other = await invite('bob@acme.example')
    await clock.advance({ hours: 1 })
    expect(await accept(other)).toBe('accepted')
  })

  it('of an address that somebody has is gone after the first try', async () => {
    const { board, worked, login, account, inviter, invite, accept } = await setUp()
    const token = await invite('eve@acme.example')
    await board.accounts.createUser(account.id, { email: 'eve@acme.example', password: PASSWORD })
    worked.length = 0
    expect(await accept(token)).toBe('CONFLICT')
    expect(await accept(token)).toBe('UNAUTHORIZED')
    expect(worked).toHaveLength(1)
    expect(await login.invitations.list(inviter)).toEqual([])
  })
})
