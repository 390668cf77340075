import { memoryStorage } from '@taskboard/memory'
import { virtualClock } from '@taskboard/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { createEnvironment } from '../environment/index.js'
import { TaskboardError } from '../errors/index.js'
import type { RealtimeStore } from './realtime-store.js'
import { createSlots, slotLeaseMs, type SlotOwner, type Slots } from './slots.js'

const open: Slots[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((slots) => slots.stop()))
})

const down = () => new TaskboardError('SERVICE_UNAVAILABLE', 'the database cannot be reached')

/** Two processes on one storage. Calls of the first can be made to fail, before or after they take effect. */
function setUp() {
  const clock = virtualClock()
  const environment = createEnvironment({ clock, logger: false })
  const storage = memoryStorage()
  const faults = new Map<string, { count: number; isDone: boolean }>()
  const faulty = new Proxy(storage.realtime, {
    get(store, name: keyof RealtimeStore) {
      return async (...values: never[]) => {
        const call = store[name] as (...given: never[]) => Promise<unknown>
        const [{ step }] = values as unknown as [{ readonly step?: string }]
        const fault = faults.get(step === undefined ? name : `${name} ${step}`)
        if (fault === undefined || fault.count === 0) return call(...values)
        fault.count -= 1
        if (fault.isDone) await call(...values)
        throw down()
      }
    },
  })
  const start = (store: RealtimeStore): Slots => {
    const slots = createSlots(environment, store)
    slots.start()
    open.push(slots)
    return slots
  }
  const evicted: string[] = []
  const owner = (name: string, limit = 2): SlotOwner => ({
    accountId: 'account_1',
    limit,
    evicted: () => void evicted.push(name),
  })
  return { clock, faults, evicted, owner, one: start(faulty), other: start(storage.realtime) }
}

describe('slots', () => {
  it('are free again when the storage took one but its answer was lost', async () => {
    const { clock, faults, one, other, owner } = setUp()
    await one.take('first', owner('first'))
    faults.set('acquireSlot', { count: 1, isDone: true })
    await expect(one.take('second', owner('second'))).rejects.toThrow('cannot be reached')
    await clock.advance(0)
    expect(await other.take('third', owner('third'))).toBe(true)
    expect(await other.take('fourth', owner('fourth'))).toBe(false)
  })

  it.each([
    ['before it was done', false],
    ['after it was done', true],
  ])('are all requested again, however often the storage fails, %s', async (_title, isDone) => {
    const { clock, faults, evicted, one, other, owner } = setUp()
    await one.take('first', owner('first'))
    await one.take('second', owner('second'))
    // The storage is down for longer than the lease, and still fails a few times after it is back.
    faults.set('leaseHolder renew', { count: 40, isDone: false })
    await clock.advance(slotLeaseMs + 5_000)
    faults.set('leaseHolder begin', { count: 1, isDone: false })
    faults.set('leaseHolder renew', { count: 0, isDone: false })
    faults.set('acquireSlot', { count: 3, isDone })
    await clock.advance(60_000)
    expect(await other.take('third', owner('third'))).toBe(false)
    expect(evicted).toEqual([])
    one.release('first')
    await clock.advance(0)
    expect(await other.take('third', owner('third'))).toBe(true)
  })

  it('that others took meanwhile end as many connections as are over the limit', async () => {
    const { clock, faults, evicted, one, other, owner } = setUp()
    await one.take('first', owner('first'))
    await one.take('second', owner('second'))
    faults.set('leaseHolder renew', { count: 40, isDone: false })
    await clock.advance(slotLeaseMs + 1)
    expect(await other.take('third', owner('third'))).toBe(true)
    faults.set('leaseHolder renew', { count: 0, isDone: false })
    await clock.advance(slotLeaseMs)
    expect(evicted).toEqual(['second'])
    expect(await other.take('fourth', owner('fourth'))).toBe(false)
  })
})
