import { describe, expect, it } from 'vitest'
import { createEnvironment, systemClock, systemRandom } from '../environment/index.js'
import { mintApiKey } from './api-key.js'
import { createAuthenticator, type AuthenticatorOptions } from './authenticator.js'
import type { Principal } from './principal.js'

function principalOf(id: string): Principal {
  const reach = { workspaceIds: ['ws_1'], defaultWorkspaceId: 'ws_1' }
  return { id, kind: 'api_key', accountId: 'acct_1', tier: 'professional', scopes: ['tasks:read'], ...reach }
}

/** An authenticator over a store that counts its lookups. */
function setUp(options: Pick<AuthenticatorOptions, 'cacheSize' | 'cacheTtlMs' | 'failuresPerMinute'> = {}) {
  const state = { now: 1_000_000, lookups: 0, stored: new Map<string, Principal>() }
  const authenticator = createAuthenticator({
    environment: createEnvironment({ clock: { ...systemClock, now: () => state.now } }),
    store: {
      async findPrincipal(credential) {
        state.lookups += 1
        const principal = state.stored.get('keyHash' in credential ? credential.keyHash : '')
        return principal === undefined
          ? null
          : { principal, expiresInMs: null, provenAgoMs: null, isUseNoted: true }
      },
      noteKeyUse: () => Promise.reject(new Error('its use is noted')),
    },
    ...options,
  })
  /** A key that is stored by `store`. */
  function newKey(id: string) {
    const { key, hash } = mintApiKey(systemRandom)
    return { header: `Bearer ${key}`, hash, store: () => state.stored.set(hash, principalOf(id)) }
  }
  function addKey(id: string): string {
    const { header, store } = newKey(id)
    store()
    return header
  }
  return { state, authenticator, newKey, addKey }
}

describe('a key that the storage does not know', () => {
  const unknownKey = (): string => `Bearer ${mintApiKey(systemRandom).key}`

  it('is asked about once, however often it is tried', async () => {
    const { state, authenticator } = setUp()
    const wrong = Array.from({ length: 20 }, unknownKey)
    for (let round = 0; round < 3; round++) {
      for (const header of wrong) expect(await authenticator.authenticate(header)).toBeNull()
    }
    expect(state.lookups).toBe(20)
    const [first = ''] = wrong
    expect(authenticator.authenticate(first)).toBeNull()
  })

  it('is asked about again after ten seconds, so that a key of another process becomes valid', async () => {
    const { state, authenticator, newKey } = setUp()
    const { header, store } = newKey('ak_1')
    expect(await authenticator.authenticate(header)).toBeNull()
    store()
    state.now += 9_999
    expect(authenticator.authenticate(header)).toBeNull()
    state.now += 1
    expect(await authenticator.authenticate(header)).toEqual(principalOf('ak_1'))
    // What was known of it before does not come back when the entry goes.
    state.now -= 5_000
    authenticator.forget('ak_1')
    expect(await authenticator.authenticate(header)).toEqual(principalOf('ak_1'))
  })

  it('is valid at once when this process stores it, also when it was tried before its commit', async () => {
    const { authenticator, newKey } = setUp()
    const { header, hash, store } = newKey('ak_1')
    expect(await authenticator.authenticate(header)).toBeNull()
    authenticator.expect(hash)
    expect(await authenticator.authenticate(header)).toBeNull()
    store()
    expect(await authenticator.authenticate(header)).toEqual(principalOf('ak_1'))
  })

  it('is not remembered without a cache, after a step back of the clock, or beyond the size', async () => {
    for (const options of [{ cacheTtlMs: 0 }, { cacheSize: 0 }]) {
      const { state, authenticator } = setUp(options)
      const header = unknownKey()
      await authenticator.authenticate(header)
      await authenticator.authenticate(header)
      expect(state.lookups).toBe(2)
    }
    const { state, authenticator } = setUp({ cacheSize: 2 })
    const headers = [unknownKey(), unknownKey(), unknownKey()]
    for (const header of headers) await authenticator.authenticate(header)
    expect(headers.map((header) => authenticator.authenticate(header) === null)).toEqual([false, true, true])
    expect(state.lookups).toBe(4)
    state.now -= 1
    await authenticator.authenticate(headers[2])
    expect(state.lookups).toBe(5)
  })
})

describe('an address beyond its limit of failed credentials', () => {
  const ADDRESS = '203.0.113.7'

  async function beyond() {
    const set = setUp({ failuresPerMinute: 3 })
    const used = set.addKey('ak_used')
    await set.authenticator.authenticate(used, ADDRESS)
    const wrong = Array.from({ length: 20 }, () => `Bearer ${mintApiKey(systemRandom).key}`)
    for (const header of wrong) expect(await set.authenticator.authenticate(header, ADDRESS)).toBeNull()
    return { ...set, used, wrong }
  }

  it('has no unknown key looked up for a minute', async () => {
    const { state, authenticator, wrong, addKey } = await beyond()
    expect(state.lookups).toBe(1 + 3)
    const other = addKey('ak_of_another_process')
    expect(await authenticator.authenticate(other, ADDRESS)).toBeNull()
    expect(state.lookups).toBe(1 + 3)
    expect(await authenticator.authenticate(other, '203.0.113.8')).toMatchObject({
      id: 'ak_of_another_process',
    })
    state.now += 60_000
    for (const header of wrong) await authenticator.authenticate(header, ADDRESS)
    expect(state.lookups).toBe(1 + 3 + 1 + 3)
  })

  it('is not passed by a burst', async () => {
    const { state, authenticator } = setUp({ failuresPerMinute: 3 })
    const burst = () =>
      Promise.all(
        Array.from({ length: 200 }, async () =>
          authenticator.authenticate(`Bearer ${mintApiKey(systemRandom).key}`, ADDRESS),
        ),
      )
    expect(new Set(await burst())).toEqual(new Set([null]))
    expect(state.lookups).toBe(3)
    state.now += 60_000
    await burst()
    expect(state.lookups).toBe(6)
  })

  it('is not reached by keys that are right, however many are new to the process at once', async () => {
    const { state, authenticator, addKey } = setUp({ failuresPerMinute: 3 })
    const headers = Array.from({ length: 50 }, (_, number) => addKey(`ak_${number}`))
    const found = await Promise.all(
      [...headers, ...headers].map(async (header) => authenticator.authenticate(header, ADDRESS)),
    )
    expect(found.map((each) => each?.id)).toEqual(
      [...headers, ...headers].map((_, number) => `ak_${number % 50}`),
    )
    expect(state.lookups).toBe(50)
  })

  it('keeps the keys that are in use, and those that this process makes', async () => {
    const { state, authenticator, used, newKey } = await beyond()
    state.now += 30_000
    expect(await authenticator.authenticate(used, ADDRESS)).toEqual(principalOf('ak_used'))
    const made = newKey('ak_made')
    authenticator.expect(made.hash)
    made.store()
    expect(await authenticator.authenticate(made.header, ADDRESS)).toEqual(principalOf('ak_made'))
  })

  it('is not reached by one wrong key that is tried again and again', async () => {
    const { state, authenticator, addKey } = setUp({ failuresPerMinute: 3 })
    const stale = `Bearer ${mintApiKey(systemRandom).key}`
    for (let i = 0; i < 20; i++) await authenticator.authenticate(stale, ADDRESS)
    expect(await authenticator.authenticate(addKey('ak_1'), ADDRESS)).toEqual(principalOf('ak_1'))
    expect(state.lookups).toBe(2)
  })

  it('has a revoked key looked up once more, and then no longer', async () => {
    const { state, authenticator, used } = await beyond()
    state.stored.clear()
    authenticator.forget('ak_used')
    for (let i = 0; i < 3; i++) expect(await authenticator.authenticate(used, ADDRESS)).toBeNull()
    expect(state.lookups).toBe(1 + 3 + 1)
  })
})
