import type { Instant } from '@taskboard/core'
import type {
  NotificationBatch,
  NotificationClaim,
  NotificationStore,
  NotificationTarget,
} from '@taskboard/core/storage'
import type { Database } from './database.js'
import {
  createNotificationTargets,
  type NotificationTargets,
  type TargetRow,
} from './notification-targets.js'
import { createTable, type Table } from './table.js'
import type { MemoryTransaction } from './transactions.js'

type Store = NotificationStore<MemoryTransaction>

export function createNotificationStore(database: Database): Store {
  const { journal, transactions, log } = database
  const { read, write } = transactions
  const targets = createTable<TargetRow>(journal)
  const index = createNotificationTargets(targets, log)
  const claim = createClaim(database, targets, index)

  return {
    setTarget: ({ workspaceId, channel, settings }, at) =>
      write(at, (now) => {
        const id = targetId(workspaceId, channel)
        if (settings === null) {
          const isKnown = targets.get(id) !== undefined
          if (isKnown) targets.delete(id)
          return isKnown
        }
        database.requireWorkspace(workspaceId)
        const fresh = { readThroughSeq: log.lastSeq(workspaceId), dueAt: now, claimToken: null }
        const state = targets.get(id) ?? fresh
        targets.set(id, { ...state, workspaceId, channel, settings: Object.freeze({ ...settings }) })
        return true
      }),
    listTargets: ({ workspaceId }, at) =>
      read(at, () =>
        index
          .of(workspaceId)
          .map(toTarget)
          .sort((a, b) => (a.channel < b.channel ? -1 : 1)),
      ),
    claimNotifications: (request, at) => write(at, (now) => claim(request, now)),
    settleNotifications: ({ workspaceId, channel, claimToken, readThroughSeq, retryInMs }, at) =>
      write(at, (now) => {
        const id = targetId(workspaceId, channel)
        const row = targets.get(id)
        if (row === undefined || row.claimToken !== claimToken || row.dueAt <= now) return false
        targets.set(id, { ...row, readThroughSeq, dueAt: now + (retryInMs ?? 0), claimToken: null })
        return true
      }),
  }
}

function createClaim(
  { log }: Database,
  targets: Table<TargetRow>,
  index: NotificationTargets,
): (request: Parameters<Store['claimNotifications']>[0], now: Instant) => NotificationClaim {
  let lastToken = 0

  function firstDue(channels: readonly string[]): TargetRow | null {
    let first: TargetRow | null = null
    for (const channel of channels) {
      const row = index.first(channel)
      if (row !== null && (first === null || row.dueAt < first.dueAt)) first = row
    }
    return first
  }

  return ({ channels, limit, eventsPerTarget, claimMs }, now) => {
    const batches: NotificationBatch[] = []
    let row = firstDue(channels)
    while (row !== null && row.dueAt <= now && batches.length < limit) {
      const id = targetId(row.workspaceId, row.channel)
      const events = log.readWorkspace(row.workspaceId, row.readThroughSeq, eventsPerTarget)
      if (events.length === 0) {
        // The unread events have been pruned.
        targets.set(id, { ...row, readThroughSeq: log.lastSeq(row.workspaceId), claimToken: null })
      } else {
        lastToken += 1
        const claimToken = String(lastToken)
        targets.set(id, { ...row, dueAt: now + claimMs, claimToken })
        batches.push({ ...toTarget(row), events, claimToken })
      }
      row = firstDue(channels)
    }
    return { batches, nextDueInMs: row === null ? null : Math.max(0, row.dueAt - now) }
  }
}

function targetId(workspaceId: string, channel: string): string {
  return `${workspaceId} ${channel}`
}

function toTarget({ workspaceId, channel, settings }: TargetRow): NotificationTarget {
  return { workspaceId, channel, settings }
}
