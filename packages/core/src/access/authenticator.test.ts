import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { createEnvironment, systemClock, systemRandom, type Instant } from '../environment/index.js'
import { TaskboardError } from '../errors/index.js'
import { mintApiKey } from './api-key.js'
import { createAuthenticator, type AuthenticatorOptions } from './authenticator.js'
import type { FoundPrincipal, Principal } from './principal.js'

type Found = FoundPrincipal | null

function principalOf(id: string): Principal {
  const reach = { workspaceIds: ['ws_1'], defaultWorkspaceId: 'ws_1' }
  return { id, kind: 'api_key', accountId: 'acct_1', tier: 'professional', scopes: ['tasks:read'], ...reach }
}

/** An authenticator over a store whose answers can be changed, counted, held back and made to fail. */
function setUp(options: Pick<AuthenticatorOptions, 'cacheSize' | 'cacheTtlMs'> = {}) {
  const state = {
    now: 1_000_000,
    lookups: 0,
    noted: [] as string[],
    found: new Map<string, Found>(),
    answer: async (found: Found): Promise<Found> => found,
  }
  const environment = createEnvironment({ clock: { ...systemClock, now: () => state.now } })
  const authenticator = createAuthenticator({
    environment,
    store: {
      findPrincipal(credential, call) {
        const hash = 'keyHash' in credential ? credential.keyHash : ''
        expect(call.now).toBe(state.now)
        state.lookups += 1
        return state.answer(state.found.get(hash) ?? null)
      },
      async noteKeyUse({ keyId }) {
        state.noted.push(keyId)
      },
    },
    ...options,
  })
  const addKey = (id: string, expiresAt: Instant | null = null): string => {
    const { key, hash } = mintApiKey(systemRandom)
    const expiresInMs = expiresAt === null ? null : expiresAt - state.now
    state.found.set(hash, { principal: principalOf(id), expiresInMs, provenAgoMs: null, isUseNoted: true })
    return `Bearer ${key}`
  }
  return { state, authenticator, addKey }
}

describe('authenticate', () => {
  it('notes the use of a key when the storage has none of the last hour, and never waits for that', async () => {
    const { state, authenticator, addKey } = setUp({ cacheTtlMs: 1_000 })
    const header = addKey('ak_1')
    await authenticator.authenticate(header)
    expect(state.noted).toEqual([])
    for (const [hash, found] of state.found) {
      if (found !== null) state.found.set(hash, { ...found, isUseNoted: false })
    }
    state.now += 1_000
    expect(await authenticator.authenticate(header)).toEqual(principalOf('ak_1'))
    await authenticator.authenticate(header)
    expect(state.noted).toEqual(['ak_1'])
  })

  it('finds the principal of a key, ignoring the case of the scheme', async () => {
    const { authenticator, addKey } = setUp()
    const header = addKey('ak_1')
    expect(await authenticator.authenticate(header)).toEqual(principalOf('ak_1'))
    expect(await authenticator.authenticate(header.replace('Bearer', 'bEARER'))).toEqual(principalOf('ak_1'))
  })

  it('refuses text that is not in the form of a key, without asking the storage', () => {
    const { state, authenticator, addKey } = setUp()
    const header = addKey('ak_1')
    const typo = header.slice(0, -1) + (header.endsWith('0') ? '1' : '0')
    for (const wrong of [
      undefined,
      '',
      'Bearer',
      typo,
      `${header} `,
      header.replace(' ', '  '),
      header.slice(7),
    ]) {
      expect(authenticator.authenticate(wrong)).toBeNull()
    }
    expect(state.lookups).toBe(0)
  })

  it('answers synchronously until the lookup expires, and not a millisecond longer', async () => {
    const { state, authenticator, addKey } = setUp()
    const header = addKey('ak_1')
    await authenticator.authenticate(header)
    state.answer = () => Promise.reject(new Error('the storage is down'))
    state.now += 999
    expect(authenticator.authenticate(header)).toEqual(principalOf('ak_1'))
    await new Promise(setImmediate)
    expect(authenticator.authenticate(header)).toEqual(principalOf('ak_1'))
    state.now += 1
    await expect(authenticator.authenticate(header)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
    state.answer = async (found) => found
    state.found.clear()
    expect(await authenticator.authenticate(header)).toBeNull()
  })

  it('looks up again once in the second half of its lifetime, without delaying a request', async () => {
    const { state, authenticator, addKey } = setUp()
    const header = addKey('ak_1')
    await authenticator.authenticate(header)
    state.now += 499
    expect(authenticator.authenticate(header)).toEqual(principalOf('ak_1'))
    expect(state.lookups).toBe(1)
    state.now += 1
    for (let passed = 0; passed < 5; passed++) {
      expect(authenticator.authenticate(header)).toEqual(principalOf('ak_1'))
      expect(authenticator.authenticate(header)).toEqual(principalOf('ak_1'))
      expect(state.lookups).toBe(2 + passed)
      await new Promise(setImmediate)
      state.now += 700
    }
  })

  it('begins one such lookup, even if it is slow, fails or meets a revocation', async () => {
    const { state, authenticator, addKey } = setUp()
    const header = addKey('ak_1')
    await authenticator.authenticate(header)
    state.answer = () => new Promise(() => undefined)
    state.now += 500
    for (let request = 0; request < 5; request++) {
      authenticator.forget('ak_another')
      expect(authenticator.authenticate(header)).toEqual(principalOf('ak_1'))
    }
    expect(state.lookups).toBe(2)
    // Nor does a request wait for it after the expiry.
    state.answer = async (found) => found
    state.now += 500
    expect(await authenticator.authenticate(header)).toEqual(principalOf('ak_1'))
    expect(state.lookups).toBe(3)
    state.answer = () => Promise.reject(new Error('the storage is down'))
    state.now += 500
    for (let request = 0; request < 5; request++) {
      expect(authenticator.authenticate(header)).toEqual(principalOf('ak_1'))
      await new Promise(setImmediate)
    }
    expect(state.lookups).toBe(4)
  })

  it('discards an answer of such a lookup that arrives after a later one', async () => {
    const { state, authenticator, addKey } = setUp()
    const header = addKey('ak_1')
    await authenticator.authenticate(header)
    let release = (): void => undefined
    state.answer = () => new Promise((resolve) => (release = () => resolve(null)))
    state.now += 500
    expect(authenticator.authenticate(header)).toEqual(principalOf('ak_1'))
    state.answer = async (found) => found
    state.now += 500
    await authenticator.authenticate(header)
    release()
    await new Promise(setImmediate)
    expect(authenticator.authenticate(header)).toEqual(principalOf('ak_1'))
    expect(state.lookups).toBe(3)
  })

  it('refuses a key that such a lookup did not find', async () => {
    const { state, authenticator, addKey } = setUp()
    const header = addKey('ak_1')
    await authenticator.authenticate(header)
    state.now += 500
    state.found.clear()
    expect(authenticator.authenticate(header)).toEqual(principalOf('ak_1'))
    await new Promise(setImmediate)
    expect(await authenticator.authenticate(header)).toBeNull()
  })

  it('counts the lifetime from before the storage was asked', async () => {
    const { state, authenticator, addKey } = setUp()
    const header = addKey('ak_1')
    state.answer = async (found) => {
      state.now += 600
      return found
    }
    await authenticator.authenticate(header)
    state.now += 400
    await authenticator.authenticate(header)
    expect(state.lookups).toBe(2)
  })

  it('refuses a key after its expiry', async () => {
    const { state, authenticator, addKey } = setUp()
    const header = addKey('ak_1', state.now + 300)
    await authenticator.authenticate(header)
    state.now += 299
    expect(authenticator.authenticate(header)).toEqual(principalOf('ak_1'))
    state.now += 1
    state.found.clear()
    expect(await authenticator.authenticate(header)).toBeNull()
  })

  it('does not extend the lifetime when the clock steps back', async () => {
    const { state, authenticator, addKey } = setUp()
    const header = addKey('ak_1')
    await authenticator.authenticate(header)
    state.now -= 1
    await authenticator.authenticate(header)
    expect(state.lookups).toBe(2)
  })

  it('shares concurrent lookups of the same key only', async () => {
    const { state, authenticator, addKey } = setUp()
    const [one, two] = [addKey('ak_1'), addKey('ak_2')]
    const principals = await Promise.all(
      [one, one, two, one].map(async (header) => authenticator.authenticate(header)),
    )
    expect(principals.map((principal) => principal?.id)).toEqual(['ak_1', 'ak_1', 'ak_2', 'ak_1'])
    expect(state.lookups).toBe(2)
  })

  it('rejects with SERVICE_UNAVAILABLE when the storage does not answer, and recovers', async () => {
    const { state, authenticator, addKey } = setUp()
    const header = addKey('ak_1')
    state.answer = () => Promise.reject(new Error('ECONNREFUSED'))
    await expect(authenticator.authenticate(header)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
    state.answer = () => {
      throw new TaskboardError('SERVICE_UNAVAILABLE', 'the pool is closed')
    }
    await expect(authenticator.authenticate(header)).rejects.toThrow('the pool is closed')
    state.answer = async (found) => found
    expect(await authenticator.authenticate(header)).toEqual(principalOf('ak_1'))
  })

  it('looks up every request when the lifetime is 0', async () => {
    for (const options of [{ cacheTtlMs: 0 }, { cacheSize: 0 }]) {
      const { state, authenticator, addKey } = setUp(options)
      const header = addKey('ak_1')
      await authenticator.authenticate(header)
      await authenticator.authenticate(header)
      expect(state.lookups).toBe(2)
    }
  })

  it('keeps no more keys than its size, and evicts the oldest lookup first', async () => {
    const { state, authenticator, addKey } = setUp({ cacheSize: 2 })
    const headers = ['ak_1', 'ak_2', 'ak_3'].map((id) => addKey(id))
    for (const header of headers) await authenticator.authenticate(header)
    expect(headers.map((header) => authenticator.authenticate(header) instanceof Promise)).toEqual([
      true,
      false,
      false,
    ])
    expect(state.lookups).toBe(4)
  })

  it.each([{ cacheSize: -1 }, { cacheTtlMs: 0.5 }])('refuses the option %j', (options) => {
    expect(() => setUp(options)).toThrow(expect.objectContaining({ code: 'INVALID_CONFIG' }))
  })
})

describe('forget', () => {
  it('drops a key at once', async () => {
    const { state, authenticator, addKey } = setUp()
    const [one, two] = [addKey('ak_1'), addKey('ak_2')]
    await authenticator.authenticate(one)
    await authenticator.authenticate(two)
    state.found.clear()
    authenticator.forget('ak_1')
    expect(await authenticator.authenticate(one)).toBeNull()
    expect(authenticator.authenticate(two)).toEqual(principalOf('ak_2'))
  })

  it('discards a lookup that began before it, and lets no later request join that one', async () => {
    const { state, authenticator, addKey } = setUp()
    const header = addKey('ak_1')
    let release = (): void => undefined
    state.answer = (found) => new Promise((resolve) => (release = () => resolve(found)))
    const early = authenticator.authenticate(header)
    state.found.clear()
    authenticator.forget('ak_1')
    state.answer = async (found) => found
    expect(await authenticator.authenticate(header)).toBeNull()
    release()
    expect(await early).toEqual(principalOf('ak_1'))
    expect(await authenticator.authenticate(header)).toBeNull()
  })
})

it('neither stores nor shows a key', async () => {
  const { authenticator, addKey, state } = setUp()
  const header = addKey('ak_1')
  state.answer = () => Promise.reject(new Error('down'))
  const error: unknown = await Promise.resolve(authenticator.authenticate(header)).catch(
    (reason: unknown) => reason,
  )
  expect(inspect([error, authenticator], { depth: 9, showHidden: true })).not.toContain(header.slice(7))
})
