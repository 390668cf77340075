import { describe, expect, it } from 'vitest'
import { createEnvironment, systemClock } from '../environment/index.js'
import type { Principal } from './principal.js'
import { createWorkspaceReach } from './workspace-reach.js'

function setUp(options: { ofHost?: boolean; cacheSize?: number } = {}) {
  const asked: string[] = []
  const time = { now: 0 }
  const reach = createWorkspaceReach({
    environment: createEnvironment({ clock: { ...systemClock, now: () => time.now } }),
    store: {
      async listWorkspaces(which) {
        const id = 'workspaceId' in which ? which.workspaceId : 'of an account'
        asked.push(id)
        const [, accountId] = /^ws_(\w)\d$/.exec(id) ?? []
        return accountId === undefined ? [] : [{ id, accountId, name: id, createdAt: 0 }]
      },
    },
    ofHost: true,
    ...options,
  })
  return { reach, asked, time }
}

const caller = (workspaceIds: Principal['workspaceIds'], defaultWorkspaceId = 'ws_a1'): Principal => ({
  id: 'user_1',
  kind: 'user',
  accountId: 'a',
  tier: 'custom',
  scopes: [],
  workspaceIds,
  defaultWorkspaceId,
})

describe('the reach of a caller', () => {
  it('ends at its account, whatever its principal names', async () => {
    const { reach } = setUp()
    expect(await reach.includes(caller('all'), 'ws_a1')).toBe(true)
    expect(await reach.includes(caller('all', 'ws_b1'), 'ws_b1')).toBe(false)
    expect(await reach.includes(caller(['ws_b1', 'ws_a1'], 'ws_b1'), 'ws_b1')).toBe(false)
    expect(await reach.includes(caller('all', 'none'), 'none')).toBe(false)
  })

  it('is the workspaces of it that the principal names, including the default one', async () => {
    const { reach } = setUp()
    expect(await reach.includes(caller(['ws_a2']), 'ws_a2')).toBe(true)
    expect(await reach.includes(caller(['ws_a2']), 'ws_a1')).toBe(false)
  })

  it('looks up a known workspace once, and an unknown one each time', async () => {
    const { reach, asked } = setUp({ cacheSize: 2 })
    for (const id of ['ws_a1', 'ws_a1', 'none', 'none']) await reach.includes(caller('all'), id)
    expect(asked).toEqual(['ws_a1', 'none', 'none'])
    expect(reach.includes(caller('all'), 'ws_a1')).toBe(true)
    expect(reach.includes({ ...caller('all'), accountId: 'b' }, 'ws_a1')).toBe(false)
    for (const id of ['ws_a2', 'ws_a3', 'ws_a1']) await reach.includes(caller('all'), id)
    expect(asked.slice(3)).toEqual(['ws_a2', 'ws_a3', 'ws_a1'])
  })

  it('is looked up again after a second, after a step back of the clock, and once it is forgotten', async () => {
    const { reach, time } = setUp()
    const isKnown = async (): Promise<boolean> => {
      const included = reach.includes(caller('all'), 'ws_a1')
      await included
      return included === true
    }
    const seen = [await isKnown()]
    for (const now of [999, 1_000, 1_999, 2_000, 0, 999]) {
      time.now = now
      seen.push(await isKnown())
    }
    reach.forget()
    expect([...seen, await isKnown()]).toEqual([false, true, false, true, false, false, true, false])
  })

  it('includes the default workspace of the storage’s own principals without a lookup', () => {
    const { reach, asked } = setUp({ ofHost: false })
    expect(reach.includes(caller('all'), 'ws_a1')).toBe(true)
    expect(reach.includes(caller(['ws_a2']), 'ws_a1')).toBe(false)
    expect(asked).toEqual([])
  })
})
