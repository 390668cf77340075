import type { Journal, Reversible } from './journal.js'

/**
 * Told of every change of a table's row, also of those that a rollback makes. `slots` belongs to the row as long as it
 * exists: indexes keep there where they have put it.
 */
export type ChangeHook<V, S> = (before: V | undefined, after: V | undefined, slots: S) => void

/** Rows of immutable values by id. Every write is noted in the journal; indexes hang on the change hooks. */
export interface Table<V, S = undefined> {
  get(id: string): V | undefined
  set(id: string, value: V): void
  delete(id: string): void
  entries(): Iterable<readonly [string, V]>
  values(): Iterable<V>
  onChange(hook: ChangeHook<V, S>): void
}

interface Row<V, S> {
  value: V
  readonly slots: S
}

export function createTable<V>(journal: Journal): Table<V> {
  return createTableWithSlots<V, undefined>(journal, () => undefined)
}

export function createTableWithSlots<V, S>(journal: Journal, createSlots: () => S): Table<V, S> {
  const rows = new Map<string, Row<V, S>>()
  const hooks: ChangeHook<V, S>[] = []

  function addRow(id: string, value: V): S {
    const row = { value, slots: createSlots() }
    rows.set(id, row)
    return row.slots
  }

  function put(id: string, after: V | undefined): V | undefined {
    const row = rows.get(id)
    if (row === undefined && after === undefined) return undefined
    const before = row?.value
    const slots = row === undefined ? addRow(id, after as V) : row.slots
    if (row !== undefined && after !== undefined) row.value = after
    else if (after === undefined) rows.delete(id)
    for (const hook of hooks) hook(before, after, slots)
    return before
  }

  const reversible: Reversible = { swap: (id, value) => put(id, value as V | undefined) }

  function* entries(): Generator<readonly [string, V]> {
    for (const [id, { value }] of rows) yield [id, value]
  }

  function* values(): Generator<V> {
    for (const { value } of rows.values()) yield value
  }

  return {
    get: (id) => rows.get(id)?.value,
    set(id, value) {
      journal.note(reversible, id, put(id, value))
    },
    delete(id) {
      if (rows.has(id)) journal.note(reversible, id, put(id, undefined))
    },
    entries,
    values,
    onChange(hook) {
      hooks.push(hook)
    },
  }
}
