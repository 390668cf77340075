import type { Backoff, ClaimBatch, ClaimByType, TaskStore } from '../board/index.js'
import { sleep, type Environment } from '../environment/index.js'
import { isTaskboardError } from '../errors/index.js'
import type { AgentStore } from './agent-store.js'
import { isLost } from './run-writer.js'
import type { TaskRun, WrittenOutcome } from './task-run.js'

export interface OutcomeWriterDeps<Tx> {
  readonly environment: Environment
  readonly tasks: TaskStore<Tx>
  readonly agents: Pick<AgentStore<Tx>, 'reportPresence'>
  readonly backoff: Backoff
  /** Ends the wait for a storage that doesn't respond. */
  readonly givingUp: AbortSignal
}

/** The next task to claim in the same commit; null while the runner stops. */
export type NextTask = () => ClaimByType | null

const FIRST_RETRY_MS = 250
const LONGEST_RETRY_MS = 5_000

/**
 * Retries `work` after a storage fault while the run's lease lasts. A short outage loses no work, and fencing keeps a retry from
 * writing twice. Resolves with null, and logs why, when the task was lost or the storage didn't recover in time.
 */
export async function whileLeased<Tx, T>(
  deps: Pick<OutcomeWriterDeps<Tx>, 'environment' | 'givingUp'>,
  run: TaskRun,
  work: () => Promise<T>,
): Promise<T | null> {
  const { clock, logger } = deps.environment
  const fields = { taskId: run.task.id, agentId: run.agentId }
  for (let delayMs = FIRST_RETRY_MS; ; delayMs = Math.min(2 * delayMs, LONGEST_RETRY_MS)) {
    if (run.phase === 'over') return null
    try {
      return await work()
    } catch (error) {
      const described = { ...fields, err: error }
      if (isLost(error)) {
        logger.warn(described, 'discarded a write of a run that has lost its task')
        return null
      }
      if (!isFault(error) || deps.givingUp.aborted || clock.now() + delayMs >= run.leaseEndsAt) {
        logger.error(described, 'stopped retrying the storage; the task returns when its lease expires')
        return null
      }
      logger.warn(described, 'the storage failed during a run; retrying')
      await sleep(clock, delayMs, deps.givingUp)
    }
  }
}

/** Writes the outcome of a run. Resolves with the tasks that were claimed next; null when none was requested. */
export async function writeOutcome<Tx>(
  deps: OutcomeWriterDeps<Tx>,
  run: TaskRun,
  outcome: WrittenOutcome,
  nextTask: NextTask,
): Promise<ClaimBatch | null> {
  const { environment, tasks, agents, backoff } = deps
  const { proof } = run
  const { fencingToken } = proof
  return whileLeased(deps, run, async () => {
    switch (outcome.kind) {
      case 'completed':
        return (
          await tasks.completeTask({ proof, result: outcome.result, next: nextTask() }, environment.call())
        ).next
      case 'failed': {
        const command = {
          kind: 'fail',
          fencingToken,
          reason: outcome.reason,
          backoff: outcome.retry ? backoff : null,
        } as const
        await tasks.changeTask({ target: proof, command }, environment.call())
        return null
      }
      case 'returned': {
        const command = { kind: 'return_claim', fencingToken, reason: outcome.reason } as const
        await tasks.changeTask({ target: proof, command }, environment.call())
        return null
      }
      case 'postponed': {
        const { reason, delayMs } = outcome
        const { workspaceId } = proof
        // First, so that it takes no other task in between.
        await agents.reportPresence(
          { workspaceId, agentId: run.agentId, restMs: delayMs },
          environment.call(),
        )
        await tasks.changeTask(
          { target: proof, command: { kind: 'postpone', fencingToken, reason, delayMs } },
          environment.call(),
        )
        return null
      }
    }
  })
}

/** Whether a retry can help: for every error except a rejection by the storage. */
function isFault(error: unknown): boolean {
  if (!isTaskboardError(error)) return true
  return error.code === 'SERVICE_UNAVAILABLE' || error.code === 'INTERNAL_ERROR'
}
