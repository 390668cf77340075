import { TaskboardError } from '@taskboard/core'
import {
  countEvent,
  type AnalyticsStore,
  type Baselines,
  type DayFigures,
  type EventCount,
  type FiguresQuery,
  type LoggedEvent,
} from '@taskboard/core/storage'
import type { Database } from '../tables/database.js'
import type { Counts, RollUp } from '../tables/tables.js'
import { isWithin } from '../tables/reach.js'
import type { MemoryTransaction } from '../tables/transactions.js'

const NOT_BEGUN: RollUp = { seq: 0, counts: new Map() }

export function createAnalyticsStore(database: Database): AnalyticsStore<MemoryTransaction> {
  const { transactions, tables, log } = database
  /** The workspaces that may have events after their marks. */
  const behind = new Set<string>()
  log.onAppend(({ workspaceId }) => behind.add(workspaceId))

  database.onDeletion(({ workspaceIds }) => {
    for (const id of workspaceIds) behind.delete(id)
  })

  const rollUpOf = (workspaceId: string): RollUp => tables.rollUps.get(workspaceId) ?? NOT_BEGUN

  function rollUp(workspaceId: string, limit: number): number {
    const { seq, counts } = rollUpOf(workspaceId)
    const events = log.readWorkspace(workspaceId, seq, limit)
    const last = events.at(-1)
    if (last === undefined) {
      behind.delete(workspaceId)
      return 0
    }
    tables.rollUps.set(workspaceId, { seq: last.seq, counts: counted(counts, events) })
    return events.length
  }

  function figures(query: FiguresQuery): readonly DayFigures[] {
    const { reach, workspaceId: only } = query
    const ids = only === null ? [...tables.workspaces.values()].map(({ id }) => id) : [only]
    const reached = ids.filter((id) => isWithin(database, reach, id))
    if (only !== null && reached.length === 0) {
      throw new TaskboardError('NOT_FOUND', 'no such workspace', { field: 'workspaceId' })
    }
    const days = new Map<number, DayFigures>()
    for (const id of reached) {
      const { seq, counts } = rollUpOf(id)
      const tail = log.readWorkspace(id, seq, Infinity)
      for (const count of counted(counts, tail).values()) addToDay(days, count, query)
    }
    return [...days.values()].sort((a, b) => a.day - b.day)
  }

  return {
    rollUp: ({ limit }, call) =>
      transactions.write(call, () => {
        let taken = 0
        for (const workspaceId of behind) {
          if (taken >= limit) break
          taken += rollUp(workspaceId, limit - taken)
        }
        return taken
      }),
    readFigures: (query, call) => transactions.read(call, () => figures(query)),
  }
}

function counted(counts: Counts, events: readonly LoggedEvent[]): Counts {
  const all = new Map(counts)
  for (const event of events) {
    const count = countEvent(event)
    if (count === null) continue
    const key = `${count.day} ${count.type ?? ''}`
    const before = all.get(key)
    all.set(key, before === undefined ? count : sum(before, count))
  }
  return all
}

function sum(a: EventCount, b: EventCount): EventCount {
  return {
    day: a.day,
    type: a.type,
    created: a.created + b.created,
    completed: a.completed + b.completed,
    failed: a.failed + b.failed,
    timed: a.timed + b.timed,
    takenMs: a.takenMs + b.takenMs,
  }
}

function addToDay(
  days: Map<number, DayFigures>,
  { type, ...count }: EventCount,
  { fromDay, toDay, baselines }: FiguresQuery,
): void {
  const { day } = count
  if (day < fromDay || day > toDay) return
  const baselineMs = count.completed * baselineOf(baselines, type)
  const before = days.get(day)
  if (before === undefined) days.set(day, { ...count, baselineMs })
  else {
    const { created, completed, failed, timed, takenMs } = sum({ ...before, type }, { ...count, type })
    const both = before.baselineMs + baselineMs
    days.set(day, { day, created, completed, failed, timed, takenMs, baselineMs: both })
  }
}

function baselineOf({ defaultMs, msByType }: Baselines, type: string | null): number {
  return type !== null && Object.hasOwn(msByType, type) ? (msByType[type] ?? defaultMs) : defaultMs
}
