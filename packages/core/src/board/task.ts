import type { Instant } from '../environment/index.js'

/** The three columns of every board. */
export type Column = 'TODO' | 'DOING' | 'DONE'
export const columns: readonly Column[] = ['TODO', 'DOING', 'DONE']

/** The priority flag, best first. */
export type Priority = 'urgent' | 'high' | 'medium' | 'low'
export const priorities: readonly Priority[] = ['urgent', 'high', 'medium', 'low']

/** Why a task in TODO is kept from agents. `failed`, `needs_input` and `approval` are raised with `task.failed`. */
export type HoldReason = 'failed' | 'cancelled' | 'needs_input' | 'approval'
export const holdReasons: readonly HoldReason[] = ['failed', 'cancelled', 'needs_input', 'approval']

/** Keeps a task in TODO from every agent until a person releases it. */
export interface Hold {
  readonly reason: HoldReason
  readonly message: string | null
  readonly since: Instant
}

/** An agent's exclusive right to work a task, until it is not renewed. */
export interface Lease {
  readonly agentId: string
  /** Grows with every claim of the task. A write with an older one is refused with `CONFLICT`. */
  readonly fencingToken: number
  /** The instant at which the lease ends. */
  readonly expiresAt: Instant
  /** The length that the claim asked for. A renewal that names no other length uses it. */
  readonly durationMs: number
}

/** Who made a change. */
export interface Actor {
  readonly kind: 'user' | 'api_key' | 'agent' | 'host' | 'system'
  readonly id: string | null
}

/**
 * A task as it is stored: an immutable value, which each change replaces as a whole. Times are epoch milliseconds. An absent optional
 * value is null.
 */
export interface Task {
  readonly id: string
  readonly workspaceId: string
  /** 1 to 200 code points, trimmed. */
  readonly title: string
  readonly description: string | null
  /** A label for the agent. It restricts no claim. */
  readonly type: string | null
  readonly priority: Priority
  readonly column: Column
  /** Only in TODO. */
  readonly hold: Hold | null
  /** The only agent that may claim the task; null for any. */
  readonly assignedTo: string | null
  readonly dueDate: Instant | null
  /** No agent claims the task before this instant: a planned start, or the backoff after a failed attempt. */
  readonly notBefore: Instant | null
  readonly tags: readonly string[]
  readonly metadata: Readonly<Record<string, string | readonly string[]>>
  /** Ids of tasks of the same workspace that must be DONE before an agent may claim this one. */
  readonly dependsOn: readonly string[]
  /** How many of `dependsOn` are not DONE. The task is blocked while this is above 0. */
  readonly openDependencies: number
  /** 0 to 100. */
  readonly progress: number
  /** The text that the agent returned; null until the task is completed. */
  readonly result: string | null
  readonly createdAt: Instant
  readonly updatedAt: Instant
  /** When it last entered DOING. */
  readonly startedAt: Instant | null
  /** When it last entered DONE; null while it is elsewhere. */
  readonly completedAt: Instant | null
  /** How many times an agent has claimed it since a person last created, moved or released it. */
  readonly attempts: number
  /** How many claims it may have before it is held as `failed`. */
  readonly maxAttempts: number
  /** The last fencing token given for it; 0 before the first claim. Never decreases. */
  readonly fencingToken: number
  /** Present exactly while an agent works it. A task that a person moved to DOING has none. */
  readonly lease: Lease | null
}

/** How an attempt ended. */
export type AttemptOutcome =
  'completed' | 'failed' | 'retried' | 'held' | 'expired' | 'revoked' | 'handed_back'

/** One claim of a task by an agent, kept permanently. */
export interface Attempt {
  readonly fencingToken: number
  readonly agentId: string
  readonly startedAt: Instant
  readonly endedAt: Instant | null
  /** Null while the attempt is in progress. */
  readonly outcome: AttemptOutcome | null
  /** The reason for the end, from the agent or the lease. */
  readonly reason: string | null
}

/** A line of a task's log. */
export interface TaskLogEntry {
  readonly at: Instant
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  readonly message: string
}

/** A reference to something that an agent made. The bytes are stored elsewhere. */
export interface TaskOutput {
  readonly type: string
  readonly name: string
  readonly url: string
  /** Bytes; null when unknown. */
  readonly size: number | null
}

/** Whether the task is ready at `now`, for any agent that may claim it. */
export function isReady(task: Task, now: Instant): boolean {
  return (
    task.column === 'TODO' &&
    task.hold === null &&
    task.openDependencies === 0 &&
    (task.notBefore === null || task.notBefore <= now)
  )
}
