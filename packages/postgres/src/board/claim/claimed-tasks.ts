import { transition, type Instant, type Task } from '@taskboard/core'
import type { ClaimProof } from '@taskboard/core/storage'
import { toTask, type TaskRow } from '../task-row.js'

/** The most tasks that a process remembers: those that it has claimed last and not completed with a claim of the next one. */
const MOST_KEPT = 1_000

/** A task as a claim returned it. */
export interface ClaimedTask {
  readonly task: Task
  readonly version: number
}

/**
 * The tasks that this process has claimed last. A completion names the version that the task has after it, if it is unchanged since: then
 * the database need not send it again. Only for claims that are committed: another claim may give the version of one that was rolled back.
 */
export interface ClaimedTasks {
  add(row: TaskRow): Task
  find(proof: ClaimProof): ClaimedTask | undefined
  /** After its completion. */
  forget(taskId: string): void
}

export function createClaimedTasks(most = MOST_KEPT): ClaimedTasks {
  const kept = new Map<string, ClaimedTask>()
  return {
    add(row) {
      const task = toTask(row)
      kept.delete(task.id)
      kept.set(task.id, { task, version: row.version })
      const [oldest] = kept.keys()
      if (kept.size > most && oldest !== undefined) kept.delete(oldest)
      return task
    },
    find({ workspaceId, taskId, fencingToken }) {
      const claimed = kept.get(taskId)
      const isOfProof =
        claimed?.task.workspaceId === workspaceId && claimed.task.fencingToken === fencingToken
      return isOfProof ? claimed : undefined
    },
    forget(taskId) {
      kept.delete(taskId)
    },
  }
}

/** The task after a completion that was the next change of it, at an instant of the database. */
export function completedTask({ task }: ClaimedTask, result: string, at: Instant): Task {
  return transition(task, { kind: 'complete', fencingToken: task.fencingToken, result }, at).task
}
