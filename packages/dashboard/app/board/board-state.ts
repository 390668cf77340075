import { batch, signal, type Signal } from '@preact/signals'
import type { Failure } from '../state/failure.js'
import { columns, type CardTask, type Column } from '../state/wire.js'
import { isAlike } from './filters.js'

/** The tasks of one column, in its order, as far as they were read. */
export interface ColumnState {
  readonly ids: Signal<readonly string[]>
  readonly nextCursor: Signal<string | null>
  readonly isLoading: Signal<boolean>
  readonly failure: Signal<Failure | null>
}

export type ColumnStates = Readonly<Record<Column, ColumnState>>

/** What is on the board. A card follows the signal of its task, a column the signal of its ids. */
export interface BoardState {
  readonly columns: ColumnStates
  /** Tasks that people moved here, and where, until the server has responded: its messages before then don't move their cards back. */
  readonly moving: Map<string, Column>
  readonly task: (id: string) => Signal<CardTask | undefined>
  has(id: string): boolean
  /** Where a task is shown. */
  columnOf(id: string): Column | undefined
  /** Takes in a task as the server responded it. */
  keep(task: CardTask): void
  /** Changes some fields of a task that is known. */
  change(id: string, to: Partial<CardTask>): void
  /** Takes ids out of all columns except the one that they have arrived in. */
  place(column: Column, ids: readonly string[]): void
  /** Moves a card to the beginning of a column. */
  show(id: string, column: Column): void
  remove(id: string): void
}

/** An empty board. `onPart` is called for tasks that are new or have changed their column. */
export function createBoardState(onPart: (task: CardTask) => void): BoardState {
  const tasks = new Map<string, Signal<CardTask | undefined>>()
  const states: ColumnStates = { todo: emptyColumn(), doing: emptyColumn(), done: emptyColumn() }
  const moving = new Map<string, Column>()

  const task = (id: string): Signal<CardTask | undefined> => {
    const known = tasks.get(id)
    if (known !== undefined) return known
    const created = signal<CardTask | undefined>(undefined)
    tasks.set(id, created)
    return created
  }
  const columnOf = (id: string) => columns.find((column) => states[column].ids.peek().includes(id))
  const change = (id: string, to: Partial<CardTask>): void => {
    const before = tasks.get(id)?.peek()
    if (before !== undefined) task(id).value = { ...before, ...to }
  }
  const takeOut = (column: Column, ids: ReadonlySet<string>): void => {
    const list = states[column].ids
    if (list.peek().some((id) => ids.has(id))) list.value = list.peek().filter((id) => !ids.has(id))
  }

  return {
    columns: states,
    moving,
    task,
    has: (id) => tasks.has(id),
    columnOf,
    keep(read) {
      const before = task(read.id).peek()
      if (before?.column !== read.column) onPart(read)
      if (before === undefined || !isAlike(before, read)) task(read.id).value = { ...before, ...read }
    },
    change,
    place(column, ids) {
      const arrived = new Set(ids)
      for (const other of columns) if (other !== column) takeOut(other, arrived)
    },
    show(id, column) {
      const from = columnOf(id)
      if (from === undefined || from === column) return
      batch(() => {
        takeOut(from, new Set([id]))
        states[column].ids.value = [id, ...states[column].ids.peek()]
        change(id, { column })
      })
    },
    remove(id) {
      for (const column of columns) takeOut(column, new Set([id]))
      tasks.delete(id)
    },
  }
}

function emptyColumn(): ColumnState {
  return { ids: signal([]), nextCursor: signal(null), isLoading: signal(true), failure: signal(null) }
}
