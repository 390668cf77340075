import type { Journal, Reversible } from './journal.js'

/** A row's value, and what indexes store with the row. */
export interface Row<V> {
  value: V
}

/** Called with every change of a row, including changes of a rollback. `row` has the value after it, if any. */
export type ChangeHook<V, R extends Row<V>> = (before: V | undefined, after: V | undefined, row: R) => void

/** Rows of immutable values by id. Every write goes into the journal; indexes use the change hooks. */
export interface Table<V, R extends Row<V> = Row<V>> {
  get(id: string): V | undefined
  row(id: string): R | undefined
  set(id: string, value: V): void
  /** Like `set`, with the row available: in a large table its look-up costs cache misses. */
  replace(id: string, row: R, value: V): void
  delete(id: string): void
  entries(): Iterable<readonly [string, V]>
  values(): Iterable<V>
  onChange(hook: ChangeHook<V, R>): void
  /** Calls `check` before each write with the new or the deleted value; an error that it throws rejects the write. Not for a rollback. */
  guard(check: Guard<V>): void
}

type Guard<V> = (value: V, id: string) => void

export function createTable<V>(journal: Journal): Table<V> {
  return createTableOfRows<V, Row<V>>(journal, (value) => ({ value }))
}

export function createTableOfRows<V, R extends Row<V>>(
  journal: Journal,
  createRow: (value: V) => R,
): Table<V, R> {
  const rows = new Map<string, R>()
  const hooks: ChangeHook<V, R>[] = []
  const guards: Guard<V>[] = []

  function callHooks(before: V | undefined, after: V | undefined, row: R): void {
    for (let index = 0; index < hooks.length; index++) hooks[index]?.(before, after, row)
  }

  function check(value: V, id: string): void {
    for (let index = 0; index < guards.length; index++) guards[index]?.(value, id)
  }

  function remove(id: string): V | undefined {
    const row = rows.get(id)
    if (row === undefined) return undefined
    rows.delete(id)
    callHooks(row.value, undefined, row)
    return row.value
  }

  function put(id: string, after: V): V | undefined {
    const row = rows.get(id)
    if (row !== undefined) return change(row, after)
    const added = createRow(after)
    rows.set(id, added)
    callHooks(undefined, after, added)
    return undefined
  }

  function change(row: R, after: V): V {
    const before = row.value
    row.value = after
    callHooks(before, after, row)
    return before
  }

  const reversible: Reversible = {
    swap: (id, value) => (value === undefined ? remove(id) : put(id, value as V)),
  }

  function* entries(): Generator<readonly [string, V]> {
    for (const [id, { value }] of rows) yield [id, value]
  }

  function* values(): Generator<V> {
    for (const { value } of rows.values()) yield value
  }

  return {
    get: (id) => rows.get(id)?.value,
    row: (id) => rows.get(id),
    set(id, value) {
      check(value, id)
      journal.note(reversible, id, put(id, value))
    },
    replace(id, row, value) {
      check(value, id)
      journal.note(reversible, id, change(row, value))
    },
    delete(id) {
      const row = rows.get(id)
      if (row === undefined) return
      check(row.value, id)
      journal.note(reversible, id, remove(id))
    },
    entries,
    values,
    onChange(hook) {
      hooks.push(hook)
    },
    guard(added) {
      guards.push(added)
    },
  }
}
