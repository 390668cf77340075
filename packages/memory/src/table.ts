import type { Journal, Reversible } from './journal.js'

/** Told of every change of a table's row, also of those that a rollback makes. */
export type ChangeHook<V> = (before: V | undefined, after: V | undefined) => void

/** Rows of immutable values by id. Every write is noted in the journal; indexes hang on the change hooks. */
export interface Table<V> {
  readonly size: number
  get(id: string): V | undefined
  set(id: string, value: V): void
  delete(id: string): void
  entries(): IterableIterator<[string, V]>
  values(): IterableIterator<V>
  onChange(hook: ChangeHook<V>): void
}

export function createTable<V>(journal: Journal): Table<V> {
  const rows = new Map<string, V>()
  const hooks: ChangeHook<V>[] = []

  function put(id: string, after: V | undefined): V | undefined {
    const before = rows.get(id)
    if (after === undefined) rows.delete(id)
    else rows.set(id, after)
    for (const hook of hooks) hook(before, after)
    return before
  }

  const reversible: Reversible = { swap: (id, value) => put(id, value as V | undefined) }

  return {
    get size() {
      return rows.size
    },
    get: (id) => rows.get(id),
    set(id, value) {
      journal.note(reversible, id, put(id, value))
    },
    delete(id) {
      if (rows.has(id)) journal.note(reversible, id, put(id, undefined))
    },
    entries: () => rows.entries(),
    values: () => rows.values(),
    onChange(hook) {
      hooks.push(hook)
    },
  }
}
