import { describe, expect, it } from 'vitest'
import { createEnvironment, systemClock } from '../environment/index.js'
import { createAuthenticator } from './authenticator.js'
import type { Principal } from './principal.js'

const TTL_MS = 1_000
const TOKEN = 'Bearer a-token'

function userOf(accountId: string): Principal {
  const reach = { workspaceIds: 'all', defaultWorkspaceId: 'ws_1' } as const
  return { id: 'user_1', kind: 'user', accountId, tier: 'professional', scopes: ['tasks:read'], ...reach }
}

/** One token of one session, both of which the test changes. */
function setUp() {
  const state = {
    now: 1_000_000,
    principal: userOf('acct_1') as Principal | null,
    userId: 'user_1',
    provenAgoMs: null as number | null,
    endsAt: 1_060_000,
  }
  const authenticator = createAuthenticator({
    environment: createEnvironment({ clock: { ...systemClock, now: () => state.now } }),
    store: {
      noteKeyUse: () => Promise.reject(new Error('a session is no key')),
      findPrincipal: async () =>
        state.principal && {
          principal: state.principal,
          expiresInMs: null,
          provenAgoMs: state.provenAgoMs,
          isUseNoted: true,
        },
    },
    tokens: {
      verify: async () =>
        state.endsAt > state.now
          ? { userId: state.userId, sessionId: 'ses_1', expiresAt: state.endsAt }
          : null,
    },
    cacheTtlMs: TTL_MS,
  })
  return { state, authenticator }
}

describe('an access token', () => {
  it('has the time of the last proof, by the clock of the process', async () => {
    const { state, authenticator } = setUp()
    state.provenAgoMs = 5_000
    expect(await authenticator.authenticate(TOKEN)).toEqual({ ...userOf('acct_1'), provenAt: 995_000 })
  })

  it('is refused from its end on, although it is known and its session goes on', async () => {
    const { state, authenticator } = setUp()
    state.now = state.endsAt - 1
    expect(await authenticator.authenticate(TOKEN)).toEqual(userOf('acct_1'))
    expect(authenticator.authenticate(TOKEN)).toEqual(userOf('acct_1'))
    state.now = state.endsAt
    expect(await authenticator.authenticate(TOKEN)).toBeNull()
  })

  it('shows no other user than its own', async () => {
    const { state, authenticator } = setUp()
    state.userId = 'user_2'
    expect(await authenticator.authenticate(TOKEN)).toBeNull()
    expect(await authenticator.authenticate(TOKEN)).toBeNull()
  })
})

describe('the cached sessions', () => {
  it('of an account that changes are dropped at once, and those of others stay', async () => {
    const { state, authenticator } = setUp()
    await authenticator.authenticate(TOKEN)
    state.principal = null
    authenticator.forgetAccount('acct_2')
    expect(await authenticator.authenticate(TOKEN)).toEqual(userOf('acct_1'))
    authenticator.forgetAccount('acct_1')
    expect(await authenticator.authenticate(TOKEN)).toBeNull()
  })

  it('end with the session', async () => {
    const { state, authenticator } = setUp()
    await authenticator.authenticate(TOKEN)
    state.principal = null
    authenticator.forgetSession('ses_2')
    expect(await authenticator.authenticate(TOKEN)).toEqual(userOf('acct_1'))
    authenticator.forgetSession('ses_1')
    expect(await authenticator.authenticate(TOKEN)).toBeNull()
  })
})
