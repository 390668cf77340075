import type { Instant } from '../environment/index.js'

/** The place of a task in a list. */
export interface TaskCursor {
  /** The present of the first page. */
  readonly asOf: Instant
  /** In a column: TODO: score in units at `asOf`; DOING: `startedAt`; DONE: `completedAt`. In a search: see `searchPlace`. */
  readonly rank: number
  /** Whether the task is on hold: in TODO, those come last. */
  readonly held: boolean
  /** Orders equal ranks in TODO. */
  readonly dueDate: Instant | null
  readonly createdAt: Instant
  readonly id: string
}
