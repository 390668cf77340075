import type { TaskStore } from '../board/index.js'
import {
  createBackgroundLoop,
  tracked,
  type Environment,
  type Instant,
  type NextPass,
} from '../environment/index.js'
import { TaskboardError } from '../errors/index.js'
import { isLost } from './run-writer.js'
import type { TaskRun } from './task-run.js'

/** Renews the leases of runs: one loop and two queues, however many runs there are. */
export interface LeaseKeeper {
  start(): void
  /** Renews from now on, a third of a lease after each write. Call it even after a write that renewed the lease. */
  keep(run: TaskRun): void
  release(run: TaskRun): void
  stop(): Promise<void>
}

export interface LeaseKeeperOptions<Tx> {
  readonly environment: Environment
  readonly tasks: Pick<TaskStore<Tx>, 'changeTask'>
  readonly agentType: string
  readonly leaseMs: number
}

/** Runs in the order in which they are due. All runs of a queue wait equally long, so the newest goes to its end. */
type DueQueue = Map<TaskRun, Instant>

export function createLeaseKeeper<Tx>(options: LeaseKeeperOptions<Tx>): LeaseKeeper {
  const { environment, tasks, leaseMs } = options
  const { clock, logger } = environment
  const intervalMs = Math.floor(leaseMs / 3)
  const retryMs = Math.ceil(intervalMs / 8)
  const regular: DueQueue = new Map()
  const retries: DueQueue = new Map()
  let nextPassAt: Instant = Infinity
  const loop = createBackgroundLoop({
    name: `agent-leases:${options.agentType}`,
    environment,
    pollIntervalMs: null,
    pass: renewDue,
  })

  async function renewDue(): Promise<NextPass> {
    const now = clock.now()
    for (const run of [...takeDue(regular, intervalMs, now), ...takeDue(retries, retryMs, now)]) {
      enqueue(regular, run, intervalMs)
      void tracked(clock, 'agent-heartbeat', () => renew(run))
    }
    nextPassAt = Math.min(firstDue(regular), firstDue(retries))
    return nextPassAt === Infinity ? null : nextPassAt - clock.now()
  }

  async function renew(run: TaskRun): Promise<void> {
    const startedAt = clock.now()
    if (startedAt >= run.leaseEndsAt)
      return lose(run, new TaskboardError('CONFLICT', 'the lease expired without a renewal'))
    try {
      const command = { kind: 'renew', fencingToken: run.proof.fencingToken, leaseMs } as const
      await tasks.changeTask({ target: run.proof, command }, environment.call())
      run.leaseEndsAt = Math.max(run.leaseEndsAt, startedAt + leaseMs)
    } catch (error) {
      if (!regular.has(run)) return
      if (isLost(error)) return lose(run, error)
      logger.warn({ taskId: run.task.id, err: error }, 'a lease could not be renewed; retrying')
      regular.delete(run)
      enqueue(retries, run, retryMs)
    }
  }

  function lose(run: TaskRun, reason: unknown): void {
    regular.delete(run)
    retries.delete(run)
    logger.warn({ taskId: run.task.id, agentId: run.agentId }, 'an agent lost its task')
    run.lose(reason)
  }

  function enqueue(queue: DueQueue, run: TaskRun, delayMs: number): void {
    queue.delete(run)
    const dueAt = clock.now() + delayMs
    queue.set(run, dueAt)
    if (dueAt >= nextPassAt) return
    nextPassAt = dueAt
    loop.wake()
  }

  return {
    start: () => loop.start(),
    keep(run) {
      retries.delete(run)
      enqueue(regular, run, intervalMs)
    },
    release(run) {
      regular.delete(run)
      retries.delete(run)
    },
    async stop() {
      regular.clear()
      retries.clear()
      await loop.stop()
    },
  }
}

/** Runs whose wait is over, and runs whose wait is longer than possible because the clock has stepped back. */
function takeDue(queue: DueQueue, waitMs: number, now: Instant): TaskRun[] {
  const due: TaskRun[] = []
  for (const [run, dueAt] of queue) {
    if (dueAt > now && dueAt <= now + waitMs) break
    due.push(run)
    queue.delete(run)
  }
  return due
}

function firstDue(queue: DueQueue): Instant {
  const [first] = queue.values()
  return first ?? Infinity
}
