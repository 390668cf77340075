import { virtualClock } from '@taskboard/testing'
import { describe, expect, it } from 'vitest'
import { createEnvironment, type Clock } from '../environment/index.js'
import { createLeaseKeeper } from './lease-keeper.js'
import type { TaskRun } from './task-run.js'

const MINUTE = 60_000

/** A keeper on a clock that can be set, like a machine's: timers keep running while the present jumps. */
function setUp() {
  const time = virtualClock(Date.UTC(2026, 0, 1))
  let offsetMs = 0
  const clock: Clock = { ...time, now: () => time.now() + offsetMs }
  const renewals: string[] = []
  const lost: string[] = []
  const storage = { renew: async (): Promise<void> => undefined }
  const keeper = createLeaseKeeper<never>({
    environment: createEnvironment({ clock, logger: false }),
    tasks: {
      async changeTask({ target }) {
        renewals.push(target.taskId)
        await storage.renew()
        return {} as never
      },
    },
    agentType: 'bot',
    leaseMs: MINUTE,
  })
  const keep = (taskId: string): void => {
    const proof = { workspaceId: 'ws', taskId, fencingToken: 1 }
    const run = {
      task: { id: taskId },
      proof,
      leaseEndsAt: clock.now() + MINUTE,
      lose: () => lost.push(taskId),
    }
    keeper.keep(run as unknown as TaskRun)
  }
  return { time, keeper, keep, renewals, lost, storage, setBack: (ms: number) => (offsetMs -= ms) }
}

describe('a lease keeper', () => {
  it('counts a lease from the beginning of its renewal, however late the answer comes', async () => {
    const { time, keeper, keep, lost, storage } = setUp()
    storage.renew = async () => {
      storage.renew = () => Promise.reject(new Error('down'))
      await time.sleep(15_000)
    }
    keeper.start()
    keep('slow')
    // The renewal that begins after 20 s and ends after 35 is the last one.
    await time.advance(79_000)
    expect(lost).toEqual([])
    await time.advance(5_000)
    expect(lost).toEqual(['slow'])
    await keeper.stop()
  })

  it('keeps renewing when the clock steps back, for earlier runs and for later ones', async () => {
    const { time, keeper, keep, renewals, lost, setBack } = setUp()
    keeper.start()
    keep('earlier')
    await time.advance(5 * MINUTE)
    expect(renewals.splice(0)).toHaveLength(15)
    setBack(60 * MINUTE)
    keep('later')
    await time.advance(5 * MINUTE)
    await keeper.stop()
    for (const id of ['earlier', 'later'])
      expect(renewals.filter((each) => each === id).length).toBeGreaterThan(13)
    expect(renewals.length).toBeLessThan(33)
    expect(lost).toEqual([])
    expect(time.pending().timers).toEqual([])
  })
})
