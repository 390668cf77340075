import type { Instant } from '@taskboard/core'
import type { CallContext, RealtimeStore } from '@taskboard/core/storage'
import type { Database } from '../tables/database.js'
import { isWithin } from '../tables/reach.js'

/** Slots take no part in transactions. */
export function createRealtimeStore(database: Database): RealtimeStore {
  const { settings, transactions, tables, log } = database
  const leases = new Map<string, Instant>()
  const slots = new Map<string, { readonly accountId: string; readonly holderId: string }>()
  database.onDeletion(({ accountId }) => {
    for (const [id, slot] of slots) if (slot.accountId === accountId) slots.delete(id)
  })
  const present = ({ now }: CallContext): Instant => now ?? settings.now()

  function dropHolder(holderId: string): void {
    leases.delete(holderId)
    for (const [id, slot] of slots) if (slot.holderId === holderId) slots.delete(id)
  }

  function dropExpired(now: Instant): void {
    for (const [holderId, expiresAt] of leases) if (expiresAt <= now) dropHolder(holderId)
  }

  function cutLeases(endsAt: Instant): void {
    for (const [holderId, expiresAt] of leases) if (expiresAt > endsAt) leases.set(holderId, endsAt)
  }

  function countOf(accountId: string): number {
    let count = 0
    for (const slot of slots.values()) if (slot.accountId === accountId) count += 1
    return count
  }

  return {
    async leaseHolder({ holderId, leaseMs, step }, call) {
      const now = present(call)
      if (step === 'renew') {
        dropExpired(now)
        if (!leases.has(holderId)) return false
      }
      leases.set(holderId, now + leaseMs)
      return true
    },
    async acquireSlot({ slotId, accountId, holderId, limit, leaseMs }, call) {
      const now = present(call)
      dropExpired(now)
      if (!leases.has(holderId)) return 'lost'
      if (limit !== null && countOf(accountId) >= limit) {
        cutLeases(now + leaseMs)
        return 'full'
      }
      slots.set(slotId, { accountId, holderId })
      return 'taken'
    },
    async releaseSlots(release) {
      if ('holderId' in release) dropHolder(release.holderId)
      else for (const id of release.slotIds) slots.delete(id)
    },
    readLogEnds: ({ reach, workspaceId }) =>
      transactions.read(null, () =>
        [...tables.workspaces.values()]
          .map(({ id }) => id)
          .filter((id) => (workspaceId === null || id === workspaceId) && isWithin(database, reach, id))
          .sort()
          .map((id) => ({ workspaceId: id, seq: log.lastSeq(id) })),
      ),
  }
}
