import type { Environment } from '../environment/index.js'
import { parseInput } from '../errors/index.js'
import type { Created } from '../idempotency/index.js'
import { parseTaskList, type ListedTask, type ListedTaskInput } from './task-list.js'
import type { TaskSplit, TaskStore } from './task-store.js'
import type { Actor, Task } from './task.js'
import { delegationInput } from './write-inputs.js'
import { addWithinSpan } from './board-telemetry.js'
import { renewalOf, type AddOptions, type BoardSettings } from './board-options.js'

/** How an agent splits the task that it works. */
export interface DelegationInput {
  readonly fencingToken: number
  /** 1 to 50. Each becomes a subtask; its own `parentId` is ignored. */
  readonly tasks: readonly ListedTaskInput[]
  /** Whether the task waits for them. Default false. */
  readonly wait?: boolean | undefined
  readonly leaseMs?: number | undefined
}

/** The methods of a board that create several tasks. */
export interface ListWrites<Tx = unknown> {
  /**
   * Adds 1 to 500 tasks, all or none, each with `task.created`. In `dependsOn`, a number is the position of an earlier task in the list.
   * A retry with the same `idempotency` returns the first one's tasks as they were created.
   * @throws as `add`; the message names the position: `title is required (tasks[3])`.
   */
  addAll(inputs: readonly ListedTaskInput[], options?: AddOptions<Tx>): Promise<readonly Task[]>
  /**
   * For the agent that works on a task: creates subtasks of it, all or none, by the agent. With `wait`, the same commit makes the task wait
   * for them. It depends on them, returns to TODO and can be claimed again when all are DONE. That attempt doesn't count. Without it, the
   * lease is renewed.
   * @throws `CONFLICT` when the lease is no longer held (`fencingToken`), and beyond five levels or 50 open subtasks (`parentId`). Even when
   * the task would depend on more than 50 tasks that aren't DONE (`dependsOn`).
   */
  delegate(taskId: string, input: DelegationInput, options?: AddOptions<Tx>): Promise<readonly Task[]>
}

/** The same for callers that have validated a list themselves. */
export interface ReadListWrites<Tx> {
  /** As `addAll`, with tasks of this workspace that `parseTaskList` returned. Says whether an earlier call created them. */
  addAllParsed(tasks: readonly ListedTask[], options?: AddOptions<Tx>): Promise<Created<readonly Task[]>>
  /** As `delegate`, and says whether an earlier call created the tasks. */
  delegateOnce(
    taskId: string,
    input: DelegationInput,
    options?: AddOptions<Tx>,
  ): Promise<Created<readonly Task[]>>
}

interface ListWriteDeps<Tx> {
  readonly environment: Environment
  readonly tasks: Pick<TaskStore<Tx>, 'insertTasks'>
  readonly settings: BoardSettings
}

export function createListWrites<Tx>(
  { environment, tasks, settings }: ListWriteDeps<Tx>,
  workspaceId: string,
  actor: Actor,
): ListWrites<Tx> & ReadListWrites<Tx> {
  const toList = (inputs: readonly ListedTaskInput[]) =>
    parseTaskList(inputs, workspaceId, settings.maxAttempts)

  const insert = (list: readonly ListedTask[], split: TaskSplit | null, options?: AddOptions<Tx>) => {
    const insertion = {
      workspaceId,
      tasks: list,
      actor: options?.actor ?? actor,
      idempotency: options?.idempotency ?? null,
      split,
    }
    const { telemetry } = environment
    if (telemetry === null) return tasks.insertTasks(insertion, environment.call(options))
    return addWithinSpan(telemetry, workspaceId, list, (traced) =>
      tasks.insertTasks({ ...insertion, tasks: traced }, environment.call(options)),
    )
  }

  const addAllParsed: ReadListWrites<Tx>['addAllParsed'] = (list, options) => insert(list, null, options)

  const delegateOnce: ReadListWrites<Tx>['delegateOnce'] = async (taskId, input, options) => {
    const { tasks: inputs, ...rest } = input
    const { fencingToken, wait, leaseMs } = parseInput(delegationInput, rest)
    const subtasks = toList(inputs).map((task): ListedTask => ({ ...task, parentId: taskId }))
    const proof = { workspaceId, taskId, fencingToken }
    return insert(subtasks, { proof, isWaiting: wait, leaseMs: renewalOf(leaseMs) }, options)
  }

  return {
    addAllParsed,
    delegateOnce,
    addAll: async (inputs, options) => (await addAllParsed(toList(inputs), options)).value,
    delegate: async (taskId, input, options) => (await delegateOnce(taskId, input, options)).value,
  }
}
