import { isTaskboardError, TaskboardError } from '../errors/index.js'
import { parseNewTask, taskListEntries, type NewTask, type TaskInput } from './task.js'

/** How many tasks one call adds at most. */
export const mostListedTasks = 500

/** A task of a list that is added as a whole. */
export interface ListedTaskInput extends Omit<TaskInput, 'dependsOn'> {
  /** Ids of tasks of the workspace; a number is the position, from 0, of an earlier task in the list. */
  readonly dependsOn?: readonly (string | number)[] | null | undefined
}

/** A validated task of a list. */
export interface ListedTask extends NewTask {
  /** The positions of the earlier tasks of the list that it also depends on. Distinct. */
  readonly follows: readonly number[]
}

const NOTHING: readonly number[] = Object.freeze([])

/**
 * Validates a list of tasks to add, whatever it contains, and fills in the defaults.
 * @throws TaskboardError `MISSING_FIELD` or `INVALID_FIELD` for the first task that is wrong, with its field. The message ends with
 *   the place: `title is required (tasks[3])`.
 * @example
 * ```ts
 * import { parseTaskList } from '@taskboard/core/storage'
 *
 * const inputs = [{ title: 'Write the manual' }, { title: 'Print it', dependsOn: [0] }]
 * console.log(parseTaskList(inputs, 'ws_1', 3).map(({ follows }) => follows)) // [ [], [ 0 ] ]
 * ```
 */
export function parseTaskList(
  inputs: readonly ListedTaskInput[],
  workspaceId: string,
  maxAttempts: number,
): readonly ListedTask[] {
  if (!Array.isArray(inputs) || inputs.length === 0 || inputs.length > mostListedTasks) {
    const rule = `tasks must be a list of 1 to ${mostListedTasks} tasks`
    throw new TaskboardError('INVALID_FIELD', rule, { field: 'tasks' })
  }
  return inputs.map((input: ListedTaskInput, position) => {
    try {
      return parseListedTask(input, position, workspaceId, maxAttempts)
    } catch (error) {
      throw isTaskboardError(error) ? placed(error, position) : error
    }
  })
}

function parseListedTask(
  input: ListedTaskInput,
  position: number,
  workspaceId: string,
  maxAttempts: number,
): ListedTask {
  const given: unknown = (input as ListedTaskInput | null)?.dependsOn
  if (!Array.isArray(given)) {
    return { ...parseNewTask(input as TaskInput, workspaceId, maxAttempts), follows: NOTHING }
  }
  if (given.length > taskListEntries) {
    throw invalid(`dependsOn must have at most ${taskListEntries} entries`)
  }
  const entries = given as readonly unknown[]
  const positions = entries.filter((entry) => typeof entry === 'number')
  if (!positions.every((entry) => Number.isInteger(entry) && entry >= 0 && entry < position)) {
    throw invalid('dependsOn must name earlier tasks of the list by their positions')
  }
  const ids = entries.filter((entry) => typeof entry !== 'number') as readonly string[]
  const task = parseNewTask({ ...input, dependsOn: ids }, workspaceId, maxAttempts)
  return { ...task, follows: [...new Set(positions)] }
}

function invalid(message: string): TaskboardError {
  return new TaskboardError('INVALID_FIELD', message, { field: 'dependsOn' })
}

/** The error with the position of its task. The field stays in front, where transports rename it. */
function placed(error: TaskboardError, position: number): TaskboardError {
  const { code, field, message } = error
  return new TaskboardError(code, `${message} (tasks[${position}])`, { field: field ?? 'tasks' })
}
