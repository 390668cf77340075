import type { TaskStore } from '../board/index.js'
import { createLoop, type Environment, type NextPass } from '../environment/index.js'
import { TaskboardError } from '../errors/index.js'
import type { TaskRun } from './task-run.js'

/**
 * Notices when others take tasks away from runs: a person who moves, cancels, holds, reassigns or deletes one. It asks the storage
 * only after a commit that took some task away from its agent, and at each poll of a storage that others write to as well.
 */
export interface ClaimWatch {
  start(): void
  /** A task was taken away from its agent, which may be one of the runs. */
  look(): void
  stop(): Promise<void>
}

export interface ClaimWatchOptions<Tx> {
  readonly environment: Environment
  readonly tasks: Pick<TaskStore<Tx>, 'checkClaims'>
  /** The runs that hold their tasks. */
  readonly runs: () => readonly TaskRun[]
  /** Null for a storage that tells of every commit. */
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
    const held = await tasks.checkClaims(proofs, { now: environment.storageNow() })
    for (const [index, run] of runs.entries()) {
      // One that ends meanwhile has given its claim up itself.
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
