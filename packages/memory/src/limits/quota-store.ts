import type { Instant } from '@taskboard/core'
import { eachHeld, type HeldResource, monthStart, type QuotaStore } from '@taskboard/core/storage'
import type { Database } from '../tables/database.js'
import type { MemoryTransaction } from '../tables/transactions.js'

/** The month's tasks take no part in transactions. The resources of an account are counted as a transaction sees them. */
export function createQuotaStore(database: Database): QuotaStore<MemoryTransaction> {
  const { settings, tables, transactions } = database
  const months = new Map<string, { month: Instant; tasks: number }>()

  database.onDeletion(({ accountId }) => {
    if (accountId !== null) months.delete(accountId)
  })

  /** Counts of a later month move to the current one, because the clock has stepped back. */
  function monthOf(accountId: string, now: Instant) {
    const month = monthStart(now)
    let used = months.get(accountId)
    if (used === undefined || used.month < month) months.set(accountId, (used = { month, tasks: 0 }))
    used.month = month
    return used
  }

  function isOf(accountId: string, workspaceId: string): boolean {
    return tables.workspaces.get(workspaceId)?.accountId === accountId
  }

  const held: Record<HeldResource, (accountId: string, now: Instant) => number> = {
    agents: (accountId) => countOf(tables.agents.values(), (each) => isOf(accountId, each.workspaceId)),
    webhooks: (accountId) => countOf(tables.webhooks.values(), (each) => isOf(accountId, each.workspaceId)),
    schedules: (accountId) => countOf(tables.schedules.values(), (each) => isOf(accountId, each.workspaceId)),
    notificationChannels: (accountId) =>
      countOf(tables.channels.values(), (each) => isOf(accountId, each.workspaceId)),
    apiKeys: (accountId, now) =>
      countOf(
        tables.apiKeys.values(),
        (key) =>
          key.accountId === accountId &&
          key.revokedAt === null &&
          (key.expiresAt === null || key.expiresAt > now),
      ),
  }

  return {
    async takeTask({ accountId, limit }, { now }) {
      const used = monthOf(accountId, now ?? settings.now())
      const taken = used.tasks < limit
      if (taken) used.tasks += 1
      return { taken, month: used.month }
    },
    async giveBackTask({ accountId, month }) {
      const used = months.get(accountId)
      if (used !== undefined && used.month === month && used.tasks > 0) used.tasks -= 1
    },
    // One transaction is open at a time, so nothing else counts within one.
    countHeld: ({ accountId, resource }, call) =>
      transactions.write(call, (now) => held[resource](accountId, now)),
    usage: ({ accountId }, call) =>
      transactions.read(call, (now) => ({
        ...monthOf(accountId, now),
        ...eachHeld((resource) => held[resource](accountId, now)),
      })),
  }
}

function countOf<T>(values: Iterable<T>, counts: (value: T) => boolean): number {
  let count = 0
  for (const value of values) if (counts(value)) count += 1
  return count
}
