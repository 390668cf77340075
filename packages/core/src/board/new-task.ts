import { TaskboardError } from '../errors/index.js'
import type { Priority } from './task.js'
import { taskFields, type InstantInput } from './task-fields.js'
import type { NewTask } from './task-store.js'

/** A task to add. A field that is absent, undefined or null has its default. */
export interface TaskInput {
  /** 1 to 200 code points after trimming. */
  readonly title: string
  /** At most 20,000 code points. */
  readonly description?: string | null | undefined
  /** 1 to 64 code points. */
  readonly type?: string | null | undefined
  /** Default `medium`. */
  readonly priority?: Priority | null | undefined
  /** The id of the only agent that may claim it. */
  readonly assignedTo?: string | null | undefined
  readonly dueDate?: InstantInput | null | undefined
  /** No agent claims it earlier. */
  readonly notBefore?: InstantInput | null | undefined
  /** At most 50, each of 1 to 100 code points. */
  readonly tags?: readonly string[] | null | undefined
  /** At most 16,384 characters as JSON; names of 1 to 100 code points. */
  readonly metadata?: Readonly<Record<string, string | readonly string[]>> | null | undefined
  /** At most 50 ids of tasks of the same workspace. */
  readonly dependsOn?: readonly string[] | null | undefined
  /** 1 to 100. */
  readonly maxAttempts?: number | null | undefined
}

const NOTHING: readonly never[] = Object.freeze([])

/**
 * Validates a task to add, whatever its fields contain, and fills in the defaults.
 * @throws TaskboardError `MISSING_FIELD` or `INVALID_FIELD`, naming the first field that is wrong.
 */
export function readNewTask(input: TaskInput, workspaceId: string, maxAttempts: number): NewTask {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    throw new TaskboardError('INVALID_FIELD', 'the task must be an object')
  }
  const { title, description, type, priority, assignedTo, dueDate, notBefore, tags, metadata } = input
  if (title == null) throw new TaskboardError('MISSING_FIELD', 'title is required', { field: 'title' })
  return {
    workspaceId,
    title: taskFields.title(title),
    description: description == null ? null : taskFields.description(description),
    type: type == null ? null : taskFields.type(type),
    priority: priority == null ? 'medium' : taskFields.priority(priority),
    assignedTo: assignedTo == null ? null : taskFields.assignedTo(assignedTo),
    dueDate: dueDate == null ? null : taskFields.dueDate(dueDate),
    notBefore: notBefore == null ? null : taskFields.notBefore(notBefore),
    tags: tags == null ? NOTHING : taskFields.tags(tags),
    metadata: metadata == null ? {} : taskFields.metadata(metadata),
    dependsOn: input.dependsOn == null ? NOTHING : taskFields.dependsOn(input.dependsOn),
    maxAttempts: input.maxAttempts == null ? maxAttempts : taskFields.maxAttempts(input.maxAttempts),
  }
}
