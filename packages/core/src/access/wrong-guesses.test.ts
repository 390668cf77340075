import { createTaskboard, TaskboardError, type AuditActor } from '@taskboard/core'
import { memoryStorage } from '@taskboard/memory'
import { plainPasswordHasher, virtualClock } from '@taskboard/testing'
import { describe, expect, it } from 'vitest'
import type { PasswordHasher } from './password-hasher.js'
import type { Principal } from './principal.js'

const PASSWORD = 'correct horse battery'
const HERE = { clientAddress: '203.0.113.7' }
const ELSEWHERE = { clientAddress: '198.51.100.1' }
const UNKNOWN = `tbr_${'x'.repeat(65)}`

const code = (name: string) => expect.objectContaining({ code: name })

/** A board with one owner. While `busy.is` is true, too many passwords wait. */
async function setUp() {
  const busy = { is: false }
  const verify: PasswordHasher['verify'] = (password, stored) =>
    busy.is
      ? Promise.reject(new TaskboardError('SERVICE_UNAVAILABLE', 'too many logins at the same time'))
      : plainPasswordHasher.verify(password, stored)
  const clock = virtualClock()
  const storage = memoryStorage()
  const newProcess = () =>
    createTaskboard({
      storage,
      clock,
      logger: false,
      passwordHasher: { ...plainPasswordHasher, verify },
      tokens: { secret: 's'.repeat(32) },
      secrets: { encryptionKey: '0'.repeat(64) },
    })
  const board = newProcess()
  const owner = { email: 'ada@acme.example', password: PASSWORD }
  const { account, workspace, user } = await board.accounts.create({ name: 'Acme', tier: 'custom', owner })
  const { login } = board.services
  if (login === null || user === null) throw new Error('no login')
  const by: AuditActor = { kind: 'user', id: user.id, clientAddress: HERE.clientAddress }
  /** The refusals on record, with how often each came. */
  async function refusals() {
    await clock.advance({ minutes: 2 })
    const { records } = await board.audit.list(account.id)
    const refused = records.filter(({ action }) => action.startsWith('login.'))
    return refused
      .map(({ action, by: who, count }) => `${action} ${who.id} ${who.clientAddress} ${count}`)
      .toSorted()
  }
  /** Counts the calls of a verb of the storage. */
  function counting<Part extends object>(part: Part, verb: keyof Part): () => number {
    const original = part[verb] as (...given: unknown[]) => unknown
    let count = 0
    Object.assign(part, {
      [verb](...given: unknown[]) {
        count += 1
        return original(...given)
      },
    })
    return () => count
  }
  const inviter: Principal = {
    id: user.id,
    kind: 'user',
    accountId: account.id,
    tier: 'custom',
    scopes: user.scopes,
    workspaceIds: 'all',
    defaultWorkspaceId: workspace.id,
  }
  return { board, newProcess, storage, clock, busy, login, user, owner, by, refusals, counting, inviter }
}

describe('a guess that could not be checked', () => {
  it('of a login is none, so that a busy process locks nobody out', async () => {
    const { busy, login, owner } = await setUp()
    busy.is = true
    for (let times = 0; times < 12; times++)
      await expect(login.sessions.login(owner, HERE)).rejects.toEqual(code('SERVICE_UNAVAILABLE'))
    busy.is = false
    await expect(login.sessions.login(owner, HERE)).resolves.toBeDefined()
  })

  it('of the present password is none', async () => {
    const { busy, login, user, by } = await setUp()
    busy.is = true
    for (let times = 0; times < 12; times++)
      await expect(login.confirmPassword(user.id, PASSWORD, by)).rejects.toEqual(code('SERVICE_UNAVAILABLE'))
    busy.is = false
    await expect(login.confirmPassword(user.id, PASSWORD, by)).resolves.toBeUndefined()
  })
})

describe('a wrong guess of somebody who is logged in', () => {
  it('of the present password is on record, and so is the lock', async () => {
    const { board, login, user, by, refusals } = await setUp()
    await board.start()
    for (let times = 0; times < 12; times++)
      await login.confirmPassword(user.id, 'wrong', by).catch(() => undefined)
    expect(await refusals()).toEqual([
      `login.failed ${user.id} ${HERE.clientAddress} 10`,
      `login.locked ${user.id} ${HERE.clientAddress} 2`,
    ])
    await board.close()
  })

  it.each(['confirm', 'remove'] as const)(
    'of a code is on record when it would %s a second factor, and so is the lock',
    async (verb) => {
      const { board, storage, clock, login, user, by, refusals } = await setUp()
      await board.start()
      await login.mfa.begin(user.id)
      const found = await storage.sessions.findSignIn({ userId: user.id }, { now: clock.now() })
      const sealedSecret = found?.mfaPendingSecret ?? ''
      const change = { kind: 'enrol', sealedSecret, step: 1, recoveryHashes: [] } as const
      if (verb === 'remove')
        await storage.sessions.changeMfa({ userId: user.id, change }, { now: clock.now() })
      for (let times = 0; times < 6; times++)
        await login.mfa[verb]({ userId: user.id, sessionId: 'none' }, 'wrong', by).catch(() => undefined)
      expect(await refusals()).toEqual([
        `login.failed ${user.id} ${HERE.clientAddress} 5`,
        `login.locked ${user.id} ${HERE.clientAddress} 1`,
      ])
      await board.close()
    },
  )
})

describe('an address that has shown too many wrong tokens', () => {
  it('has no further one of a session looked up, but those that this process knows', async () => {
    const { storage, clock, login, owner, counting } = await setUp()
    let { refreshToken } = await login.sessions.login(owner, ELSEWHERE)
    const asked = counting(storage.sessions, 'consumeRefreshToken')
    for (let times = 0; times < 80; times++)
      await login.sessions.refresh(UNKNOWN, HERE).catch(() => undefined)
    expect(asked()).toBe(60)
    await expect(login.sessions.refresh(UNKNOWN, HERE)).rejects.toMatchObject({
      code: 'RATE_LIMITED',
      retryAfterMs: 60_000,
    })
    ;({ refreshToken } = await login.sessions.refresh(refreshToken, HERE))
    expect(asked()).toBe(61)
    await login.sessions.logout({ refreshToken }, HERE)
    for (let times = 0; times < 5; times++)
      await expect(login.sessions.refresh(refreshToken, HERE)).rejects.toEqual(code('RATE_LIMITED'))
    expect(asked()).toBe(62)
    await clock.advance({ minutes: 1 })
    await expect(login.sessions.refresh(UNKNOWN, HERE)).rejects.toEqual(code('UNAUTHORIZED'))
  })

  it('waits with a session that another process began, which does not end', async () => {
    const { clock, login, owner, newProcess } = await setUp()
    const other = newProcess().services.login?.sessions
    if (other === undefined) throw new Error('no login')
    const { refreshToken } = await login.sessions.login(owner, HERE)
    for (let times = 0; times < 60; times++) await other.refresh(UNKNOWN, HERE).catch(() => undefined)
    await expect(other.refresh(refreshToken, HERE)).rejects.toMatchObject({
      code: 'RATE_LIMITED',
      retryAfterMs: 60_000,
    })
    await clock.advance({ minutes: 1 })
    await expect(other.refresh(refreshToken, HERE)).resolves.toBeDefined()
  })

  it('has no more looked up when it shows many at once', async () => {
    const { storage, login, counting } = await setUp()
    const askedForSessions = counting(storage.sessions, 'consumeRefreshToken')
    const askedForInvitations = counting(storage.access, 'listInvitations')
    const numbers = Array.from({ length: 500 }, (_, number) => number)
    await Promise.allSettled(
      numbers.flatMap((number) => [
        login.sessions.refresh(UNKNOWN.replace(/x{5}$/, String(10_000 + number)), HERE),
        login.invitations.show('x'.repeat(43), HERE),
      ]),
    )
    expect(askedForSessions() + askedForInvitations()).toBe(60)
  })

  it('has no further invitation looked up', async () => {
    const { storage, login, counting, inviter } = await setUp()
    const { link } = await login.invitations.create(inviter, {
      email: 'eve@acme.example',
      role: 'member',
      showLink: true,
    })
    const right = link?.split('=').at(-1) ?? ''
    const asked = counting(storage.access, 'listInvitations')
    const wrong = 'x'.repeat(43)
    for (let times = 0; times < 40; times++) {
      await login.invitations.show(wrong, HERE).catch(() => undefined)
      await login.invitations.accept({ token: wrong, password: PASSWORD }, HERE).catch(() => undefined)
    }
    expect(asked()).toBe(60)
    await expect(login.invitations.show(right, HERE)).rejects.toEqual(code('RATE_LIMITED'))
    await expect(login.invitations.show(right, ELSEWHERE)).resolves.toMatchObject({
      email: 'eve@acme.example',
    })
  })
})
