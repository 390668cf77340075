import type { Reach } from '../access/index.js'
import type { AgentStatus } from '../events/index.js'
import type { Task, TaskLogEntry, TaskOutput } from './task.js'
import type { TaskStatus } from './task-status.js'

/** The agent shown with a task. */
export interface TaskAgent {
  readonly id: string
  readonly name: string
  readonly status: AgentStatus
}

/**
 * A task with its agent: the one that works it; else, in DONE, the one that completed it; else the one that it is assigned to. Null
 * when there is none of these.
 */
export interface TaskSummary {
  readonly task: Task
  readonly agent: TaskAgent | null
}

/** A task with its log and its outputs. */
export interface TaskDetail extends TaskSummary {
  /** The newest lines, oldest first. */
  readonly logs: readonly TaskLogEntry[]
  /** All of them, oldest first. */
  readonly outputs: readonly TaskOutput[]
}

/** Which tasks to find: those that match every filter that is not null. */
export interface TaskSearch {
  readonly reach: Reach
  readonly status: TaskStatus | null
  /** Tasks that are assigned to the agent, that it works, or that it completed. */
  readonly agentId: string | null
  readonly workspaceId: string | null
  readonly limit: number
  /** The last task of the page before. */
  readonly afterId: string | null
}

export interface TaskSearchPage {
  readonly found: readonly TaskSummary[]
  /** For the next page; null on the last one. */
  readonly nextAfterId: string | null
}
