import { TaskboardError } from '../errors/index.js'
import type { TaskCursor } from './task-store.js'

const TASK_ID = /^task_[0-9a-z]{1,59}$/

/** A cursor as opaque text, for the wire. */
export function encodeCursor(cursor: TaskCursor): string {
  return encodeParts([cursor.asOf, cursor.rank, cursor.createdAt, cursor.id])
}

/** @throws TaskboardError `INVALID_FIELD` (`cursor`) for text that `encodeCursor` did not make. */
export function decodeCursor(text: string): TaskCursor {
  const parts = parseParts(text)
  const [asOf, rank, createdAt, id] = parts ?? []
  const numbers = [asOf, rank, createdAt].every((value) => Number.isSafeInteger(value))
  if (parts?.length !== 4 || !numbers || typeof id !== 'string' || !TASK_ID.test(id)) {
    throw notACursor()
  }
  return { asOf: asOf as number, rank: rank as number, createdAt: createdAt as number, id }
}

/** The cursor behind a task in a list of tasks that is newest first, as opaque text. */
export function encodeTaskId(id: string): string {
  return encodeParts([id])
}

/** @throws TaskboardError `INVALID_FIELD` (`cursor`) for text that `encodeTaskId` did not make. */
export function decodeTaskId(text: string): string {
  const parts = parseParts(text)
  const [id] = parts ?? []
  if (parts?.length !== 1 || typeof id !== 'string' || !TASK_ID.test(id)) throw notACursor()
  return id
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
