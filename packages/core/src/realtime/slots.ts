import { createLoop, type Environment } from '../environment/index.js'
import { errorText } from '../events/index.js'
import type { RealtimeStore } from './realtime-store.js'

/** A connection that counts against its account's cap. */
export interface SlotOwner {
  readonly accountId: string
  /** As by now; null for any number. */
  readonly limit: number | null
  /** The slot was lost with the process's lease, and there is none free any more. */
  evicted(): void
}

/** This process's slots, under one lease. */
export interface Slots {
  start(): void
  /** False when the account has as many connections as it may. */
  take(slotId: string, owner: SlotOwner): Promise<boolean>
  release(slotId: string): void
  /** Frees all, also in the storage. */
  stop(): Promise<void>
}

/** How long the slots of a process that was killed are still taken. */
export const slotLeaseMs = 30_000
const RENEWALS_PER_LEASE = 3
const MOST_AT_ONCE = 1_000

export function createSlots(environment: Environment, store: RealtimeStore): Slots {
  const { clock, logger } = environment
  const owners = new Map<string, SlotOwner>()
  const released = new Set<string>()
  let holder: Promise<string> | null = null
  const at = () => ({ now: environment.storageNow() })

  const renewal = createLoop({
    name: 'realtime:slots',
    clock,
    logger,
    pollIntervalMs: null,
    async pass() {
      await freeAll(released, (ids) => store.releaseSlots(ids, at()))
      if (holder === null) return null
      if (!(await store.renewHolder(await holder, slotLeaseMs, at()))) await retakeAll()
      return clock.now() + slotLeaseMs / RENEWALS_PER_LEASE
    },
  })

  function openHolder(): Promise<string> {
    const opening = openLease(environment, store)
    opening.then(
      () => renewal.wake(),
      () => (holder = holder === opening ? null : holder),
    )
    return opening
  }

  async function acquire(slotId: string, { accountId, limit }: SlotOwner): Promise<boolean> {
    const opened = (holder ??= openHolder())
    const request = { slotId, accountId, limit, holderId: await opened }
    const outcome = await store.acquireSlot(request, at())
    if (outcome !== 'lost') return outcome === 'taken'
    if (holder === opened) await retakeAll()
    return acquire(slotId, { accountId, limit, evicted: () => undefined })
  }

  /** The lease has ended, as after a long pause: others may have taken the slots since, so they are asked for anew. */
  async function retakeAll(): Promise<void> {
    logger.warn({ connections: owners.size }, 'the lease of this process’s realtime connections had ended')
    holder = null
    const before = Array.from(owners)
    for (const [slotId, owner] of before) {
      if (!owners.has(slotId) || (await acquire(slotId, owner))) continue
      owners.delete(slotId)
      owner.evicted()
    }
  }

  return {
    start: () => renewal.start(),
    async take(slotId, owner) {
      if (!(await acquire(slotId, owner))) return false
      owners.set(slotId, owner)
      return true
    },
    release(slotId) {
      owners.delete(slotId)
      released.add(slotId)
      renewal.wake()
    },
    async stop() {
      await renewal.stop()
      owners.clear()
      if (holder === null) return
      try {
        await store.closeHolder(await holder, at())
      } catch (error) {
        logger.warn({ error: errorText(error) }, 'the slots of this process end with its lease')
      }
    },
  }
}

async function openLease(environment: Environment, store: RealtimeStore): Promise<string> {
  const id = environment.newId('proc')
  await store.openHolder(id, slotLeaseMs, { now: environment.storageNow() })
  return id
}

/** Frees what is in the set, and takes it out as it is freed. */
async function freeAll(
  released: Set<string>,
  free: (ids: readonly string[]) => Promise<void>,
): Promise<void> {
  while (released.size > 0) {
    const ids = [...released].slice(0, MOST_AT_ONCE)
    await free(ids)
    for (const id of ids) released.delete(id)
  }
}
