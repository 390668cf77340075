import { describe, expect, it } from 'vitest'
import { createEnvironment, systemClock } from '../environment/index.js'
import type { FoundPrincipal, Principal } from './principal.js'
import { createProofCheck, proofLifetimeMs } from './proof.js'

const NOW = 1_000_000_000

const user: Principal = {
  id: 'user_1',
  kind: 'user',
  accountId: 'acct_1',
  tier: 'professional',
  scopes: [],
  workspaceIds: 'all',
  defaultWorkspaceId: 'ws_1',
}
const inSession = { ...user, sessionId: 'ses_1' }

/** A check over a storage that says how long ago the session was proven; null: it knows no session. */
function checkOf({ stored = null, byHost = false }: { stored?: number | null; byHost?: boolean } = {}) {
  const asked: unknown[] = []
  const found = (provenAgoMs: number): FoundPrincipal => ({
    principal: inSession,
    expiresInMs: 1,
    provenAgoMs,
    isUseNoted: true,
  })
  const check = createProofCheck({
    environment: createEnvironment({ clock: { ...systemClock, now: () => NOW } }),
    store: {
      async findPrincipal(credential) {
        asked.push(credential)
        return stored === null ? null : found(stored)
      },
    },
    byHost,
  })
  const isProven = (principal: Principal): Promise<boolean> =>
    check(principal).then(
      () => true,
      (error: { code: string }) => {
        expect(error.code).toBe('STEP_UP_REQUIRED')
        return false
      },
    )
  return { isProven, asked }
}

describe('a proof', () => {
  it('is good for ten minutes', async () => {
    const { isProven } = checkOf()
    for (const [provenAt, isGood] of [
      [NOW, true],
      [NOW - proofLifetimeMs + 1, true],
      [NOW - proofLifetimeMs, false],
      [NOW + 1, false],
      [null, false],
      [undefined, false],
    ] as const) {
      expect(await isProven({ ...user, provenAt })).toBe(isGood)
    }
  })

  it('that another process has seen since counts, and the storage is asked only without a known one', async () => {
    const { isProven, asked } = checkOf({ stored: 1_000 })
    expect(await isProven({ ...inSession, provenAt: NOW - 1 })).toBe(true)
    expect(asked).toEqual([])
    expect(await isProven({ ...inSession, provenAt: NOW - proofLifetimeMs })).toBe(true)
    expect(asked).toEqual([{ sessionId: 'ses_1' }])
    expect(await checkOf({ stored: proofLifetimeMs }).isProven(inSession)).toBe(false)
    expect(await checkOf({ stored: null }).isProven(inSession)).toBe(false)
  })

  it('is up to the host where it says so, for its own users alone', async () => {
    const { isProven } = checkOf({ byHost: true })
    expect(await isProven(user)).toBe(true)
    expect(await isProven(inSession)).toBe(false)
    expect(await isProven({ ...user, id: 'ak_1', kind: 'api_key' })).toBe(false)
  })
})
