import type { Journal } from './observations.js'
import type { AttemptRow, DeliveryRow, EventRow, Rows, TaskRow } from './rows.js'

/** What was observed, what the database has, and both by the ids in them. */
export interface Evidence {
  readonly journal: Journal
  readonly rows: Rows
  readonly tasks: ReadonlyMap<string, TaskRow>
  readonly attempts: ReadonlyMap<string, readonly AttemptRow[]>
  readonly events: ReadonlyMap<string, EventRow>
  readonly eventsOf: ReadonlyMap<string, readonly EventRow[]>
  readonly deliveries: ReadonlyMap<string, DeliveryRow>
}

/** A promise, and a look at each case of it. */
export interface Check {
  readonly promise: string
  /** Yields for each case null when it was kept, else what is wrong. */
  readonly look: (evidence: Evidence) => Generator<string | null>
}

export interface Verdict {
  readonly promise: string
  readonly checked: number
  readonly broken: readonly string[]
}

export function evidenceOf(journal: Journal, rows: Rows): Evidence {
  return {
    journal,
    rows,
    tasks: new Map(rows.tasks.map((task) => [task.id, task])),
    attempts: grouped(rows.attempts, ({ taskId }) => taskId),
    events: new Map(rows.events.map((event) => [event.id, event])),
    eventsOf: grouped(rows.events, ({ taskId }) => taskId ?? ''),
    deliveries: new Map(rows.deliveries.map((delivery) => [delivery.id, delivery])),
  }
}

export function judge(checks: readonly Check[], evidence: Evidence): readonly Verdict[] {
  return checks.map(({ promise, look }) => {
    const found = [...look(evidence)]
    return {
      promise,
      checked: found.length,
      broken: found.filter((what): what is string => what !== null),
    }
  })
}

/** `Map.groupBy`, which Node.js 20 does not have. */
export function grouped<T>(values: readonly T[], keyOf: (value: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const value of values) {
    const key = keyOf(value)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [value])
    else group.push(value)
  }
  return groups
}

/** Null when it holds. */
export const unless = (holds: boolean, what: () => string): string | null => (holds ? null : what())
