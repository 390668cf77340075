import type { Environment } from '../environment/index.js'
import type { RealtimeStore, SlotRequest } from './realtime-store.js'

/** How long the slots of a killed process stay taken. */
export const slotLeaseMs = 30_000

/** The lease under which this process holds its slots. It begins with the first slot. */
export interface SlotLease {
  readonly isHeld: boolean
  /** As `RealtimeStore.acquireSlot`, under this lease. @throws TaskboardError `SERVICE_UNAVAILABLE`. */
  ask(request: Omit<SlotRequest, 'holderId' | 'leaseMs'>): Promise<'taken' | 'full' | 'lost'>
  /** Renews it while it is held. */
  renew(): Promise<void>
  /** Ends it, and its slots with it. Does not throw. */
  close(): Promise<void>
}

export interface SlotLeaseListener {
  readonly begun: () => void
  /** It was lost, for example in a long pause. The next slot begins another. */
  readonly ended: () => void
}

export function createSlotLease(
  environment: Environment,
  store: RealtimeStore,
  listener: SlotLeaseListener,
): SlotLease {
  let holder: Promise<string> | null = null
  const at = () => ({ now: environment.storageNow() })

  async function open(): Promise<string> {
    const id = environment.newId('proc')
    await store.leaseHolder({ holderId: id, leaseMs: slotLeaseMs, step: 'begin' }, at())
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
        at(),
      )
      if (outcome === 'lost') lose(held)
      return outcome
    },
    async renew() {
      const held = holder
      if (held === null) return
      const renewal = { holderId: await held, leaseMs: slotLeaseMs, step: 'renew' } as const
      if (!(await store.leaseHolder(renewal, at()))) lose(held)
    },
    async close() {
      const held = holder
      holder = null
      try {
        if (held !== null) await store.releaseSlots({ holderId: await held }, at())
      } catch (error) {
        environment.logger.warn(
          { err: error },
          'could not release the slots of this process; they end with its lease',
        )
      }
    },
  }
}
