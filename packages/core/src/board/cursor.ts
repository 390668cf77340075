import { TaskboardError } from '../errors/index.js'
import type { TaskCursor } from './task-store.js'

const TASK_ID = /^task_[0-9a-z]{1,59}$/

/** A cursor as opaque text, for the wire. */
export function encodeCursor(cursor: TaskCursor): string {
  const text = JSON.stringify([cursor.asOf, cursor.rank, cursor.createdAt, cursor.id])
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}

/** @throws TaskboardError `INVALID_FIELD` (`cursor`) for text that `encodeCursor` did not make. */
export function decodeCursor(text: string): TaskCursor {
  const parts = parseParts(text)
  const [asOf, rank, createdAt, id] = parts ?? []
  const numbers = [asOf, rank, createdAt].every((value) => Number.isSafeInteger(value))
  if (parts?.length !== 4 || !numbers || typeof id !== 'string' || !TASK_ID.test(id)) {
    throw new TaskboardError('INVALID_FIELD', 'cursor must be the next_cursor of an earlier page', {
      field: 'cursor',
    })
  }
  return { asOf: asOf as number, rank: rank as number, createdAt: createdAt as number, id }
}

function parseParts(text: string): unknown[] | null {
  try {
    const value: unknown = JSON.parse(atob(text.replaceAll('-', '+').replaceAll('_', '/')))
    return Array.isArray(value) ? value : null
  } catch {
    return null
  }
}
