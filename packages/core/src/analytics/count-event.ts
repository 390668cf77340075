import { tallyOf, type EventTally, type LoggedEvent } from '../events/index.js'
import { dayOf, type Day } from './analytics-store.js'

/** What an event adds to the figures of a day, for tasks of one type. */
export interface EventCount extends Omit<EventTally, 'at'> {
  readonly day: Day
}

/**
 * What an event counts for; null for most. A task that leaves DONE takes its completion back, on the day of that completion. The
 * storages do the same, in SQL where they can.
 */
export function countEvent(event: LoggedEvent): EventCount | null {
  const tally = tallyOf(event)
  if (tally === null) return null
  const { at, type, created, completed, failed, timed, takenMs } = tally
  return { day: dayOf(at), type, created, completed, failed, timed, takenMs }
}
