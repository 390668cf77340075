import type { z } from 'zod'
import type { CallContext, Environment, InTransaction } from '../environment/index.js'
import { parseInput, TaskboardError } from '../errors/index.js'
import type { BoardSettings } from './board-options.js'
import { reportRemoteRun } from './board-telemetry.js'
import type { Task } from './task.js'
import type { TaskStore } from './task-store.js'
import { failureInput } from './write-inputs.js'

/** Notes that an agent can't work for so long. */
export type RestAgent<Tx> = (
  rest: { readonly workspaceId: string; readonly agentId: string; readonly restMs: number },
  call: CallContext<Tx>,
) => Promise<void>

export interface FailureDeps<Tx> {
  readonly environment: Environment
  readonly tasks: Pick<TaskStore<Tx>, 'changeTask' | 'getTask'>
  readonly restAgent: RestAgent<Tx>
  readonly transaction: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>
  readonly onWorked: () => void
  readonly settings: BoardSettings
}

export type Fail<Tx> = (
  taskId: string,
  input: z.input<typeof failureInput>,
  options?: InTransaction<Tx>,
) => Promise<Task>

/** `board.fail`: the attempt counts, or, when the agent can't work now, the task waits and the agent rests. */
export function createFail<Tx>(
  { environment, tasks, settings, restAgent, transaction, onWorked }: FailureDeps<Tx>,
  workspaceId: string,
): Fail<Tx> {
  return async (taskId, input, options) => {
    const { fencingToken, reason, retry, retryAfterMs } = parseInput(failureInput, input)
    const target = { workspaceId, taskId }
    if (retryAfterMs === undefined) {
      const backoff = retry ? settings.backoff : null
      const task = await tasks.changeTask(
        { target, command: { kind: 'fail', fencingToken, reason, backoff } },
        environment.call(options),
      )
      reportRemoteRun(environment, task, 'failed')
      onWorked()
      return task
    }
    if (!retry) {
      const rule = 'retryAfterMs is not for a failure without a retry'
      throw new TaskboardError('INVALID_FIELD', rule, { field: 'retryAfterMs' })
    }
    const { task: claimed } = await tasks.getTask(
      { within: workspaceId, taskId, parts: ['task'] },
      environment.call(options),
    )
    const postpone = async (tx: Tx): Promise<Task> => {
      const when = environment.call({ tx })
      const command = { kind: 'postpone', fencingToken, reason, delayMs: retryAfterMs } as const
      const postponed = await tasks.changeTask({ target, command }, when)
      // The command has refused all but the holder of the lease.
      const agentId = claimed.lease?.agentId
      if (agentId !== undefined) await restAgent({ workspaceId, agentId, restMs: retryAfterMs }, when)
      return postponed
    }
    const task = await (options?.tx === undefined ? transaction(postpone) : postpone(options.tx))
    reportRemoteRun(environment, { ...claimed, updatedAt: task.updatedAt }, 'postponed')
    onWorked()
    return task
  }
}
