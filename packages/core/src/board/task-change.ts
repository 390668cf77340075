import { TaskboardError } from '../errors/index.js'
import type { Priority, Task } from './task.js'
import { taskFields, type InstantInput } from './task-fields.js'

/** The fields of a task that a person may change, with the rules of a new task. */
type EditableField =
  | 'title'
  | 'description'
  | 'type'
  | 'priority'
  | 'assignedTo'
  | 'dueDate'
  | 'notBefore'
  | 'tags'
  | 'metadata'
  | 'dependsOn'

/** A validated change: its fields are replaced as a whole, the others stay. */
export type TaskChange = Partial<Pick<Task, EditableField>>

/** The input of `board.update`. Undefined keeps a field; null clears it to the default of a new task. */
export interface TaskChangeInput {
  /** Cannot be cleared. */
  readonly title?: string | undefined
  readonly description?: string | null | undefined
  readonly type?: string | null | undefined
  readonly priority?: Priority | null | undefined
  readonly assignedTo?: string | null | undefined
  readonly dueDate?: InstantInput | null | undefined
  readonly notBefore?: InstantInput | null | undefined
  readonly tags?: readonly string[] | null | undefined
  /** Replaces all of it. */
  readonly metadata?: Readonly<Record<string, string | readonly string[]>> | null | undefined
  readonly dependsOn?: readonly string[] | null | undefined
}

type Reader<F extends EditableField> = (value: unknown) => Task[F]

const orCleared =
  <T, C>(read: (value: unknown) => T, cleared: C) =>
  (value: unknown): T | C =>
    value === null ? cleared : read(value)

const readers: { readonly [F in EditableField]: Reader<F> } = {
  title: taskFields.title,
  description: orCleared(taskFields.description, null),
  type: orCleared(taskFields.type, null),
  priority: orCleared(taskFields.priority, 'medium'),
  assignedTo: orCleared(taskFields.assignedTo, null),
  dueDate: orCleared(taskFields.dueDate, null),
  notBefore: orCleared(taskFields.notBefore, null),
  tags: orCleared(taskFields.tags, []),
  metadata: orCleared(taskFields.metadata, {}),
  dependsOn: orCleared(taskFields.dependsOn, []),
}

/**
 * Validates a change, whatever its fields contain.
 * @throws TaskboardError `INVALID_FIELD`, naming the first field that is wrong.
 */
export function readTaskChange(input: TaskChangeInput): TaskChange {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    throw new TaskboardError('INVALID_FIELD', 'the change must be an object')
  }
  const change: Record<string, unknown> = {}
  for (const [field, read] of Object.entries(readers)) {
    const value = input[field as EditableField]
    if (value !== undefined) change[field] = read(value)
  }
  return change
}
