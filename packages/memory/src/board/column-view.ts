import type { Column, Instant, Scoring, Task } from '@taskboard/core'
import { compareTied, cursorAfter, scoreUnits, type TaskCursor, type TaskPage } from '@taskboard/core/storage'
import { bestOf } from '../tables/selection.js'
import type { TaskSlots } from '../tables/task-slots.js'

/** One column of one workspace. */
export interface ColumnView {
  readonly size: number
  add(slots: TaskSlots): void
  remove(task: Task, slots: TaskSlots): void
  replace(before: Task, after: Task): void
  list(asOf: Instant, after: TaskCursor | null, limit: number): TaskPage
  /** All of them, in no order. */
  tasks(): Iterable<Task>
}

/** A task with its sort keys at the instant of the listing; the lowest comes first. */
interface Ranked {
  readonly task: Task
  rank: number
}

/** Up to this size a column keeps the order of its last listing, because the next one is nearly the same. */
const LARGEST_KEPT = 1_000
/** A column that changes this often between listings doesn't keep its order. */
const MOST_CHANGES = 64

export function createColumnView(column: Column, scoring: () => Scoring): ColumnView {
  /** The tasks' rows. They stay in place in memory while their values change. */
  const rows: TaskSlots[] = []
  const rank = rankOf(column, scoring)
  const sign = column === 'DOING' ? 1 : -1
  const compare = column === 'TODO' ? comparePending : compareRanked
  let kept: Ranked[] | null = null
  let keptAsOf: Instant | null = null
  let changes = 0

  function changed(): boolean {
    keptAsOf = null
    changes += 1
    if (kept === null) return false
    if (changes <= MOST_CHANGES && rows.length <= LARGEST_KEPT) return true
    kept = null
    return false
  }

  /** All of a small column in order. Only the ranks of TODO depend on the instant. */
  function sorted(asOf: Instant): readonly Ranked[] {
    changes = 0
    if (kept !== null && (keptAsOf === asOf || (keptAsOf !== null && column !== 'TODO'))) return kept
    if (kept === null) kept = rows.map(({ value: task }) => ({ task, rank: rank(task, asOf) }))
    else for (const entry of kept) entry.rank = rank(entry.task, asOf)
    if (!isSorted(kept, compare)) kept.sort(compare)
    keptAsOf = asOf
    return kept
  }

  function select(asOf: Instant, after: Ranked | null, count: number): readonly Ranked[] {
    function* candidates(): Generator<Ranked> {
      for (const { value: task } of rows) {
        const entry = { task, rank: rank(task, asOf) }
        if (after === null || compare(after, entry) < 0) yield entry
      }
    }
    return bestOf(candidates(), count, compare)
  }

  return {
    *tasks() {
      for (const { value } of rows) yield value
    },
    get size() {
      return rows.length
    },
    add(slots) {
      slots.place = rows.push(slots) - 1
      if (changed()) kept?.push({ task: slots.value, rank: 0 })
    },
    remove(task, slots) {
      takeOut(rows, slots)
      if (changed())
        kept?.splice(
          kept.findIndex((entry) => entry.task === task),
          1,
        )
    },
    replace(before, after) {
      if (!changed() || kept === null) return
      kept[kept.findIndex((entry) => entry.task === before)] = { task: after, rank: 0 }
    },
    list(asOf, cursor, limit) {
      const after = cursor && afterCursor(cursor, sign)
      let found: readonly Ranked[]
      if (rows.length > LARGEST_KEPT) found = select(asOf, after, limit + 1)
      else {
        const all = sorted(asOf)
        const start = after === null ? 0 : all.findIndex((entry) => compare(after, entry) < 0)
        found = start < 0 ? [] : all.slice(start, start + limit + 1)
      }
      return toPage(found, limit, asOf, sign)
    },
  }
}

/** Moves the last one into the gap. */
function takeOut(rows: TaskSlots[], slots: TaskSlots): void {
  const last = rows.pop()
  if (last === undefined || last === slots) return
  last.place = slots.place
  rows[slots.place] = last
}

function rankOf(column: Column, scoring: () => Scoring): (task: Task, asOf: Instant) => number {
  if (column === 'TODO') return (task, asOf) => -scoreUnits(task, asOf, scoring())
  if (column === 'DOING') return (task) => task.startedAt ?? 0
  return (task) => -(task.completedAt ?? 0)
}

/** TODO: held tasks last. */
function comparePending(a: Ranked, b: Ranked): number {
  const isHeld = a.task.hold !== null
  if (isHeld !== (b.task.hold !== null)) return isHeld ? 1 : -1
  return a.rank === b.rank ? compareTied(a.task, b.task) : a.rank - b.rank
}

function compareRanked(a: Ranked, b: Ranked): number {
  if (a.rank !== b.rank) return a.rank - b.rank
  if (a.task.createdAt !== b.task.createdAt) return a.task.createdAt - b.task.createdAt
  return a.task.id < b.task.id ? -1 : a.task.id > b.task.id ? 1 : 0
}

function isSorted(ranked: readonly Ranked[], compare: (a: Ranked, b: Ranked) => number): boolean {
  for (let index = 1; index < ranked.length; index++) {
    if (compare(ranked[index - 1] as Ranked, ranked[index] as Ranked) > 0) return false
  }
  return true
}

/** The cursor as an entry to compare with; it has only the sort keys. */
function afterCursor({ rank, held, dueDate, createdAt, id }: TaskCursor, sign: 1 | -1): Ranked {
  return { task: { hold: held ? {} : null, dueDate, createdAt, id } as Task, rank: sign * rank }
}

function toPage(found: readonly Ranked[], limit: number, asOf: Instant, sign: 1 | -1): TaskPage {
  const tasks: Task[] = []
  for (let index = 0; index < limit && index < found.length; index++)
    tasks.push((found[index] as Ranked).task)
  const last = found[limit - 1]
  if (found.length <= limit || last === undefined) return { tasks, asOf, next: null }
  return { tasks, asOf, next: cursorAfter(last.task, asOf, sign * last.rank) }
}
