import type { TaskStore } from '../board/index.js'
import { createLoop, type Environment, type NextPass } from '../environment/index.js'
import { TaskboardError } from '../errors/index.js'
import type { TaskRun } from './task-run.js'

/**
 * Notices when a person takes a task away from its run: moves, cancels, holds, reassigns or deletes it. Asks the storage only after a
 * commit that took a task away from its agent, and at each poll of a storage that other processes write to.
 */
export interface ClaimWatch {
  start(): void
  /** A commit took a task away from its agent, which may be one of the runs. */
  look(): void
  stop(): Promise<void>
}

export interface ClaimWatchOptions<Tx> {
  readonly environment: Environment
  readonly tasks: Pick<TaskStore<Tx>, 'checkClaims'>
  /** The runs that have their tasks. */
  readonly runs: () => readonly TaskRun[]
  /** Null for a storage that reports every commit. */
  readonly pollIntervalMs: number | null
}

/** How many claims one statement checks. */
const BATCH = 1_000

export function createClaimWatch<Tx>(options: ClaimWatchOptions<Tx>): ClaimWatch {
  const { environment, tasks, pollIntervalMs } = options
  const { clock, logger } = environment
  const loop = createLoop({ name: 'agent-claims', clock, logger, pollIntervalMs, pass: checkAll })

  async function checkAll(): Promise<NextPass> {
    const runs = options.runs()
    for (let first = 0; first < runs.length; first += BATCH) await check(runs.slice(first, first + BATCH))
    return null
  }

  async function check(runs: readonly TaskRun[]): Promise<void> {
    const proofs = runs.map(({ proof }) => proof)
    const held = await tasks.checkClaims({ proofs }, { now: environment.storageNow() })
    for (const [index, run] of runs.entries()) {
      // A run that ends meanwhile has released its claim itself.
      if (held[index] === true || run.phase !== 'running') continue
      logger.info({ taskId: run.task.id, agentId: run.agentId }, 'a task was taken away from its run')
      run.lose(new TaskboardError('CONFLICT', 'the task was taken away from its agent'))
    }
  }

  return {
    start: () => loop.start(),
    look: () => loop.wake(),
    stop: () => loop.stop(),
  }
}
