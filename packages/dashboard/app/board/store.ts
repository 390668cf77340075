import { batch, computed, signal, type ReadonlySignal, type Signal } from '@preact/signals'
import type { RealtimeMessage } from '@taskboard/client'
import { client, workspaceId } from '../state/api.js'
import { explain, type Failure } from '../state/failure.js'
import { coalesce, onMessage, taskIdOf } from '../state/live.js'
import { columns, type Column, type CardTask } from '../state/wire.js'
import { isAlike, type Filters } from './filters.js'
import { followParts, type Parts } from './parts.js'

/** How many tasks a request reads, and a block of the column shows. */
export const PAGE_SIZE = 100
const MOST_SINGLE_READS = 20

/** The tasks of one column, in its order, as far as they were read. */
interface ColumnState {
  readonly ids: Signal<readonly string[]>
  readonly nextCursor: Signal<string | null>
  readonly isLoading: Signal<boolean>
  readonly failure: Signal<Failure | null>
}

/** The board of the workspace that is shown. Made when it is opened. */
export interface BoardStore {
  readonly columns: Readonly<Record<Column, ColumnState>>
  readonly isReady: ReadonlySignal<boolean>
  readonly hasFilters: boolean
  /** A task by its id; its signal changes with the task. */
  task(id: string): ReadonlySignal<CardTask | undefined>
  /** How many subtasks a task has; null for none, or while that is not known. */
  parts(id: string): ReadonlySignal<Parts | null>
  loadMore(column: Column): Promise<void>
  reload(): Promise<void>
  /** Moves a task at once, and then on the server; puts it back when the server refuses. @throws what the client throws */
  move(id: string, to: Column): Promise<void>
  /** Takes in a task as the server answered it. */
  put(task: CardTask): void
  close(): void
}

const sorts = { todo: 'priority_score', doing: 'created', done: 'updated' } as const satisfies Record<
  Column,
  string
>

/** Opens a board. */
export function openBoard(filters: Filters): BoardStore {
  const workspace = workspaceId()
  const tasks = new Map<string, Signal<CardTask | undefined>>()
  const abort = new AbortController()
  const state = Object.fromEntries(columns.map((column) => [column, emptyColumn()])) as Record<
    Column,
    ColumnState
  >
  /** Moves that the server has not answered yet: what it sends meanwhile must not move the card back. */
  const moving = new Map<string, Column>()
  const dirty = new Set<string>()
  const parts = followParts((id) => tasks.has(id), abort.signal)

  const taskSignal = (id: string): Signal<CardTask | undefined> => {
    const known = tasks.get(id)
    if (known !== undefined) return known
    const created = signal<CardTask | undefined>(undefined)
    tasks.set(id, created)
    return created
  }

  function keep(task: CardTask): void {
    const at = taskSignal(task.id)
    const before = at.peek()
    if (before?.column !== task.column) parts.note(task)
    if (before === undefined || !isAlike(before, task)) at.value = { ...before, ...task }
  }

  const read = (column: Column, cursor: string | null) =>
    client.tasks.list(
      {
        ...filters,
        workspace_id: workspace,
        column,
        sort: sorts[column],
        limit: PAGE_SIZE,
        include: 'usage',
        ...(cursor === null ? {} : { cursor }),
      },
      { signal: abort.signal },
    )

  /** Puts the ids that were read into a column, and out of the others. */
  function place(column: Column, ids: readonly string[]): void {
    const arrived = new Set(ids)
    for (const other of columns) {
      if (other === column) continue
      const list = state[other].ids
      if (list.peek().some((id) => arrived.has(id))) list.value = list.peek().filter((id) => !arrived.has(id))
    }
  }

  /** Reads the first page again. What lies below it stays as it was read. */
  async function refresh(column: Column): Promise<void> {
    const { ids, nextCursor, isLoading, failure } = state[column]
    isLoading.value = true
    try {
      const page = await read(column, null)
      if (abort.signal.aborted) return
      batch(() => {
        const found = page.tasks.filter(({ id }) => (moving.get(id) ?? column) === column)
        for (const task of page.tasks) keep(task)
        const fresh = found.map(({ id }) => id)
        const known = new Set(page.tasks.map(({ id }) => id))
        // A full page has others behind it. Those that were in its part and are not any more have left the column or gone down.
        const below =
          page.next_cursor === null
            ? []
            : ids
                .peek()
                .slice(PAGE_SIZE)
                .filter((id) => !known.has(id))
        const arriving = [...moving].filter(([id, to]) => to === column && !known.has(id)).map(([id]) => id)
        if (below.length === 0) nextCursor.value = page.next_cursor
        ids.value = [...arriving, ...fresh, ...below]
        place(column, ids.peek())
        failure.value = null
      })
    } catch (error) {
      if (!abort.signal.aborted) failure.value = explain(error)
    } finally {
      isLoading.value = false
    }
  }

  async function loadMore(column: Column): Promise<void> {
    const { ids, nextCursor, isLoading, failure } = state[column]
    const cursor = nextCursor.peek()
    if (cursor === null || isLoading.peek()) return
    isLoading.value = true
    try {
      const page = await read(column, cursor)
      if (abort.signal.aborted) return
      batch(() => {
        for (const task of page.tasks) keep(task)
        const known = new Set(ids.peek())
        const more = page.tasks.filter(({ id }) => !known.has(id) && (moving.get(id) ?? column) === column)
        ids.value = [...ids.peek(), ...more.map(({ id }) => id)]
        nextCursor.value = page.next_cursor
        place(
          column,
          more.map(({ id }) => id),
        )
      })
    } catch (error) {
      if (!abort.signal.aborted) failure.value = explain(error)
    } finally {
      isLoading.value = false
    }
  }

  const reload = async (): Promise<void> => {
    await Promise.all(columns.map(refresh))
  }

  function remove(id: string): void {
    for (const column of columns) {
      const list = state[column].ids
      if (list.peek().includes(id)) list.value = list.peek().filter((one) => one !== id)
    }
    tasks.delete(id)
  }

  /** Reads changed tasks again: one by one when they are few, else with their columns. */
  async function readDirty(): Promise<void> {
    const ids = [...dirty]
    dirty.clear()
    if (ids.length > MOST_SINGLE_READS) return
    await Promise.all(
      ids.map(async (id) => {
        const {
          logs: _,
          outputs: __,
          usage: ___,
          ...task
        } = await client.tasks.get(id, { signal: abort.signal })
        keep(task)
      }),
    ).catch(() => undefined)
  }

  const changed = new Set<Column>()
  const settle = coalesce(() => {
    const which = [...changed]
    changed.clear()
    void readDirty()
    void Promise.all(which.map(refresh))
  })

  /** Where a task is shown now. */
  const columnOf = (id: string): Column | undefined =>
    columns.find((column) => state[column].ids.peek().includes(id))

  function show(id: string, column: Column): void {
    const from = columnOf(id)
    if (from === column || moving.has(id)) return
    batch(() => {
      if (from !== undefined) state[from].ids.value = state[from].ids.peek().filter((one) => one !== id)
      if (from !== undefined) state[column].ids.value = [id, ...state[column].ids.peek()]
      const before = taskSignal(id).peek()
      if (before !== undefined) taskSignal(id).value = { ...before, column }
    })
  }

  function hear(message: RealtimeMessage): void {
    const id = taskIdOf(message)
    if (message.type === 'gap') {
      for (const column of columns) changed.add(column)
      return settle()
    }
    if (id === null) return
    if (message.type === 'task.progress') {
      const before = taskSignal(id).peek()
      if (before !== undefined) taskSignal(id).value = { ...before, progress: message.progress }
      return
    }
    if (message.type === 'task.log') return
    if (message.type === 'task.deleted') return remove(id)
    const from = columnOf(id)
    if (from !== undefined) changed.add(from)
    const to = arrivesIn(message)
    if (to !== null) {
      changed.add(to)
      show(id, to)
    }
    // Free dependents change their place, too.
    if (to === 'done') changed.add('todo')
    if (tasks.has(id)) dirty.add(id)
    settle()
  }

  const stop = onMessage(hear)
  const isReady = signal(false)
  void reload().then(() => {
    isReady.value = true
  })

  return {
    columns: state,
    isReady: computed(() => isReady.value),
    hasFilters: Object.keys(filters).length > 0,
    task: taskSignal,
    parts: parts.of,
    loadMore,
    reload,
    put(task) {
      keep(task)
      changed.add(task.column)
      settle()
    },
    async move(id, to) {
      const from = columnOf(id)
      const before = taskSignal(id).peek()
      show(id, to)
      moving.set(id, to)
      try {
        const { logs: _, outputs: __, ...task } = await client.tasks.move(id, { to })
        keep(task)
      } catch (error) {
        moving.delete(id)
        if (from !== undefined) show(id, from)
        if (before !== undefined) taskSignal(id).value = before
        throw error
      } finally {
        moving.delete(id)
        if (from !== undefined) changed.add(from)
        changed.add(to)
        settle()
      }
    },
    close() {
      stop()
      parts.close()
      settle.cancel()
      abort.abort()
    },
  }
}

function emptyColumn(): ColumnState {
  return { ids: signal([]), nextCursor: signal(null), isLoading: signal(true), failure: signal(null) }
}

/** The column that a task is in after an event; null when it stays. */
function arrivesIn(message: RealtimeMessage): Column | null {
  switch (message.type) {
    case 'task.created':
    case 'task.failed':
    case 'task.cancelled':
      return 'todo'
    case 'task.started':
      return 'doing'
    case 'task.completed':
      return 'done'
    case 'task.moved':
      return message.data.to.toLowerCase() as Column
    default:
      return null
  }
}
