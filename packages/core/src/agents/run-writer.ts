import type { ClaimProof } from '../board/index.js'
import { tracked, type CallContext, type Environment } from '../environment/index.js'
import { isTaskboardError, TaskboardError } from '../errors/index.js'

/** The run that writes. */
export interface WritingRun {
  readonly proof: ClaimProof
  readonly leaseMs: number
  readonly signal: AbortSignal
  /** False as soon as the run is over, even if its code runs on. */
  isLive(): boolean
  /** The store has renewed the lease for a write that began at `startedAt` of the process's clock. */
  renewed(startedAt: number): void
  /** The task is no longer the run's. */
  lost(error: unknown): void
  held(): void
}

type Verb<A extends unknown[], R> = (call: CallContext<never>, ...args: A) => Promise<R>

/** Unawaited writes of a run's code may start further writes without end. The end of the run waits for at most this many in a row. */
const MOST_ROUNDS = 1_000

type LostTest = (error: unknown) => boolean

export interface Writer {
  /** `isLostBy` says which rejections mean that the task is lost; default: any conflict. */
  <A extends unknown[], R = void>(verb: Verb<A, R>, isLostBy?: LostTest): (...args: A) => Promise<R>
  /** Resolves when all writes have finished, including writes that start while it waits, up to a bound. */
  settled(): Promise<void>
}

/** Makes writes that run in sequence, renew the lease, and notice when it is lost. */
export function createWriter(environment: Environment, run: WritingRun): Writer {
  const { clock, logger } = environment
  let queue: Promise<unknown> = Promise.resolve()

  async function perform<R>(work: (call: CallContext<never>) => Promise<R>, isLostBy: LostTest): Promise<R> {
    if (!run.isLive()) throw new TaskboardError('CONFLICT', 'the run is over: it no longer has the task')
    const startedAt = clock.now()
    try {
      const value = await tracked(clock, 'agent-write', () => work(environment.call()))
      run.renewed(startedAt)
      return value
    } catch (error) {
      if (isLostBy(error)) run.lost(error)
      throw error
    }
  }

  const makeWrite = <A extends unknown[], R>(verb: Verb<A, R>, isLostBy: LostTest = isLost) => {
    return (...args: A): Promise<R> => {
      const result = queue.then(() => perform((call) => verb(call, ...args), isLostBy))
      queue = result.then(
        () => undefined,
        (error: unknown) => {
          logger.warn({ taskId: run.proof.taskId, err: error }, 'the storage rejected a write of an agent')
        },
      )
      return result
    }
  }
  return Object.assign(makeWrite, {
    async settled() {
      let seen: Promise<unknown> | undefined
      for (let round = 0; seen !== queue && round < MOST_ROUNDS; round++) await (seen = queue)
    },
  })
}

/** Whether a storage error means that the task is no longer the writer's. */
export function isLost(error: unknown): boolean {
  return isTaskboardError(error, 'TASK_NOT_FOUND') || isTaskboardError(error, 'CONFLICT')
}

/** The same for a verb that has other conflicts as well: the error must be about the fencing token. */
export function isFencedOff(error: unknown): boolean {
  return isLost(error) && !(isTaskboardError(error, 'CONFLICT') && error.field !== 'fencingToken')
}
