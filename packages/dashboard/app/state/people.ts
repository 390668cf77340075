import type { Comment } from './wire.js'
import { text } from '../texts/index.js'

/** What people call an author: the name or, without one, the id. */
export function nameOf({ kind, id, name }: Comment['author']): string {
  return name ?? id ?? text.task.thread.authors[kind]
}
