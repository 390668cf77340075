import type { ClaimProof, Task, TaskBackground } from '../board/index.js'
import { type Environment, type Instant, tracked } from '../environment/index.js'
import { TaskboardError } from '../errors/index.js'
import type { AccountDirectory } from './account-directory.js'
import type { AgentDirectory } from './agent-directory.js'
import type { Agent } from './agent.js'
import type { AgentDefinition } from './define-agent.js'
import { type Rests, requestedWait } from './retry-later.js'
import { storedText, thrownText } from './stored-text.js'
import { type ContextDeps, createTaskContext } from './task-context.js'

/**
 * The error that an agent throws when a retry would fail as well. The task is put on hold as `failed` immediately, with this
 * message as the reason. After any other error the task is retried while attempts remain, unless the error itself has
 * `retry: false`.
 * @example
 * ```ts
 * import { defineAgent, TaskFailure } from '@taskboard/core'
 *
 * const printer = defineAgent({
 *   type: 'printer',
 *   run: (task) => {
 *     if (task.metadata['pages'] === undefined) throw new TaskFailure('the task does not say which pages')
 *     return `printed ${task.title}`
 *   },
 * })
 * console.log(printer.leaseMs) // 60000
 * ```
 */
export class TaskFailure extends Error {
  readonly retry = false

  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'TaskFailure'
  }
}

/** Whether an error from an agent asks for no further attempt. */
export function isFinal(thrown: unknown): boolean {
  try {
    return typeof thrown === 'object' && thrown !== null && 'retry' in thrown && thrown.retry === false
  } catch {
    // The thrown value cannot be read.
    return false
  }
}

/** How a run ended, and so what to write. */
export type WrittenOutcome =
  | { readonly kind: 'completed'; readonly result: string }
  | {
      readonly kind: 'failed'
      readonly reason: string
      readonly retry: boolean
      /** What the agent's code threw. */
      readonly thrown?: unknown
    }
  | { readonly kind: 'returned'; readonly reason: string }
  /** The agent can't work for so long from now. */
  | {
      readonly kind: 'postponed'
      readonly reason: string
      readonly delayMs: number
      readonly thrown: unknown
    }

/** No outcome to write: the run had lost the task, or the agent itself put it on hold. */
export type Outcome = WrittenOutcome | { readonly kind: 'lost' } | { readonly kind: 'held' }

/** One attempt at one task, from its claim until the last write. */
export interface TaskRun {
  readonly task: Task
  readonly agentId: string
  readonly proof: ClaimProof
  readonly signal: AbortSignal
  /** By the process's clock, and never later than in the storage. */
  leaseEndsAt: Instant
  /** `running`: the agent's code runs. `ending`: its outcome is being written. `over`: no write is allowed any more. */
  phase: 'running' | 'ending' | 'over'
  /** The task now belongs to someone else. Aborts the signal. */
  lose(reason: unknown): void
  /** The process stops. Aborts the signal; a result still counts, an error returns the claim. */
  interrupt(): void
}

export interface TaskRunOptions {
  readonly task: Task
  readonly definition: AgentDefinition
  /** When the task was claimed, by the process's clock. */
  readonly claimedAt: Instant
  /** Called when a write has renewed the lease. */
  readonly onRenewed: (run: TaskRun) => void
  /** Called when the run has lost the task, even if its code runs on. */
  readonly onLost: (run: TaskRun) => void
}

/** The longest result, in UTF-16 units. A longer one fails the attempt permanently: store large results as an output. */
export const longestResult = 1_000_000

const LONGEST_REASON = 2_000

const interrupted: WrittenOutcome = { kind: 'returned', reason: 'the process stopped' }

const NO_BACKGROUND: TaskBackground = {
  attempts: [],
  postponedSince: null,
  dependencies: [],
  comments: [],
  answer: null,
}
const WITHOUT_COMMENTS = ['attempts', 'postponedSince', 'dependencies'] as const
const WITH_COMMENTS = [...WITHOUT_COMMENTS, 'comments', 'answer'] as const

export function createTaskRun(options: TaskRunOptions): TaskRun {
  const { task, definition, claimedAt } = options
  const abort = new AbortController()
  const run: TaskRun = {
    task,
    agentId: task.lease?.agentId ?? '',
    proof: { workspaceId: task.workspaceId, taskId: task.id, fencingToken: task.fencingToken },
    signal: abort.signal,
    leaseEndsAt: claimedAt + definition.leaseMs,
    phase: 'running',
    lose(reason) {
      run.phase = 'over'
      options.onLost(run)
      abort.abort(reason)
    },
    interrupt() {
      abort.abort(new TaskboardError('SERVICE_UNAVAILABLE', 'the process stops'))
    },
  }
  return run
}

/** What becomes of tasks whose agent can't work. */
export interface OutagePolicy {
  readonly rests: Rests
  /** A task that was postponed for so long without a break fails an attempt with the next one. */
  readonly longestOutageMs: number
}

/** The context of a run besides its task. */
interface RunBriefing {
  readonly agent: Agent
  readonly accountId: string
  readonly background: TaskBackground
}

/** Runs the agent's code on the task, and returns how that ended. Never rejects, whatever the agent does. */
export async function performRun<Tx>(
  deps: ContextDeps<Tx> & OutagePolicy,
  run: TaskRun,
  options: TaskRunOptions,
  { agent, accountId, background }: RunBriefing,
): Promise<Outcome> {
  if (run.signal.aborted) return run.phase === 'over' ? { kind: 'lost' } : interrupted
  const { environment } = deps
  const { task, definition } = options
  let held = false
  const writing = createTaskContext(deps, {
    proof: run.proof,
    leaseMs: definition.leaseMs,
    signal: run.signal,
    agent,
    accountId,
    claim: {
      fencingToken: task.fencingToken,
      agentId: run.agentId,
      attempt: task.attempts,
      earlierAttempts: background.attempts,
      dependencies: background.dependencies,
      comments: background.comments,
      answer: background.answer,
    },
    isLive: () => run.phase === 'running',
    renewed(startedAt) {
      if (run.phase === 'over') return
      run.leaseEndsAt = Math.max(run.leaseEndsAt, startedAt + definition.leaseMs)
      options.onRenewed(run)
    },
    lost: (error) => run.lose(error),
    held() {
      held = true
      run.lose(new TaskboardError('CONFLICT', 'the task was put on hold'))
    },
  })
  const outcome = await tracked(environment.clock, task.id, () =>
    callAgent(deps, { run, claimedAt: options.claimedAt, postponedSince: background.postponedSince }, () =>
      definition.run(task, writing.context),
    ),
  )
  await writing.written()
  if (held || outcome.kind === 'completed') deps.rests.end(run.agentId)
  if (held) return { kind: 'held' }
  return run.phase === 'running' ? outcome : { kind: 'lost' }
}

/** The data that a run needs before it begins; null when its agent was deleted. Most runs need no lookup. */
export async function readBriefing<Tx>(
  deps: ContextDeps<Tx> & { readonly directory: AgentDirectory; readonly accounts: AccountDirectory },
  { task, agentId }: TaskRun,
): Promise<RunBriefing | null> {
  const background = await readBackground(deps, task)
  const owner = deps.accounts.accountOf(task.workspaceId)
  const accountId = owner instanceof Promise ? await owner : owner
  const known = deps.directory.get(agentId)
  const agent =
    known instanceof Promise ? await tracked(deps.environment.clock, 'agent-lookup', () => known) : known
  return agent === null || accountId === null ? null : { agent, accountId, background }
}

/** Earlier attempts, dependencies and comments. There are earlier attempts only from the second claim on. */
async function readBackground<Tx>(deps: ContextDeps<Tx>, task: Task): Promise<TaskBackground> {
  const { id: taskId, workspaceId: within, fencingToken, dependsOn, hasComments } = task
  if (fencingToken <= 1 && dependsOn.length === 0 && !hasComments) return NO_BACKGROUND
  const { environment, tasks } = deps
  const call = environment.call<Tx>()
  return tracked(environment.clock, 'agent-background', async () =>
    hasComments
      ? tasks.getTask({ within, taskId, parts: WITH_COMMENTS }, call)
      : { ...NO_BACKGROUND, ...(await tasks.getTask({ within, taskId, parts: WITHOUT_COMMENTS }, call)) },
  )
}

async function callAgent(
  deps: { readonly environment: Environment } & OutagePolicy,
  {
    run,
    claimedAt,
    postponedSince,
  }: Pick<TaskRunOptions, 'claimedAt'> & Pick<TaskBackground, 'postponedSince'> & { readonly run: TaskRun },
  work: () => unknown,
): Promise<WrittenOutcome> {
  try {
    return toResult(await work())
  } catch (error) {
    const reason = storedText(thrownText(error), LONGEST_REASON)
    if (run.signal.aborted && !isFinal(error)) return interrupted
    const fields = { taskId: run.task.id, agentId: run.agentId, err: error }
    const { logger } = deps.environment
    const requestedMs = requestedWait(error)
    if (requestedMs !== undefined && postponedForMs(run.task, postponedSince) < deps.longestOutageMs) {
      const delayMs = deps.rests.begin(run.agentId, claimedAt, requestedMs)
      logger.warn({ ...fields, delayMs }, 'an agent cannot work now: its task waits, and it takes no other')
      return { kind: 'postponed', reason, delayMs, thrown: error }
    }
    logger.warn(fields, 'an agent failed')
    return { kind: 'failed', reason, retry: !isFinal(error), thrown: error }
  }
}

/** How long the task has been postponed, attempt after attempt. */
function postponedForMs({ startedAt }: Task, since: Instant | null): number {
  return since === null || startedAt === null ? 0 : startedAt - since
}

/**
 * The result for a returned value: text as it is, '' for nothing, JSON for anything else. A value that can't be JSON, or is longer
 * than a result may be, fails the attempt permanently: a retry would return the same.
 */
export function toResult(value: unknown): WrittenOutcome {
  let text: string | undefined
  try {
    text = typeof value === 'string' ? value : value == null ? '' : JSON.stringify(value)
  } catch (error) {
    return refused(storedText(`the result cannot be written as JSON: ${thrownText(error)}`, LONGEST_REASON))
  }
  if (text === undefined) return refused(`the result is a ${typeof value}, which cannot be written as JSON`)
  if (text.length > longestResult) return refused(`the result has more than ${longestResult} characters`)
  return { kind: 'completed', result: storedText(text, longestResult) }
}

function refused(reason: string): WrittenOutcome {
  return { kind: 'failed', reason, retry: false }
}
