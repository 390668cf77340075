import type { Instant } from '../environment/index.js'
import { TaskboardError } from '../errors/index.js'
import type { Task } from './task.js'
import type { TaskSort } from './task-search.js'
import type { TaskCursor } from './task-cursor.js'

const TASK_ID = /^task_[0-9a-z]{1,59}$/
const APPROVAL_ID = /^apr_[0-9a-z]{1,59}$/

/**
 * The place behind a task in a list of its column.
 * @example
 * ```ts
 * import { createTaskboard } from '@taskboard/core'
 * import { cursorAfter, scoreUnits } from '@taskboard/core/storage'
 * import { memoryStorage } from '@taskboard/memory'
 *
 * const taskboard = createTaskboard({ storage: memoryStorage() })
 * const { workspace } = await taskboard.accounts.create({ name: 'Acme', tier: 'professional' })
 * const task = await taskboard.board(workspace.id).add({ title: 'Translate the manual' })
 * const cursor = cursorAfter(task, task.createdAt, scoreUnits(task, task.createdAt))
 * console.log(cursor.id === task.id, cursor.held) // true false
 * ```
 */
export function cursorAfter(task: Task, asOf: Instant, rank: number): TaskCursor {
  const { hold, dueDate, createdAt, id } = task
  return { asOf, rank, held: hold !== null, dueDate, createdAt, id }
}

/** Places are 32-bit numbers in storages. */
const MOST_PLACES = 2_147_483_647

/** A cursor as opaque text, for the wire. */
export function encodeCursor({ asOf, rank, held, dueDate, createdAt, id }: TaskCursor): string {
  return encodeParts([asOf, rank, held, dueDate, createdAt, id])
}

/** @throws TaskboardError `INVALID_FIELD` (`cursor`) for text that `encodeCursor` didn't make. */
export function decodeCursor(text: string): TaskCursor {
  return parsePlace(parseParts(text) ?? [])
}

function parsePlace(parts: readonly unknown[]): TaskCursor {
  const [asOf, rank, held, dueDate, createdAt, id] = parts
  const isPlace =
    parts.length === 6 && typeof held === 'boolean' && typeof id === 'string' && TASK_ID.test(id)
  if (!isPlace || !isWhole(asOf) || !isWhole(rank) || !isWhole(createdAt)) throw notACursor()
  if (dueDate !== null && !isWhole(dueDate)) throw notACursor()
  return { asOf, rank, held, dueDate, createdAt, id }
}

function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value)
}

/**
 * The cursor behind a task in a list of tasks that is newest first, as opaque text.
 * @example
 * ```ts
 * import { taskCursor } from '@taskboard/core/transport'
 *
 * console.log(/^[\w-]+$/.test(taskCursor('task_1'))) // true
 * ```
 */
export function encodeTaskId(id: string): string {
  return encodeParts([id])
}

/** @throws TaskboardError `INVALID_FIELD` (`cursor`) for text that `encodeTaskId` didn't make. */
export function decodeTaskId(text: string): string {
  return decodeId(text, TASK_ID)
}

/** @throws TaskboardError `INVALID_FIELD` (`cursor`) for text that `encodeTaskId` didn't make of an approval's id. */
export function decodeApprovalId(text: string): string {
  return decodeId(text, APPROVAL_ID)
}

function decodeId(text: string, form: RegExp): string {
  const parts = parseParts(text)
  const [id] = parts ?? []
  if (parts?.length !== 1 || typeof id !== 'string' || !form.test(id)) throw notACursor()
  return id
}

/** The cursor behind the first `count` entries of a list that only grows at its end, as opaque text. */
export function encodePlace(count: number): string {
  return encodeParts([count])
}

/** @throws TaskboardError `INVALID_FIELD` (`cursor`) for text that `encodePlace` didn't make of at most `most`. */
export function decodePlace(text: string, most = MOST_PLACES): number {
  const parts = parseParts(text)
  const [count] = parts ?? []
  if (parts?.length !== 1 || !isWhole(count) || count < 1 || count > most) throw notACursor()
  return count
}

/** The place of a task in a search's order, as opaque text. */
export function encodeSearchPlace(sort: TaskSort, place: TaskCursor): string {
  if (sort === 'created') return encodeTaskId(place.id)
  const { asOf, rank, held, dueDate, createdAt, id } = place
  return encodeParts([sort, asOf, rank, held, dueDate, createdAt, id])
}

/** @throws TaskboardError `INVALID_FIELD` (`cursor`) for text that `encodeSearchPlace` didn't make for this sort. */
export function decodeSearchPlace(sort: TaskSort, text: string): TaskCursor {
  if (sort === 'created') {
    return { asOf: 0, rank: 0, held: false, dueDate: null, createdAt: 0, id: decodeTaskId(text) }
  }
  const [found, ...place] = parseParts(text) ?? []
  if (found !== sort) throw notACursor()
  return parsePlace(place)
}

function encodeParts(parts: readonly unknown[]): string {
  return btoa(JSON.stringify(parts)).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}

function notACursor(): TaskboardError {
  return new TaskboardError('INVALID_FIELD', 'cursor must be the next_cursor of an earlier page', {
    field: 'cursor',
  })
}

function parseParts(text: string): unknown[] | null {
  try {
    const value: unknown = JSON.parse(atob(text.replaceAll('-', '+').replaceAll('_', '/')))
    return Array.isArray(value) ? value : null
  } catch {
    return null
  }
}
