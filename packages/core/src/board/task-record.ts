import type { Instant } from '../environment/index.js'

/** How severe a line of a task's log is. */
export const logLevels = ['debug', 'info', 'warn', 'error'] as const

/** A line of a task's log. */
export interface TaskLogEntry {
  readonly at: Instant
  readonly level: (typeof logLevels)[number]
  readonly message: string
}

/** A page of a task's log. */
export interface TaskLogPage {
  /** Oldest first. */
  readonly lines: readonly TaskLogEntry[]
  /** The place of the last line, which stays the same while older lines are deleted; null on the last page. */
  readonly nextAfter: number | null
}

/** A reference to something that an agent made. The bytes are stored elsewhere. */
export interface TaskOutput {
  readonly type: string
  readonly name: string
  readonly url: string
  /** Bytes; null when unknown. */
  readonly size: number | null
}
