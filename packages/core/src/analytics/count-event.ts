import type { EventFacts, LoggedEvent } from '../events/index.js'
import { dayOf, type Day } from './analytics-store.js'

/** What an event adds to the figures of a day, for tasks of one type. */
export interface EventCount {
  readonly day: Day
  readonly type: string | null
  readonly created: number
  readonly completed: number
  readonly failed: number
  readonly timed: number
  readonly takenMs: number
}

const NOTHING = { created: 0, completed: 0, failed: 0, timed: 0, takenMs: 0 }

/**
 * What an event counts for; null for most. A task that leaves DONE takes its completion back, on the day of that completion. The
 * storages do the same, in SQL where they can.
 */
export function countEvent(event: LoggedEvent): EventCount | null {
  const { at } = event
  switch (event.type) {
    case 'task.created':
      return { ...NOTHING, day: dayOf(at), type: event.facts.type, created: 1 }
    case 'task.completed':
      return completion(event.facts.type, event.facts.startedAt, at)
    case 'task.failed':
      if (event.facts.reason !== 'failed') return null
      return { ...NOTHING, day: dayOf(at), type: event.facts.type ?? null, failed: 1 }
    case 'task.moved':
      return countMove(event.facts, at)
    case 'task.started':
    case 'task.progress':
    case 'agent.status':
    case 'agent.alert':
    case 'email.received':
    case 'order.new':
      return null
  }
}

function countMove(
  { from, to, type, startedAt, completedAt }: EventFacts['task.moved'],
  at: number,
): EventCount | null {
  if (to === 'DONE') return completion(type, startedAt, at)
  if (from !== 'DONE' || completedAt == null) return null
  const { day, timed, takenMs, ...count } = completion(type, startedAt, completedAt)
  return { ...count, day, completed: -1, timed: -timed, takenMs: -takenMs }
}

function completion(
  type: string | null | undefined,
  startedAt: number | null | undefined,
  at: number,
): EventCount {
  const time = startedAt == null ? {} : { timed: 1, takenMs: Math.max(0, at - startedAt) }
  return { ...NOTHING, ...time, day: dayOf(at), type: type ?? null, completed: 1 }
}
