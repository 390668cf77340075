import {
  type Actor,
  type Attempt,
  type Instant,
  type Task,
  TaskboardError,
  type TaskCommand,
  transition,
} from '@taskboard/core'
import type { EventData, EventDraft, TaskChange, TransitionResult } from '@taskboard/core/storage'
import { deleteComments } from './conversations.js'
import { deleteLinks } from '../tables/delete-links.js'
import type { Database } from '../tables/database.js'
import { draftRow, type EventRow } from '../tables/event-log.js'
import { copied, copiedMetadata, countOpen, requireAssignee } from './new-task.js'
import type { TaskSlots, TaskTable } from '../tables/task-slots.js'

/** The tasks that wait for a task. Follows the tasks' table. */
interface Dependents {
  /** Ids of the tasks that name `taskId` among their dependencies, in order. */
  of(taskId: string): readonly string[]
}

function createDependents(tasks: TaskTable): Dependents {
  const waiting = new Map<string, Set<string>>()

  tasks.onChange((before, after) => {
    if (before?.dependsOn === after?.dependsOn) return
    for (const id of before?.dependsOn ?? []) {
      const ids = waiting.get(id)
      ids?.delete((before as Task).id)
      if (ids?.size === 0) waiting.delete(id)
    }
    for (const id of after?.dependsOn ?? []) {
      const ids = waiting.get(id)
      if (ids === undefined) waiting.set(id, new Set([(after as Task).id]))
      else ids.add((after as Task).id)
    }
  })

  return { of: (taskId) => [...(waiting.get(taskId) ?? [])].sort() }
}

/**
 * `task` with a change applied.
 * @throws TaskboardError `INVALID_FIELD` for ids that the workspace doesn't have, and for dependencies that lead back to it.
 */
export function changedTask(database: Database, task: Task, change: TaskChange, now: Instant): Task {
  const { workspaceId, id } = task
  const after: Task = { ...task, ...change, updatedAt: now }
  requireAssignee(database, workspaceId, after.assignedTo)
  const { tags, metadata, dependsOn } = after
  const copies = { tags: copied(tags), metadata: copiedMetadata(metadata) }
  if (change.dependsOn === undefined) return { ...after, ...copies }
  const each = copied([...new Set(dependsOn)])
  const openDependencies = countOpen(database, workspaceId, id, each)
  requireNoCircle(database, id, each)
  return { ...after, ...copies, dependsOn: each, openDependencies }
}

function requireNoCircle({ tables }: Database, taskId: string, dependsOn: readonly string[]): void {
  const seen = new Set<string>()
  const toVisit = [...dependsOn]
  for (let id = toVisit.pop(); id !== undefined; id = toVisit.pop()) {
    if (id === taskId) {
      throw new TaskboardError('INVALID_FIELD', 'dependsOn must not lead back to the task', {
        field: 'dependsOn',
      })
    }
    if (seen.has(id)) continue
    seen.add(id)
    toVisit.push(...(tables.tasks.get(id)?.dependsOn ?? []))
  }
}

/** Applies the decisions of `transition` with all their effects. */
export interface TaskChanges {
  /** @throws TaskboardError `TASK_NOT_FOUND` for a task that the workspace doesn't have. */
  readonly require: (workspaceId: string, taskId: string) => Task
  /** `row` is the task's, where it is available. */
  apply(task: Task, command: TaskCommand, now: Instant, row?: TaskSlots): Task
  /** Deletes a task and all that belongs to it. @throws TaskboardError `CONFLICT` while others depend on it. */
  remove(task: Task, actor: Actor, now: Instant): void
  /** `Storage.prune` of tasks that were completed before `endAt`. */
  removeDone(endAt: Instant, limit: number, now: Instant): number
}

export function createTaskChanges(database: Database): TaskChanges {
  const { tables, attempts, approvalIds, publish, recordRevocation } = database
  const { tasks } = tables
  const dependents = createDependents(tasks)

  /** The task's lease and start describe the current attempt; ended attempts are kept next to the task. */
  function endAttempt(before: Task, ended: TransitionResult['endedAttempt'], now: Instant): void {
    if (ended === null || before.lease === null) return
    const { agentId, fencingToken } = before.lease
    const { outcome, reason } = ended
    const startedAt = before.startedAt ?? now
    const attempt: Attempt = { fencingToken, agentId, startedAt, endedAt: now, outcome, reason }
    attempts.set(before.id, [...attempts.of(before.id), attempt])
    if (outcome === 'revoked') recordRevocation()
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

  function remove(task: Task, actor: Actor, now: Instant): void {
    const { id, lease, workspaceId, title, column: status } = task
    if (dependents.of(id).length > 0) {
      throw new TaskboardError('CONFLICT', 'other tasks depend on this one')
    }
    // Into the journal before the row is deleted, so that a rollback restores them with the row.
    attempts.set(id, [])
    tables.taskLogs.delete(id)
    tables.outputs.delete(id)
    deleteComments(database, id)
    for (const approvalId of approvalIds.of(id)) tables.approvals.delete(approvalId)
    deleteLinks(database, ({ taskId }) => taskId === id)
    tables.taskUsage.delete(id)
    tasks.delete(id)
    const data = { taskId: id, title, status, actor: { kind: actor.kind, id: actor.id } }
    publish(draftRow(workspaceId, { type: 'task.deleted', data }, now))
    if (lease !== null) recordRevocation()
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
    remove,
    removeDone(endAt, limit, now) {
      const canGo = ({ id, workspaceId, column, completedAt }: Task): boolean =>
        column === 'DONE' &&
        completedAt !== null &&
        completedAt < endAt &&
        !database.readOnly.has(workspaceId) &&
        !database.subtasks.hasOpen(id) &&
        dependents.of(id).length === 0
      const old = [...tasks.values()].filter(canGo).slice(0, limit)
      for (const task of old) remove(task, { kind: 'system', id: null }, now)
      return old.length
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
