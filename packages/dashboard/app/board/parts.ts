import { signal, type ReadonlySignal, type Signal } from '@preact/signals'
import { client } from '../state/api.js'
import { coalesce } from '../state/coalesce.js'
import type { Task } from '../state/wire.js'

/** How many subtasks a task has, and how many of them are done. */
export interface Parts {
  readonly done: number
  readonly all: number
  /** Whether there are more than were counted. */
  readonly hasMore: boolean
}

/** A task has at most 50 open subtasks, so that a page nearly always has all of them. */
const MOST_PARTS = 100
const MOST_READS = 20

/** The subtasks of the tasks on a board. A task is known to have some when one of them was read. */
export function followParts(isShown: (id: string) => boolean, abort: AbortSignal) {
  const counts = new Map<string, Signal<Parts | null>>()
  const changed = new Set<string>()

  const of = (id: string): Signal<Parts | null> => {
    const known = counts.get(id)
    if (known !== undefined) return known
    const created = signal<Parts | null>(null)
    counts.set(id, created)
    return created
  }

  async function read(id: string): Promise<void> {
    const { tasks, next_cursor: next } = await client.tasks.list(
      { parent_id: id, limit: MOST_PARTS },
      { signal: abort },
    )
    const done = tasks.filter(({ column }) => column === 'done').length
    const before = of(id).peek()
    const isSame = before?.done === done && before.all === tasks.length
    if (!isSame) of(id).value = { done, all: tasks.length, hasMore: next !== null }
  }

  const settle = coalesce(() => {
    const ids = [...changed].filter(isShown).slice(0, MOST_READS)
    changed.clear()
    // A card is complete without them.
    void Promise.all(ids.map(read)).catch(() => undefined)
  }, 800)

  return {
    of: (id: string): ReadonlySignal<Parts | null> => of(id),
    /** Notes that a subtask was read. */
    note: ({ parent_id: parent }: Task): void => {
      if (parent === null) return
      changed.add(parent)
      settle()
    },
    close: () => settle.cancel(),
  }
}
