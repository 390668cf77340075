import {
  reportClaim,
  type Actor,
  type Backoff,
  type Board,
  type ClaimBatch,
  type TaskStore,
} from '../board/index.js'
import {
  atMost,
  createBackgroundLoop,
  createSharedAbort,
  type Environment,
  type Instant,
  type NextPass,
  type Telemetry,
  tracked,
  yieldEvery,
} from '../environment/index.js'
import type { EventStore } from '../events/index.js'
import type { AccountDirectory } from './account-directory.js'
import type { AgentDirectory } from './agent-directory.js'
import type { AgentStore } from './agent-store.js'
import type { AgentPresence } from './presence.js'
import type { AgentDefinition } from './define-agent.js'
import { createLeaseKeeper, type LeaseKeeper } from './lease-keeper.js'
import { type NextTask, whileLeased, writeOutcome } from './outcome-writer.js'
import {
  createTaskRun,
  performRun,
  readBriefing,
  type Outcome,
  type OutagePolicy,
  type TaskRun,
  type TaskRunOptions,
} from './task-run.js'

/** How many claims are returned at the same time. */
const BATCH = 100

/**
 * Returns claims, so that other processes need not wait for their leases to end. Tries each claim once and never rejects: a task
 * whose claim can't be returned is ready when its lease expires.
 */
async function returnClaims<Tx>(
  deps: { readonly environment: Environment; readonly tasks: Pick<TaskStore<Tx>, 'changeTask'> },
  runs: readonly TaskRun[],
): Promise<void> {
  const { environment, tasks } = deps
  const returnClaim = async ({ proof }: TaskRun): Promise<void> => {
    try {
      const { fencingToken } = proof
      const command = { kind: 'return_claim', fencingToken, reason: 'the process stopped' } as const
      await tasks.changeTask({ target: proof, command }, environment.call())
    } catch (error) {
      const fields = { taskId: proof.taskId, err: error }
      environment.logger.warn(
        fields,
        'a claim could not be returned; its task is ready when the lease expires',
      )
    }
  }
  for (let first = 0; first < runs.length; first += BATCH) {
    await Promise.all(runs.slice(first, first + BATCH).map(returnClaim))
  }
}

/** The runs of one runtime. A run takes a slot while it has its task, even if its code runs on afterward. */
interface RunSet {
  /** How many slots are in use. */
  readonly taken: number
  /** How many runs there are, including those that have lost their task while their code runs on. */
  readonly size: number
  /** The runs that have their task. */
  live(): readonly TaskRun[]
  add(run: TaskRun): void
  /** The run no longer has its task, and its slot is free. False when that was already so. */
  release(run: TaskRun): boolean
  /** The run's code has finished as well. */
  remove(run: TaskRun): void
  /** Resolves when no run has a task. */
  whenReleased(): Promise<void>
}

function createRunSet(): RunSet {
  const all = new Set<TaskRun>()
  const live = new Set<TaskRun>()
  const waiting: (() => void)[] = []

  return {
    get taken() {
      return live.size
    },
    get size() {
      return all.size
    },
    live: () => [...live],
    add(run) {
      all.add(run)
      live.add(run)
    },
    release(run) {
      const isReleased = live.delete(run)
      if (live.size === 0) for (const resolve of waiting.splice(0)) resolve()
      return isReleased
    },
    remove(run) {
      all.delete(run)
    },
    whenReleased: () =>
      live.size === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve)),
  }
}

/** Works on the tasks of one agent type. */
interface RuntimeWorker {
  start(): void
  /** There may be something to claim. */
  wake(): void
  stop(options: { readonly drainTimeoutMs: number; readonly graceMs: number }): Promise<void>
  readonly inFlight: number
  /** The runs that have their task. */
  runs(): readonly TaskRun[]
}

interface RuntimeWorkerDeps<Tx> extends OutagePolicy {
  readonly environment: Environment
  readonly tasks: TaskStore<Tx>
  readonly agents: Pick<AgentStore<Tx>, 'reportPresence'>
  readonly events: Pick<EventStore<Tx>, 'appendEvent'>
  readonly boardFor: (workspaceId: string, actor: Actor) => Board<Tx>
  readonly presence: AgentPresence
  readonly directory: AgentDirectory
  readonly accounts: AccountDirectory
  readonly backoff: Backoff
  readonly pollIntervalMs: number | null
}

/** What the parts of one worker share. */
interface WorkerDeps<Tx> extends RuntimeWorkerDeps<Tx> {
  readonly definition: AgentDefinition
  readonly keeper: LeaseKeeper
  readonly runs: RunSet
  /** Whether new runs may still start. */
  isOpen(): boolean
  /** Aborts when waiting for a failing storage must end. */
  readonly givingUp: AbortSignal
  /** Each run awaits it, so that agents without any I/O don't block the event loop. */
  readonly yieldNowAndThen: () => Promise<void> | undefined
  /** A slot became free. */
  onFree(): void
}

/** The agent, or its workspace, was deleted during the claim: return the claim. */
const agentGone = { kind: 'returned', reason: 'the agent was deleted' } as const

/** What one statement claims at most. */
const CLAIM_BATCH = 500
/** How many runs begin in one turn of the event loop. */
const RUNS_PER_YIELD = 50

export function createRuntimeWorker<Tx>(
  deps: RuntimeWorkerDeps<Tx>,
  definition: AgentDefinition,
): RuntimeWorker {
  const { environment, tasks, pollIntervalMs } = deps
  const { type: agentType, concurrency, leaseMs } = definition
  const { clock } = environment
  const giveUp = createSharedAbort()
  const runs = createRunSet()
  const keeper = createLeaseKeeper({ environment, tasks, agentType, leaseMs })
  let open = false
  const loop = createBackgroundLoop({
    name: `agent-runner:${agentType}`,
    environment,
    pollIntervalMs,
    pass: claimFreeSlots,
  })
  const worker: WorkerDeps<Tx> = {
    ...deps,
    definition,
    keeper,
    runs,
    isOpen: () => open,
    givingUp: giveUp.signal,
    yieldNowAndThen: yieldEvery(RUNS_PER_YIELD),
    onFree: () => loop.wake(),
  }

  async function claimFreeSlots(): Promise<NextPass> {
    const limit = Math.min(concurrency - runs.taken, CLAIM_BATCH)
    if (limit <= 0 || !open) return null
    const claimedAt = clock.now()
    const batch = await tasks.claimTasks({ target: { agentType, leaseMs }, limit }, environment.call())
    await takeOn(worker, batch, claimedAt)
    return batch.tasks.length === limit && runs.taken < concurrency ? 'now' : batch.nextReadyInMs
  }

  return {
    start() {
      open = true
      keeper.start()
      loop.start()
    },
    wake() {
      if (runs.taken < concurrency) loop.wake()
    },
    get inFlight() {
      return runs.size
    },
    runs: () => runs.live(),
    async stop({ drainTimeoutMs, graceMs }) {
      open = false
      await loop.stop()
      await atMost(clock, drainTimeoutMs, runs.whenReleased())
      for (const run of runs.live()) if (run.phase === 'running') run.interrupt()
      await atMost(clock, graceMs, runs.whenReleased())
      giveUp.abort()
      const stuck = runs.live().filter((run) => run.phase === 'running')
      for (const run of stuck) end(worker, run)
      await returnClaims(worker, stuck)
      await atMost(clock, graceMs, runs.whenReleased())
      await keeper.stop()
    },
  }
}

/** Starts claimed tasks, or returns the claims when the worker was stopped before. */
async function takeOn<Tx>(deps: WorkerDeps<Tx>, batch: ClaimBatch, claimedAt: Instant): Promise<void> {
  const { definition, environment, keeper } = deps
  reportClaim(environment, batch.tasks, { agentType: definition.type, startedAt: claimedAt })
  const options = batch.tasks.map((task): TaskRunOptions => ({
    task,
    definition,
    claimedAt,
    onRenewed: (run) => keeper.keep(run),
    onLost: (run) => letGo(deps, run),
  }))
  if (!deps.isOpen()) return returnClaims(deps, options.map(createTaskRun))
  for (const one of options) start(deps, one)
}

function start<Tx>(deps: WorkerDeps<Tx>, options: TaskRunOptions): void {
  const run = createTaskRun(options)
  deps.runs.add(run)
  deps.presence.began(run.task.workspaceId, run.agentId)
  deps.keeper.keep(run)
  const { telemetry } = deps.environment
  const working: Promise<unknown> =
    telemetry === null ? work(deps, run, options) : workWithinSpan(deps, telemetry, run, options)
  working
    .catch((error: unknown) => {
      const fields = { taskId: run.task.id, err: error }
      deps.environment.logger.error(
        fields,
        'a run failed unexpectedly; its task returns when its lease expires',
      )
    })
    .finally(() => end(deps, run))
}

function workWithinSpan<Tx>(
  deps: WorkerDeps<Tx>,
  telemetry: Telemetry,
  run: TaskRun,
  options: TaskRunOptions,
): Promise<void> {
  const { clock } = deps.environment
  const { task, agentId } = run
  const agentType = deps.definition.type
  const startedAt = clock.now()
  const begun = { kind: 'run', task, agentId, agentType, attempt: task.attempts } as const
  return telemetry.span(begun, async (span) => {
    const ended = await work(deps, run, options)
    const isError = ended.kind === 'failed' || ended.kind === 'postponed'
    const error = isError ? (ended.thrown ?? ended.reason) : undefined
    span.set({ outcome: ended.kind, error })
    telemetry.measure({ kind: 'run', agentType, outcome: ended.kind, tookMs: clock.now() - startedAt })
  })
}

/** Works on the task from the look-up of its agent to the write of the outcome. */
async function work<Tx>(deps: WorkerDeps<Tx>, run: TaskRun, options: TaskRunOptions): Promise<Outcome> {
  const { clock, logger } = deps.environment
  const { type: agentType, leaseMs } = deps.definition
  const yielded = deps.yieldNowAndThen()
  if (yielded) await tracked(clock, 'agent-turn', () => yielded)
  const briefed = await whileLeased(deps, run, async () => ({ briefing: await readBriefing(deps, run) }))
  if (briefed === null) return { kind: 'lost' }
  const { briefing } = briefed
  const outcome = briefing === null ? agentGone : await performRun(deps, run, options, briefing)
  if (outcome.kind === 'held') return outcome
  if (outcome.kind === 'lost') {
    const fields = { taskId: run.task.id, agentId: run.agentId }
    logger.warn(fields, 'discarded the result of a run that has lost its task')
    return outcome
  }
  run.phase = 'ending'
  const writtenAt = clock.now()
  const nextTask: NextTask = () => (deps.isOpen() ? { agentType, leaseMs } : null)
  const next = await tracked(clock, 'agent-outcome', () => writeOutcome(deps, run, outcome, nextTask))
  // Before this run ends, so that an agent with a next task is not reported as idle in between.
  if (next !== null && next.tasks.length > 0) await takeOn(deps, next, writtenAt)
  return outcome
}

function end<Tx>(deps: WorkerDeps<Tx>, run: TaskRun): void {
  run.phase = 'over'
  deps.runs.remove(run)
  letGo(deps, run)
}

/** The run no longer has its task: its slot is free, even if its code runs on. */
function letGo<Tx>(deps: WorkerDeps<Tx>, run: TaskRun): void {
  deps.keeper.release(run)
  if (!deps.runs.release(run)) return
  deps.presence.ended(run.task.workspaceId, run.agentId)
  deps.onFree()
}
