import { createBackgroundLoop, type Environment } from '../environment/index.js'
import { TaskboardError } from '../errors/index.js'
import type { RealtimeStore, SlotRequest } from './realtime-store.js'

/** How long the slots of a killed process stay taken. */
export const slotLeaseMs = 30_000

/** The lease under which this process holds its slots. It begins with the first slot. */
interface SlotLease {
  readonly isHeld: boolean
  /** As `RealtimeStore.acquireSlot`, under this lease. @throws TaskboardError `SERVICE_UNAVAILABLE`. */
  ask(request: Omit<SlotRequest, 'holderId' | 'leaseMs'>): Promise<'taken' | 'full' | 'lost'>
  /** Renews it while it is held. */
  renew(): Promise<void>
  /** Stops it, and its slots with it. Doesn't throw. */
  close(): Promise<void>
}

interface SlotLeaseListener {
  readonly begun: () => void
  /** It was lost, for example in a long pause. The next slot begins another. */
  readonly ended: () => void
}

function createSlotLease(
  environment: Environment,
  store: RealtimeStore,
  listener: SlotLeaseListener,
): SlotLease {
  let holder: Promise<string> | null = null

  async function open(): Promise<string> {
    const id = environment.newId('proc')
    await store.leaseHolder({ holderId: id, leaseMs: slotLeaseMs, step: 'begin' }, environment.call())
    return id
  }

  function begin(): Promise<string> {
    const opening = open()
    opening.then(listener.begun, () => (holder = holder === opening ? null : holder))
    return opening
  }

  function lose(ended: Promise<string>): void {
    if (holder !== ended) return
    holder = null
    listener.ended()
  }

  return {
    get isHeld() {
      return holder !== null
    },
    async ask(request) {
      const held = (holder ??= begin())
      const outcome = await store.acquireSlot(
        { ...request, holderId: await held, leaseMs: slotLeaseMs },
        environment.call(),
      )
      if (outcome === 'lost') lose(held)
      return outcome
    },
    async renew() {
      const held = holder
      if (held === null) return
      const renewal = { holderId: await held, leaseMs: slotLeaseMs, step: 'renew' } as const
      if (!(await store.leaseHolder(renewal, environment.call()))) lose(held)
    },
    async close() {
      const held = holder
      holder = null
      try {
        if (held !== null) await store.releaseSlots({ holderId: await held }, environment.call())
      } catch (error) {
        environment.logger.warn(
          { err: error },
          'could not release the slots of this process; they end with its lease',
        )
      }
    },
  }
}

/** A connection that counts against its account's cap. */
export interface SlotOwner {
  readonly accountId: string
  /** The current limit; null for any number. */
  readonly limit: number | null
  /** The slot was lost with the process's lease, and no other is free. */
  evicted(): void
}

/** This process's slots, under one lease. */
export interface Slots {
  start(): void
  /** False when the account is at its limit. */
  take(slotId: string, owner: SlotOwner): Promise<boolean>
  release(slotId: string): void
  /** Frees all, including in the storage. */
  stop(): Promise<void>
}

const RENEWALS_PER_LEASE = 3
const MOST_AT_ONCE = 1_000

export function createSlots(environment: Environment, store: RealtimeStore): Slots {
  const { logger } = environment
  const owners = new Map<string, SlotOwner>()
  const released = new Set<string>()
  /** Owners that lost their slot with the lease, until it is requested again. */
  const lost = new Map<string, SlotOwner>()
  let retaking: Promise<void> | null = null
  const freeSlots = (slotIds: readonly string[]) => store.releaseSlots({ slotIds }, environment.call())

  const lease = createSlotLease(environment, store, {
    begun: () => renewal.wake(),
    ended() {
      logger.warn({ connections: owners.size }, 'the lease of this process’s realtime connections expired')
      for (const [slotId, owner] of owners) lost.set(slotId, owner)
    },
  })
  const renewal = createBackgroundLoop({
    name: 'realtime:slots',
    environment,
    pollIntervalMs: null,
    async pass() {
      await freeAll(released, freeSlots)
      await lease.renew()
      await retakeLost()
      return lease.isHeld ? slotLeaseMs / RENEWALS_PER_LEASE : null
    },
  })

  function retakeLost(): Promise<void> {
    return (retaking ??= retakeEach().finally(() => (retaking = null)))
  }

  /** Others may have taken the slots since. When the storage fails, the rest stays for the next pass. */
  async function retakeEach(): Promise<void> {
    // Last time, the storage may have taken some whose answer was lost.
    await freeAll(new Set(lost.keys()), freeSlots)
    for (const [slotId, owner] of lost) {
      const isTaken = await isTakenInTheEnd(() => lease.ask(requestOf(slotId, owner)))
      lost.delete(slotId)
      if (!owners.has(slotId)) free(slotId)
      else if (!isTaken) owner.evicted()
    }
  }

  function free(slotId: string): void {
    released.add(slotId)
    renewal.wake()
  }

  return {
    start: () => renewal.start(),
    async take(slotId, owner) {
      try {
        const isTaken = await isTakenInTheEnd(() => lease.ask(requestOf(slotId, owner)), retakeLost)
        if (isTaken) owners.set(slotId, owner)
        return isTaken
      } catch (error) {
        // The storage may have taken it although the answer was lost.
        free(slotId)
        throw error
      }
    },
    release(slotId) {
      owners.delete(slotId)
      lost.delete(slotId)
      free(slotId)
    },
    async stop() {
      await renewal.stop()
      owners.clear()
      lost.clear()
      await lease.close()
    },
  }
}

/** Retries under the next lease when the current one is lost, after `retakeLost` has served earlier owners. */
async function isTakenInTheEnd(
  ask: () => Promise<'taken' | 'full' | 'lost'>,
  retakeLost?: () => Promise<void>,
): Promise<boolean> {
  let outcome = await ask()
  if (outcome === 'lost' && retakeLost !== undefined) {
    await retakeLost()
    outcome = await ask()
  }
  if (outcome !== 'lost') return outcome === 'taken'
  throw new TaskboardError('SERVICE_UNAVAILABLE', 'the connection lease expired immediately; retry')
}

function requestOf(
  slotId: string,
  { accountId, limit }: SlotOwner,
): Omit<SlotRequest, 'holderId' | 'leaseMs'> {
  return { slotId, accountId, limit }
}

/** Frees the slots in the set and removes each one once freed. */
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
