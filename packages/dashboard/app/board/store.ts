import { signal, type ReadonlySignal } from '@preact/signals'
import type { RealtimeMessage } from '@taskboard/client'
import { client, workspaceId } from '../state/api.js'
import { isAway } from '../state/failure.js'
import { coalesce } from '../state/coalesce.js'
import { isBack, isLoss, onMessage, taskIdOf } from '../state/live.js'
import { columns, type CardTask, type Column, type TaskDetail } from '../state/wire.js'
import { PAGE_SIZE, readBoardPages } from './board-pages.js'
import { createBoardState, type BoardState, type ColumnStates } from './board-state.js'
import { text } from '../texts/index.js'
import type { Filters } from './filters.js'
import { followParts, type Parts } from './parts.js'

/** Changed tasks are read one by one up to here; more of them wait for their columns. */
const MOST_SINGLE_READS = 20
const LONGEST_AWAY_MS = 60_000

/** The board of the workspace that is shown. Made when it is opened. */
export interface BoardStore {
  readonly columns: ColumnStates
  /** Whether every column was read once. */
  readonly isReady: ReadonlySignal<boolean>
  readonly hasFilters: boolean
  /** A task by its id; its signal changes with the task. */
  task(id: string): ReadonlySignal<CardTask | undefined>
  /** How many subtasks a task has; null for none, or while that isn't known. */
  parts(id: string): ReadonlySignal<Parts | null>
  loadMore(column: Column): Promise<void>
  reload(): Promise<void>
  /** Moves a task immediately, and then on the server; puts it back when the server rejects. @throws what the client throws */
  move(id: string, to: Column): Promise<void>
  close(): void
}

/** Opens a board: reads its first pages, and follows what changes. */
export function openBoard(filters: Filters): BoardStore {
  const abort = new AbortController()
  const parts = followParts((id) => state.has(id), abort.signal)
  const state = createBoardState(parts.note)
  const pages = readBoardPages(state, { workspaceId: workspaceId(), filters, abort: abort.signal })
  const changes = followChanges(state, pages.refresh, abort.signal)
  const stop = onMessage((message) => hear(state, changes, message))
  const isReady = signal(false)

  const reload = async (): Promise<void> => {
    await Promise.all(columns.map(pages.refresh))
    isReady.value = true
  }
  void reload()

  return {
    columns: state.columns,
    isReady,
    hasFilters: Object.keys(filters).length > 0,
    task: state.task,
    parts: parts.of,
    loadMore: pages.loadMore,
    reload,
    move: (id, to) => move(state, changes, id, to),
    close() {
      stop()
      parts.close()
      changes.close()
      abort.abort()
    },
  }
}

/** Changes that were heard of, and are read a moment later. */
interface Changes {
  readonly column: (column: Column) => void
  task(id: string): void
  close(): void
}

function followChanges(
  state: BoardState,
  refresh: (column: Column) => Promise<void>,
  abort: AbortSignal,
): Changes {
  const changedColumns = new Set<Column>()
  const changedTasks = new Set<string>()

  const readTask = async (id: string): Promise<void> => {
    state.keep(withoutWork(await client.tasks.get(id, { signal: abort })))
  }
  const settle = coalesce(() => {
    const ids = [...changedTasks]
    const which = [...changedColumns]
    changedTasks.clear()
    changedColumns.clear()
    // A task that is gone by now says so by an event of its own.
    void Promise.all(which.map(refresh)).then(() => {
      const unread = ids.filter((id) => !isOnFirstPage(state, which, id))
      if (unread.length <= MOST_SINGLE_READS && !abort.aborted)
        return Promise.allSettled(unread.map(readTask))
      return undefined
    })
  })
  const note = <Value>(changed: Set<Value>, value: Value): void => {
    changed.add(value)
    settle()
  }
  return {
    column: (column) => note(changedColumns, column),
    task: (id) => note(changedTasks, id),
    close: () => settle.cancel(),
  }
}

/** Whether a task was read with a column that was read again. */
function isOnFirstPage(state: BoardState, which: readonly Column[], id: string): boolean {
  const column = state.columnOf(id)
  if (column === undefined || !which.includes(column)) return false
  return state.columns[column].ids.peek().indexOf(id) < PAGE_SIZE && !state.moving.has(id)
}

/** A task as a card shows it. */
function withoutWork({ logs: _logs, outputs: _outputs, ...task }: TaskDetail): CardTask {
  return task
}

/** Takes in a message: shows what it says immediately, and lets the rest be read again. */
function hear(state: BoardState, changes: Changes, message: RealtimeMessage): void {
  // What changed between the first read and the subscription came with no message.
  if (isLoss(message)) return columns.forEach(changes.column)
  const id = taskIdOf(message)
  if (id === null || message.type === 'task.log') return
  if (message.type === 'task.progress') return state.change(id, { progress: message.progress })
  if (message.type === 'task.deleted') return state.remove(id)
  const from = state.columnOf(id)
  const to = columnAfter(message)
  if (from !== undefined) changes.column(from)
  if (to !== null) {
    changes.column(to)
    if (!state.moving.has(id)) state.show(id, to)
  }
  // Tasks that waited for it have another place.
  if (to === 'done') changes.column('todo')
  if (state.has(id)) changes.task(id)
}

/** The column that a task is in after an event; null when it stays. */
function columnAfter(message: RealtimeMessage): Column | null {
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

/** Also through a short outage of the server: a move that it may have carried out is looked up before it is retried. */
async function moveOnServer(id: string, from: Column | undefined, to: Column): Promise<TaskDetail> {
  try {
    return await client.tasks.move(id, { to })
  } catch (error) {
    if (!isAway(error) || !(await isBack(LONGEST_AWAY_MS))) throw error
  }
  const now = await client.tasks.get(id)
  if (now.column === to) return now
  if (now.column !== from) throw new Error(text.board.movedMeanwhile(text.columns[now.column]))
  return client.tasks.move(id, { to })
}

async function move(state: BoardState, changes: Changes, id: string, to: Column): Promise<void> {
  const from = state.columnOf(id)
  const before = state.task(id).peek()
  state.show(id, to)
  state.moving.set(id, to)
  try {
    state.keep(withoutWork(await moveOnServer(id, from, to)))
  } catch (error) {
    if (from !== undefined) state.show(id, from)
    if (before !== undefined) state.change(id, before)
    throw error
  } finally {
    state.moving.delete(id)
    if (from !== undefined) changes.column(from)
    changes.column(to)
  }
}
