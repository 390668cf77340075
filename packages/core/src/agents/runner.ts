import type { AccessStore } from '../access/index.js'
import { type Actor, type Backoff, type Board, defaultBackoff, type TaskStore } from '../board/index.js'
import { createBackgroundLoop, type Environment, type NextPass } from '../environment/index.js'
import { TaskboardError } from '../errors/index.js'
import type { EventStore } from '../events/index.js'
import { createAccountDirectory } from './account-directory.js'
import { type AgentDirectory, createAgentDirectory } from './agent-directory.js'
import { createAgentPresence, createRuntimeReport } from './presence.js'
import type { AgentStore } from './agent-store.js'
import { anyAgentType } from './agent.js'
import type { AgentDefinition } from './define-agent.js'
import { createRests } from './retry-later.js'
import { createRuntimeWorker } from './runtime-worker.js'
import type { TaskRun } from './task-run.js'

/**
 * Notices when a person takes a task away from its run: moves, cancels, holds, reassigns or deletes it. Asks the storage only after a
 * commit that took a task away from its agent. With a storage that other processes write to, it also asks at each poll.
 */
interface ClaimWatch {
  start(): void
  /** A commit took a task away from its agent, which may be one of the runs. */
  check(): void
  stop(): Promise<void>
}

interface ClaimWatchOptions<Tx> {
  readonly environment: Environment
  readonly tasks: Pick<TaskStore<Tx>, 'checkClaims'>
  /** The runs that have their tasks. */
  readonly runs: () => readonly TaskRun[]
  /** Null for a storage that reports every commit. */
  readonly pollIntervalMs: number | null
}

/** How many claims one statement checks. */
const BATCH = 1_000

function createClaimWatch<Tx>(options: ClaimWatchOptions<Tx>): ClaimWatch {
  const { environment, tasks, pollIntervalMs } = options
  const { logger } = environment
  const loop = createBackgroundLoop({ name: 'agent-claims', environment, pollIntervalMs, pass: checkAll })

  async function checkAll(): Promise<NextPass> {
    const runs = options.runs()
    for (let first = 0; first < runs.length; first += BATCH) await check(runs.slice(first, first + BATCH))
    return null
  }

  async function check(runs: readonly TaskRun[]): Promise<void> {
    const proofs = runs.map(({ proof }) => proof)
    const held = await tasks.checkClaims({ proofs }, environment.call())
    for (const [index, run] of runs.entries()) {
      // A run that ends meanwhile has released its claim itself.
      if (held[index] === true || run.phase !== 'running') continue
      logger.info({ taskId: run.task.id, agentId: run.agentId }, 'a task was taken away from its run')
      run.lose(new TaskboardError('CONFLICT', 'the task was taken away from its agent'))
    }
  }

  return {
    start: () => loop.start(),
    check: () => loop.wake(),
    stop: () => loop.stop(),
  }
}

export interface RunnerOptions<Tx> {
  readonly environment: Environment
  readonly tasks: TaskStore<Tx>
  readonly agents: Pick<AgentStore<Tx>, 'reportPresence' | 'listAgents'>
  readonly access: Pick<AccessStore<Tx>, 'listWorkspaces'>
  /** Cache of stored agents, to notify of changes. Default: the runner's own. */
  readonly directory?: AgentDirectory | undefined
  readonly events: Pick<EventStore<Tx>, 'appendEvent' | 'onCommit'>
  readonly runtimes: readonly AgentDefinition[]
  /** The board of a workspace on which `actor` makes the changes, for runs. */
  readonly boardFor: (workspaceId: string, actor: Actor) => Board<Tx>
  /** The wait after a failed attempt. */
  readonly backoff?: Backoff | undefined
  /** How long a task can be postponed without a break before one more is a failed attempt. */
  readonly longestOutageMs: number
  /** The longest wait between searches for work; null for storages that report all of it. */
  readonly pollIntervalMs: number | null
}

export interface StopOptions {
  /** How long runs may take to end. Default 10 s. */
  readonly drainTimeoutMs?: number | undefined
  /** How long they may take once their signals have aborted. Default 250 ms. */
  readonly graceMs?: number | undefined
}

/**
 * Runs agents on tasks: for each type up to its concurrency, workspaces in turn, each workspace's best task first.
 *
 * Leases are renewed during a run. When a run loses its task, its signal aborts; when a person takes the task away, it aborts immediately.
 * The slot is then free, and the result is discarded. After a storage fault, calls are retried while the lease lasts. So a task is
 * neither lost nor done twice.
 */
export interface Runner {
  /** Begins to claim tasks. */
  start(): void
  /**
   * Stops claiming and lets runs end within the drain time. Then aborts their signals, and after the grace period returns the claims of the
   * remaining runs, without a failed attempt. Waits end by the board's clock. If that is a test's clock and stands still, they end after at
   * most a second of real time. Leaves no timer, and writes nothing afterward.
   */
  stop(options?: StopOptions): Promise<void>
  /** How many runs there are. */
  readonly inFlight: number
}

const DEFAULT_DRAIN_TIMEOUT_MS = 10_000
const DEFAULT_GRACE_MS = 250

/** @throws TaskboardError `INVALID_CONFIG` when two runtimes are for one type. */
export function createRunner<Tx>(options: RunnerOptions<Tx>): Runner {
  const { environment, events, runtimes, backoff = defaultBackoff } = options
  if (new Set(runtimes.map(({ type }) => type)).size < runtimes.length) {
    throw new TaskboardError('INVALID_CONFIG', 'two agents have the same type', { field: 'agents' })
  }
  const presence = createAgentPresence(environment, options.agents)
  const { directory = createAgentDirectory(environment, options.agents) } = options
  const report = createRuntimeReport(environment, options.agents, {
    agentTypes: runtimes.map(({ type }) => type),
    isOnlyProcess: options.pollIntervalMs === null,
  })
  const accounts = createAccountDirectory(environment, options.access)
  const rests = createRests(environment.clock, backoff)
  const workers = runtimes.map((runtime) =>
    createRuntimeWorker({ ...options, presence, directory, accounts, backoff, rests }, runtime),
  )
  const watch = createClaimWatch({ ...options, runs: () => workers.flatMap((worker) => worker.runs()) })
  let unsubscribe: (() => void) | undefined
  let isOpen = false

  return {
    start() {
      if (unsubscribe) return
      unsubscribe = events.onCommit(({ revokes }) => {
        if (revokes) watch.check()
        for (const worker of workers) worker.wake()
      })
      watch.start()
      presence.start()
      isOpen = true
      const isKnown = report.start()
      for (const [index, worker] of workers.entries()) {
        if (runtimes[index]?.type !== anyAgentType) worker.start()
        // What it must leave to other runtimes the storage knows once these have reported.
        else void isKnown.then(() => (isOpen ? worker.start() : undefined))
      }
    },
    async stop({ drainTimeoutMs = DEFAULT_DRAIN_TIMEOUT_MS, graceMs = DEFAULT_GRACE_MS } = {}) {
      isOpen = false
      await Promise.all(workers.map((worker) => worker.stop({ drainTimeoutMs, graceMs })))
      unsubscribe?.()
      await Promise.all([watch.stop(), presence.stop(), report.stop()])
    },
    get inFlight() {
      return workers.reduce((sum, worker) => sum + worker.inFlight, 0)
    },
  }
}
