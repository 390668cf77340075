import { z } from 'zod'
import {
  holdReasons,
  logLevels,
  outputFields,
  progressInput,
  type Actor,
  type ApprovalDecision,
  type ApprovalInput,
  type Attempt,
  type Board,
  type Comment,
  type HoldReason,
  type ListedTaskInput,
  type NamedActor,
  type Task,
  type TaskBackground,
  type TaskLogEntry,
  type TaskStore,
  type TaskWrite,
} from '../board/index.js'
import { sleep, type CallContext, type Environment } from '../environment/index.js'
import { parseInput, TaskboardError } from '../errors/index.js'
import { plainJsonObject, type EventStore } from '../events/index.js'
import type { Agent } from './agent.js'
import type { UsageInput } from '../usage/index.js'
import { createWriter, isFencedOff, type Writer, type WritingRun } from './run-writer.js'
import { storedText } from './stored-text.js'

/** A run's claim on its task, with the known facts about the task. */
export interface TaskClaim {
  /** Grows with each claim of the task. Pass it on to the systems that the agent writes to, to fence off earlier runs there too. */
  readonly fencingToken: number
  readonly agentId: string
  /** 1 for the first attempt since a person created, moved or released the task. */
  readonly attempt: number
  /** The newest 100 earlier attempts, oldest first, with why they ended. */
  readonly earlierAttempts: readonly Attempt[]
  /** The tasks that this one depends on, with their results. */
  readonly dependencies: TaskBackground['dependencies']
  /** The newest 100 comments on the task when it was claimed, oldest first. */
  readonly comments: readonly Comment[]
  /** The answer to the last question of an earlier attempt; null without one. */
  readonly answer: Comment | null
}

/** What became of a request for approval. Do the action only when the decision is `approved`. */
export interface ApprovalResult {
  readonly decision: ApprovalDecision
  /** What they said who decided; null for nothing. */
  readonly comment: string | null
  /** Who decided: a person, a key, or the host. */
  readonly decidedBy: NamedActor | null
  readonly approvalId: string
}

export interface OutputInput {
  /** Its kind: `file`, `link`, a media type. */
  readonly type: string
  readonly name: string
  /** Its location: an absolute URL of any scheme but `javascript:`, `vbscript:` and `data:`. */
  readonly url: string
  /** Bytes, when known. */
  readonly size?: number | null | undefined
}

/**
 * What a run can do with its task. Every write renews the lease. Writes of one run happen in the order of the calls and before its
 * end is written, awaited or not. They reject with `CONFLICT` once the run has lost the task (the signal then aborts) and
 * `INVALID_FIELD` for invalid values. A rejection that no one awaits is logged and has no other effect.
 */
export interface TaskContext {
  /**
   * Aborts when the run has lost its task: immediately when a person moves, cancels, holds, reassigns or deletes it, and when its lease
   * expires. Also aborts when the run put its task on hold, and when the process stops.
   */
  readonly signal: AbortSignal
  /** 0 to 100; rounded to whole percents. */
  readonly progress: (percent: number) => Promise<void>
  /** A line of the task's log; cut off after 10,000 characters. Default level: `info`. */
  readonly log: (message: string, level?: TaskLogEntry['level']) => Promise<void>
  /** A reference to something that the agent made. `CONFLICT` when the task has as many as it may. */
  readonly output: (output: OutputInput) => Promise<void>
  /**
   * Reports what a language model was asked for. When that spends the last of a budget, the task goes on hold as `budget`, the signal aborts
   * and the run ends, as with `hold`.
   */
  readonly usage: (used: UsageInput) => Promise<void>
  /** Raises `agent.alert` for the workspace's people, with at most 64 KiB of JSON; the message is cut off after 2,000 characters. */
  readonly alert: (message: string, data?: Readonly<Record<string, unknown>>) => Promise<void>
  /** Puts the task on hold and ends the run: a later result or error is ignored. */
  readonly hold: (reason: HoldReason, message?: string) => Promise<void>
  /**
   * Creates subtasks of the task, all or none, with the agent as their actor; 1 to 50. In `dependsOn`, a number is the position of an earlier
   * one. With `wait`, the same commit makes the task wait for all of them, and the run ends: a later result or error is ignored. The
   * next run begins when they are done, with their results in `claim.dependencies`, and this attempt doesn't count.
   * `CONFLICT` (`parentId`) beyond five levels of tasks and 50 open subtasks.
   */
  readonly delegate: (
    tasks: readonly ListedTaskInput[],
    options?: { readonly wait?: boolean },
  ) => Promise<readonly Task[]>
  /**
   * Asks the workspace's people, in 1 to 20,000 characters. It records the question, puts the task on hold as `needs_input` and ends the
   * run, which doesn't count as an attempt. Never resolves: it rejects when the run is over. The attempt after the answer finds that as
   * `claim.answer`. With `requireOtherPerson`, a person has to answer, and no key can.
   */
  readonly ask: (
    question: string,
    options?: { readonly requireOtherPerson?: boolean | undefined },
  ) => Promise<never>
  /**
   * Asks for permission to do one thing, once. Resolves with `approved` when a person approved this action with this exact input for this
   * task, and uses up the approval in the same write. Resolves with `rejected` when a person rejected it. Otherwise, it records the
   * request, puts the task on hold as `approval`, ends the run and rejects. The run doesn't count as an attempt; after the decision, the
   * next attempt asks again. When the process dies behind an approval, or the response is lost, the action has to be approved again. With
   * `requireOtherPerson`, a person has to decide, and no key can.
   */
  readonly approval: (request: ApprovalInput) => Promise<ApprovalResult>
  /** Waits on the board's clock. Rejects with the signal's reason when that aborts, which does no harm when no one awaits it. */
  readonly sleep: (delayMs: number) => Promise<void>
  readonly claim: TaskClaim
  /** The account that the task's workspace belongs to. */
  readonly accountId: string
  /** The run's agent, as stored. The runtime must apply its model, system prompt, tools and capabilities itself. */
  readonly agent: Agent
  /**
   * The workspace's board, to read and to change. Changes through it have the agent as their actor and are independent of the run. They
   * need no lease, and stay whatever happens to the task.
   */
  readonly board: Board
}

export interface ContextDeps<Tx> {
  readonly environment: Environment
  readonly tasks: TaskStore<Tx>
  readonly events: Pick<EventStore<Tx>, 'appendEvent'>
  /** The board of a workspace on which `actor` makes the changes. */
  readonly boardFor: (workspaceId: string, actor: Actor) => Board<Tx>
}

const LONGEST_MESSAGE = 2_000
const LONGEST_LOG_LINE = 10_000

const percentInput = z.object({ percent: progressInput.shape.progress })
const logInput = z.object({ message: z.string(), level: z.enum(logLevels) })
const alertInput = z.object({ message: z.string() })
const holdInput = z.object({
  reason: z.enum(holdReasons),
  message: z.string().nullable(),
})

/** The context of one run, and a way to wait for all of its writes. */
export function createTaskContext<Tx>(
  deps: ContextDeps<Tx>,
  run: WritingRun & Pick<TaskContext, 'claim' | 'accountId' | 'agent'>,
): { context: TaskContext; written(): Promise<void> } {
  const { environment, tasks, events, boardFor } = deps
  const { proof, leaseMs } = run
  const { fencingToken } = proof
  const change = (command: TaskWrite, call: CallContext<Tx>) =>
    tasks.changeTask({ target: proof, command }, call)
  let board: Board<Tx> | undefined
  // On demand, because most runs do not use it.
  const ownBoard = (): Board<Tx> =>
    (board ??= boardFor(proof.workspaceId, { kind: 'agent', id: run.claim.agentId }))
  const write = createWriter(environment, run)
  const context: TaskContext = {
    signal: run.signal,
    claim: run.claim,
    accountId: run.accountId,
    agent: run.agent,
    get board() {
      return ownBoard()
    },
    sleep(delayMs) {
      const slept = sleep(environment.clock, delayMs, run.signal).then(() => run.signal.throwIfAborted())
      // As with the writes, the process survives one that nobody awaits.
      slept.catch(() => undefined)
      return slept
    },
    progress: write(async (call, percent: number) => {
      const { percent: checked } = parseInput(percentInput, { percent })
      const progress = Math.round(checked)
      await change({ kind: 'progress', fencingToken, progress, leaseMs }, call)
    }),
    log: write(async (call, message: string, level: TaskLogEntry['level'] = 'info') => {
      const entry = parseInput(logInput, { message, level })
      const log = { ...entry, message: storedText(entry.message, LONGEST_LOG_LINE) }
      await tasks.appendToTask({ proof, log, leaseMs }, call)
    }),
    output: write(async (call, output: OutputInput) => {
      const { size = null, ...rest } = parseInput(outputFields, output)
      await tasks.appendToTask({ proof, output: { ...rest, size }, leaseMs }, call)
    }, isFencedOff),
    usage: write(async (_call, used: UsageInput) => {
      const { spent } = await ownBoard().usage(proof.taskId, { ...used, fencingToken, leaseMs })
      if (spent !== null) run.held()
    }),
    alert: write(async (call, message: string, data?: Readonly<Record<string, unknown>>) => {
      const text = storedText(parseInput(alertInput, { message }).message, LONGEST_MESSAGE)
      const extra = data === undefined ? {} : { data: plainJsonObject(data, 'data') }
      await change({ kind: 'renew', fencingToken, leaseMs }, call)
      const alert = { message: text, agentId: run.claim.agentId, taskId: proof.taskId, ...extra }
      const event = { type: 'agent.alert', data: alert } as const
      await events.appendEvent({ workspaceId: proof.workspaceId, event }, call)
    }),
    hold: write(async (call, reason: HoldReason, message: string | null = null) => {
      const hold = parseInput(holdInput, { reason, message })
      const text = hold.message === null ? null : storedText(hold.message, LONGEST_MESSAGE)
      await change({ kind: 'hold_claimed', fencingToken, reason: hold.reason, message: text }, call)
      run.held()
    }),
    ...createBoardRequests(write, run, ownBoard),
  }
  return { context, written: () => write.settled() }
}

/** A request of a run to the board that may end the run: the task then waits for people, or for other tasks. */
function createBoardRequests<Tx>(
  write: Writer,
  run: WritingRun,
  ownBoard: () => Board<Tx>,
): Pick<TaskContext, 'delegate' | 'ask' | 'approval'> {
  const { proof, leaseMs } = run
  const { fencingToken } = proof
  const ask = write(
    async (_call, question: string, options: { readonly requireOtherPerson?: boolean | undefined } = {}) => {
      const { requireOtherPerson } = options
      await ownBoard().ask(proof.taskId, { fencingToken, question, requireOtherPerson })
      run.held()
    },
    isFencedOff,
  )
  const request = write(async (_call, asked: ApprovalInput) => {
    const input = { ...asked, fencingToken }
    const answer = await ownBoard().requestApproval(proof.taskId, input)
    if (answer.outcome === 'pending') run.held()
    return answer
  }, isFencedOff)
  return {
    delegate: write(
      async (_call, subtasks: readonly ListedTaskInput[], options?: { readonly wait?: boolean }) => {
        const wait = options?.wait === true
        const split = { fencingToken, tasks: subtasks, wait, leaseMs }
        const created = await ownBoard().delegate(proof.taskId, split)
        if (wait) run.held()
        return created
      },
      isFencedOff,
    ),
    ask: (question, options) => handled(ask(question, options).then(() => ended(run.signal))),
    approval: (asked) =>
      handled(
        request(asked).then(({ outcome, approval: { id: approvalId, comment, decidedBy } }) =>
          outcome === 'pending' ? ended(run.signal) : { decision: outcome, comment, decidedBy, approvalId },
        ),
      ),
  }
}

/** Code that continues behind its question, or without leave, would work on what no one said. */
function ended(signal: AbortSignal): never {
  signal.throwIfAborted()
  throw new TaskboardError('CONFLICT', 'the run is over')
}

/** A rejection that no one awaits has no effect. */
function handled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined)
  return promise
}
