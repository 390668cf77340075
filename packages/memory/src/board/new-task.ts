import { TaskboardError, type Actor, type Instant, type Task } from '@taskboard/core'
import { createTask, type EventData, type NewTask } from '@taskboard/core/storage'
import type { Database } from '../tables/database.js'
import type { EventRow } from '../tables/event-log.js'

const NO_TEXTS: readonly string[] = Object.freeze([])
const NO_METADATA: Task['metadata'] = Object.freeze({})

/** A new task, whose lists and metadata the caller can't change. */
interface OwnTask extends Omit<Task, 'tags' | 'metadata' | 'dependsOn'> {
  tags: Task['tags']
  metadata: Task['metadata']
  dependsOn: Task['dependsOn']
}

/**
 * The task that `input` creates.
 * @throws TaskboardError `INVALID_FIELD` for ids that the workspace doesn't have.
 */
export function buildTask(database: Database, id: string, input: NewTask, now: Instant): Task {
  const { tables } = database
  const { workspaceId, parentId } = input
  requireAssignee({ tables }, workspaceId, input.assignedTo)
  const dependsOn = input.dependsOn.length === 0 ? NO_TEXTS : copied([...new Set(input.dependsOn)])
  const openDependencies = countOpen({ tables }, workspaceId, id, dependsOn)
  if (parentId !== null) database.subtasks.requireRoom(workspaceId, parentId, 1)
  const task: OwnTask = createTask(input, { id, now, openDependencies })
  task.tags = copied(input.tags)
  task.metadata = copiedMetadata(input.metadata)
  task.dependsOn = dependsOn
  return task
}

/** @throws TaskboardError `INVALID_FIELD` for an agent that the workspace doesn't have. */
export function requireAssignee(
  { tables }: Pick<Database, 'tables'>,
  workspaceId: string,
  assignedTo: string | null,
): void {
  if (assignedTo === null || tables.agents.get(assignedTo)?.workspaceId === workspaceId) return
  throw new TaskboardError('INVALID_FIELD', 'assignedTo must be an agent of the workspace', {
    field: 'assignedTo',
  })
}

/**
 * How many of a task's dependencies aren't done.
 * @throws TaskboardError `INVALID_FIELD` for tasks that the workspace doesn't have, and for the task itself.
 */
export function countOpen(
  { tables }: Pick<Database, 'tables'>,
  workspaceId: string,
  taskId: string,
  dependsOn: readonly string[],
): number {
  let open = 0
  for (const id of dependsOn) {
    const dependency = tables.tasks.get(id)
    if (dependency?.workspaceId !== workspaceId || id === taskId) {
      throw new TaskboardError('INVALID_FIELD', 'dependsOn must name other tasks of the workspace', {
        field: 'dependsOn',
      })
    }
    if (dependency.column !== 'DONE') open += 1
  }
  return open
}

/**
 * The log's event of a new task. A stored task never changes, so it is kept instead of the data, which repeats most of it. The data
 * is built when the event is read.
 */
export class TaskCreated implements EventRow {
  id = ''
  seq = 0
  readonly #task: Task
  readonly #actorKind: Actor['kind']
  readonly #actorId: string | null

  constructor(task: Task, actor: Actor) {
    this.#task = task
    this.#actorKind = actor.kind
    this.#actorId = actor.id
  }

  get workspaceId() {
    return this.#task.workspaceId
  }

  get at() {
    return this.#task.createdAt
  }

  get type() {
    return 'task.created' as const
  }

  get data(): EventData['task.created'] {
    const task = this.#task
    return {
      taskId: task.id,
      title: task.title,
      status: 'TODO',
      description: task.description,
      priority: task.priority,
      type: task.type,
      assignedTo: task.assignedTo,
      dueDate: task.dueDate,
      tags: task.tags,
      dependsOn: task.dependsOn,
      createdAt: task.createdAt,
      actor: { kind: this.#actorKind, id: this.#actorId },
    }
  }
}

/** A list that is never changed. */
export function copied(texts: readonly string[]): readonly string[] {
  return texts.length === 0 ? NO_TEXTS : Object.freeze([...texts])
}

/** Metadata that is never changed. */
export function copiedMetadata(metadata: Task['metadata']): Task['metadata'] {
  const entries = Object.entries(metadata)
  if (entries.length === 0) return NO_METADATA
  return Object.freeze(
    Object.fromEntries(
      entries.map(([name, value]) => [name, typeof value === 'string' ? value : copied(value)]),
    ),
  )
}
