import { virtualClock } from '@taskboard/testing'
import { describe, expect, it } from 'vitest'
import { createEnvironment } from '../environment/index.js'
import { createLoginCheck, mostAddresses, type LoginCheckDeps } from './login-check.js'
import { createKnownClients } from './known-clients.js'

const PER_MINUTE = 5
const KNOWN = '203.0.113.7'
const STRANGER = '198.51.100.9'

/** Logins that cost next to nothing, of which those with the password `right` are right. */
function setUp() {
  const clock = virtualClock()
  const notUsed = () => Promise.reject(new Error('not asked for'))
  const user = {
    userId: 'user_1',
    email: 'ada@example.com',
    accountName: 'Ada',
    passwordHash: 'right',
    asOf: 0,
  }
  const signIn = { ...user, mfaSecret: null, mfaPendingSecret: null }
  const deps = {
    environment: createEnvironment({ clock }),
    store: {
      findSignIn: () => Promise.resolve(signIn),
      takeLoginAttempt: () => Promise.resolve({ allowed: true, retryAfterMs: 0 }),
      clearLoginAttempts: () => Promise.resolve(),
    },
    passwords: {
      hash: notUsed,
      verify: (password: string, stored: string) => Promise.resolve(password === stored),
      isOutdated: () => false,
      decoy: '',
    },
    knownClients: createKnownClients(100),
    mfaCodes: { redeem: notUsed, findStep: () => null },
    onRefused: () => undefined,
    perMinute: PER_MINUTE,
  }
  const { check } = createLoginCheck(deps as unknown as LoginCheckDeps)
  const tryLogin = (clientAddress: string, password = 'right'): Promise<string> =>
    check({ email: user.email, password }, { clientAddress }).then(
      () => 'in',
      (error: { readonly code: string }) => error.code,
    )
  const wrongFromEverywhere = () =>
    Promise.all(
      Array.from({ length: mostAddresses }, (_, number) =>
        tryLogin(`2001:db8:${(number >> 16).toString(16)}:${(number & 65_535).toString(16)}::1`, 'wrong'),
      ),
    )
  return { clock, tryLogin, wrongFromEverywhere }
}

const neighborOf = (network: string, number: number): string =>
  network.includes(':') ? `${network}:${number}::1` : `${network}.${number}.1`

describe('a flood of logins from as many addresses as are counted', () => {
  it('keeps out nobody elsewhere, and where others come from with it, those who have not logged in before', async () => {
    const { clock, tryLogin, wrongFromEverywhere } = setUp()
    expect(await tryLogin(KNOWN)).toBe('in')
    await clock.advance({ minutes: 5 })
    expect(new Set(await wrongFromEverywhere())).toEqual(new Set(['UNAUTHORIZED']))
    expect(await tryLogin(KNOWN)).toBe('in')
    expect(await tryLogin(STRANGER)).toBe('in')
    for (const neighbors of ['2001:db8:ffff', '192.0']) {
      const others = Array.from({ length: PER_MINUTE + 1 }, (_, number) => neighborOf(neighbors, number))
      for (const address of others.slice(0, -1)) expect(await tryLogin(address, 'wrong')).toBe('UNAUTHORIZED')
      for (const address of others) expect(await tryLogin(address)).toBe('RATE_LIMITED')
    }
    await clock.advance({ minutes: 2 })
    expect(await tryLogin('192.0.2.9')).toBe('in')
  })
})

describe('the limit of an address', () => {
  it('is the same in the minute in which it becomes known', async () => {
    const { clock, tryLogin } = setUp()
    for (let count = 1; count < PER_MINUTE - 1; count++)
      expect(await tryLogin(KNOWN, 'wrong')).toBe('UNAUTHORIZED')
    expect([await tryLogin(KNOWN), await tryLogin(KNOWN)]).toEqual(['in', 'in'])
    expect(await tryLogin(KNOWN)).toBe('RATE_LIMITED')
    await clock.advance({ minutes: 1 })
    expect(await tryLogin(KNOWN)).toBe('in')
  })
})
