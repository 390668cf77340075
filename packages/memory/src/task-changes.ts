import {
  TaskboardError,
  transition,
  type Attempt,
  type Instant,
  type Task,
  type TaskCommand,
} from '@taskboard/core'
import type { EventDraft, EventData, TransitionResult } from '@taskboard/core/storage'
import type { Database } from './database.js'
import { createDependents } from './dependents.js'
import type { TaskSlots } from './task-slots.js'
import { draftRow, type EventRow } from './event-log.js'

/** Applies the decisions of `transition` with all their effects. */
export interface TaskChanges {
  /** @throws TaskboardError `TASK_NOT_FOUND` for a task that the workspace does not have. */
  readonly require: (workspaceId: string, taskId: string) => Task
  /** `row` is the task's, where it is at hand. */
  apply(task: Task, command: TaskCommand, now: Instant, row?: TaskSlots): Task
  /** Deletes a task and all that belongs to it. @throws TaskboardError `CONFLICT` while others depend on it. */
  remove(task: Task): void
}

export function createTaskChanges({ tables, attempts, publish, noteRevocation }: Database): TaskChanges {
  const { tasks } = tables
  const dependents = createDependents(tasks)

  /** The task's lease and start describe the current attempt; ended attempts are kept beside the task. */
  function endAttempt(before: Task, ended: TransitionResult['endedAttempt'], now: Instant): void {
    if (ended === null || before.lease === null) return
    const { agentId, fencingToken } = before.lease
    const { outcome, reason } = ended
    const startedAt = before.startedAt ?? now
    const attempt: Attempt = { fencingToken, agentId, startedAt, endedAt: now, outcome, reason }
    attempts.set(before.id, [...attempts.of(before.id), attempt])
    if (outcome === 'revoked') noteRevocation()
  }

  function tellDependents(before: Task, after: Task, now: Instant): void {
    const isDone = after.column === 'DONE'
    if ((before.column === 'DONE') === isDone) return
    const command = { kind: isDone ? 'dependency_done' : 'dependency_reopened' } as const
    for (const id of dependents.of(after.id)) {
      const dependent = tasks.get(id)
      if (dependent !== undefined) tasks.set(id, transition(dependent, command, now).task)
    }
  }

  return {
    require(workspaceId, taskId) {
      const task = tasks.get(taskId)
      if (task !== undefined && task.workspaceId === workspaceId) return task
      throw new TaskboardError('TASK_NOT_FOUND', 'no such task')
    },
    apply(task, command, now, row) {
      const { task: after, events, endedAttempt } = transition(task, command, now)
      if (after === task) return task
      if (row === undefined) tasks.set(after.id, after)
      else tasks.replace(after.id, row, after)
      endAttempt(task, endedAttempt, now)
      for (const draft of events) publish(rowOf(draft, after, now))
      tellDependents(task, after, now)
      return after
    },
    remove({ id, lease }) {
      if (dependents.of(id).length > 0) {
        throw new TaskboardError('CONFLICT', 'other tasks depend on this one')
      }
      // Into the journal before the row is deleted, so that a rollback restores them with the row.
      attempts.set(id, [])
      tables.taskLogs.delete(id)
      tables.outputs.delete(id)
      tasks.delete(id)
      if (lease !== null) noteRevocation()
    },
  }
}

/** Each claim has a start, so it is one object: its data is built when it is read, and it keeps nothing of the task. */
function rowOf(draft: EventDraft, { workspaceId }: Task, at: Instant): EventRow {
  return draft.type === 'task.started'
    ? new TaskStarted(workspaceId, draft.data, at)
    : draftRow(workspaceId, draft, at)
}

class TaskStarted implements EventRow {
  id = ''
  seq = 0
  readonly workspaceId: string
  readonly at: Instant
  readonly #taskId: string
  readonly #title: string
  readonly #agentId: string
  readonly #attempt: number

  constructor(workspaceId: string, data: EventData['task.started'], at: Instant) {
    this.workspaceId = workspaceId
    this.at = at
    this.#taskId = data.taskId
    this.#title = data.title
    this.#agentId = data.agentId
    this.#attempt = data.attempt
  }

  get type() {
    return 'task.started' as const
  }

  get data(): EventData['task.started'] {
    return {
      taskId: this.#taskId,
      title: this.#title,
      status: 'DOING',
      agentId: this.#agentId,
      attempt: this.#attempt,
      startedAt: this.at,
    }
  }
}
