import { memoryStorage } from '@taskboard/memory'
import { plainPasswordHasher, virtualClock } from '@taskboard/testing'
import { Secret, TOTP } from 'otpauth'
import { describe, expect, it } from 'vitest'
import { createTaskboard } from '../wiring/taskboard.js'

const STEP_MS = 30_000
const LOCK_MS = 900_000
const owner = { email: 'ada@example.com', password: 'correct horse battery' }

/** A user with a second factor, and logins of which each comes from a network of its own. */
async function setUp() {
  const clock = virtualClock()
  const board = createTaskboard({
    storage: memoryStorage(),
    clock,
    logger: false,
    tokens: { secret: 's'.repeat(32) },
    secrets: { encryptionKey: '0'.repeat(64) },
    passwordHasher: plainPasswordHasher,
  })
  const { account, user } = await board.accounts.create({ name: 'Ada', tier: 'professional', owner })
  const { login } = board.services
  if (user === null || login === null) throw new Error('no login')
  const { secret } = await login.mfa.begin(user.id)
  const code = () => new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: clock.now() })
  const session = { userId: user.id, sessionId: 'none' }
  const { recoveryCodes } = await login.mfa.confirm(session, code(), { kind: 'host' })
  await clock.advance(STEP_MS)
  let networks = 0
  const tryLogin = async (mfaCode: string): Promise<string> => {
    networks += 1
    const origin = { clientAddress: `2001:db8:0:${networks.toString(16)}::1` }
    return login.sessions.login({ ...owner, mfaCode }, origin).then(
      () => 'in',
      (error: { readonly code: string }) => error.code,
    )
  }
  const recorded = async (): Promise<readonly string[]> => {
    await board.start()
    await clock.advance({ minutes: 2 })
    const { records } = await board.audit.list(account.id, { actions: ['login.failed', 'login.locked'] })
    await board.close()
    expect(records.every(({ by }) => by.id === user.id)).toBe(true)
    return records.map(({ action }) => action).toSorted()
  }
  return { clock, code, recoveryCodes, tryLogin, recorded, mfa: login.mfa, session }
}

describe('guesses of a second factor', () => {
  it('count for the user, from wherever they come: the sixth is not checked, though it is right', async () => {
    const { clock, code, tryLogin } = await setUp()
    for (let guesses = 0; guesses < 5; guesses++) expect(await tryLogin('000000')).toBe('UNAUTHORIZED')
    expect(await tryLogin(code())).toBe('RATE_LIMITED')
    await clock.advance(LOCK_MS)
    expect(await tryLogin(code())).toBe('in')
  })

  it('leave the recovery codes, so that nobody is locked out by others', async () => {
    const { recoveryCodes, tryLogin } = await setUp()
    for (let guesses = 0; guesses < 6; guesses++) await tryLogin('000000')
    const [recoveryCode = ''] = recoveryCodes
    expect(await tryLogin(recoveryCode)).toBe('in')
  })

  it('count with those of somebody who is logged in', async () => {
    const { code, tryLogin, mfa, session } = await setUp()
    for (let guesses = 0; guesses < 5; guesses++) await tryLogin('000000')
    await expect(mfa.remove(session, code(), { kind: 'host' })).rejects.toMatchObject({
      code: 'RATE_LIMITED',
    })
  })

  it('are on record, with what they lock', async () => {
    const { tryLogin, recorded } = await setUp()
    for (let guesses = 0; guesses < 7; guesses++) await tryLogin('000000')
    const failed = Array.from({ length: 5 }, () => 'login.failed')
    expect(await recorded()).toEqual([...failed, 'login.locked', 'login.locked'])
  })

  it('are forgotten after a right one', async () => {
    const { clock, code, tryLogin } = await setUp()
    for (let rounds = 0; rounds < 3; rounds++) {
      for (let guesses = 0; guesses < 4; guesses++) expect(await tryLogin('000000')).toBe('UNAUTHORIZED')
      expect(await tryLogin(code())).toBe('in')
      await clock.advance(STEP_MS)
    }
  })
})
