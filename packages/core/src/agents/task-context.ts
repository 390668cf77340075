import { z } from 'zod'
import {
  holdReasons,
  outputFields,
  progressInput,
  type Actor,
  type Attempt,
  type Board,
  type HoldReason,
  type TaskBackground,
  type TaskLogEntry,
  type TaskStore,
  type TaskWrite,
} from '../board/index.js'
import { sleep, type At, type Environment } from '../environment/index.js'
import { parseInput } from '../errors/index.js'
import { plainJsonObject, type EventStore } from '../events/index.js'
import type { Agent } from './agent.js'
import { createWriter, isFencedOff, type WritingRun } from './run-writer.js'
import { storedText } from './stored-text.js'

/** A run's hold on its task, and what is known of it. */
export interface TaskClaim {
  /** Grows with each claim of the task. Pass it on to whatever the agent writes to, to fence off earlier runs there too. */
  readonly fencingToken: number
  readonly agentId: string
  /** 1 for the first attempt since a person created, moved or released the task. */
  readonly attempt: number
  /** All earlier attempts, oldest first, with why they ended. */
  readonly earlierAttempts: readonly Attempt[]
  /** The tasks that this one depends on, with their results. */
  readonly dependencies: TaskBackground['dependencies']
}

export interface OutputInput {
  /** What kind of thing it is: `file`, `link`, a media type. */
  readonly type: string
  readonly name: string
  /** Where it is kept: an absolute URL of any scheme but `javascript:`, `vbscript:` and `data:`. */
  readonly url: string
  /** Bytes, when known. */
  readonly size?: number | null | undefined
}

/**
 * What a run may do with its task. Every write renews the lease, and writes of one run happen in the order in which they were
 * called, before its end is written, awaited or not. They reject with `CONFLICT` once the task is no longer the run's (the
 * signal aborts then) and `INVALID_FIELD` for what cannot be kept. A rejection that nobody awaits is logged, and harms no one.
 */
export interface TaskContext {
  /**
   * Aborts when the run has lost its task: at once when a person moves, cancels, holds, reassigns or deletes it, and when its lease
   * ends. Aborts as well when the run put its task on hold, and when the process stops.
   */
  readonly signal: AbortSignal
  /** 0 to 100; rounded to whole percents. */
  readonly progress: (percent: number) => Promise<void>
  /** A line of the task's log; cut off after 10,000 characters. Level `info` unless told otherwise. */
  readonly log: (message: string, level?: TaskLogEntry['level']) => Promise<void>
  /** A reference to something that was made. `CONFLICT` when the task has as many as it may. */
  readonly output: (output: OutputInput) => Promise<void>
  /** Raises `agent.alert` for the workspace's people, with at most 64 KiB of JSON; the message is cut off after 2,000 characters. */
  readonly alert: (message: string, data?: Readonly<Record<string, unknown>>) => Promise<void>
  /** Puts the task on hold and ends the run: whatever it returns or throws later is ignored. */
  readonly hold: (reason: HoldReason, message?: string) => Promise<void>
  /** Waits on the board's clock. Rejects with the signal's reason when that aborts. */
  readonly sleep: (delayMs: number) => Promise<void>
  readonly claim: TaskClaim
  /** The agent that the run is for, as stored: its model, system prompt, tools and capabilities are for the runtime to heed. */
  readonly agent: Agent
  /**
   * The workspace's board, to look at and to change. What is changed through it has the agent as its actor, and is not part of the
   * run: it needs no lease, and stands whatever becomes of the task.
   */
  readonly board: Board
}

export interface ContextParts<Tx> {
  readonly environment: Environment
  readonly tasks: TaskStore<Tx>
  readonly events: Pick<EventStore<Tx>, 'appendEvent'>
  /** The board of a workspace on which changes are made by `actor`. */
  readonly boardFor: (workspaceId: string, actor: Actor) => Board<Tx>
}

const LONGEST_MESSAGE = 2_000
const LONGEST_LOG_LINE = 10_000
const levels = ['debug', 'info', 'warn', 'error'] as const

const percentInput = z.object({ percent: progressInput.shape.progress })
const logInput = z.object({ message: z.string(), level: z.enum(levels) })
const alertInput = z.object({ message: z.string() })
const holdInput = z.object({
  reason: z.enum(holdReasons as [HoldReason, ...HoldReason[]]),
  message: z.string().nullable(),
})

/** The context of one run, and how to wait for all that was written through it. */
export function createTaskContext<Tx>(
  parts: ContextParts<Tx>,
  run: WritingRun & { readonly claim: TaskClaim; readonly agent: Agent },
): { context: TaskContext; written(): Promise<void> } {
  const { environment, tasks, events, boardFor } = parts
  const { proof, leaseMs } = run
  const { fencingToken } = proof
  const change = (command: TaskWrite, at: At<Tx>) => tasks.changeTask({ target: proof, command }, at)
  let board: Board<Tx> | undefined
  const write = createWriter(environment, run)

  const context: TaskContext = {
    signal: run.signal,
    claim: run.claim,
    agent: run.agent,
    // Made for those who ask for it: most runs do not.
    get board() {
      return (board ??= boardFor(proof.workspaceId, { kind: 'agent', id: run.claim.agentId }))
    },
    async sleep(delayMs) {
      await sleep(environment.clock, delayMs, run.signal)
      run.signal.throwIfAborted()
    },
    progress: write(async (at, percent: number) => {
      const { percent: checked } = parseInput(percentInput, { percent })
      const progress = Math.round(checked)
      await change({ kind: 'progress', fencingToken, progress, leaseMs }, at)
    }),
    log: write(async (at, message: string, level: TaskLogEntry['level'] = 'info') => {
      const entry = parseInput(logInput, { message, level })
      const log = { ...entry, message: storedText(entry.message, LONGEST_LOG_LINE) }
      await tasks.appendToTask({ proof, log, leaseMs }, at)
    }),
    output: write(async (at, output: OutputInput) => {
      const { size = null, ...rest } = parseInput(outputFields, output)
      await tasks.appendToTask({ proof, output: { ...rest, size }, leaseMs }, at)
    }, isFencedOff),
    alert: write(async (at, message: string, data?: Readonly<Record<string, unknown>>) => {
      const text = storedText(parseInput(alertInput, { message }).message, LONGEST_MESSAGE)
      const extra = data === undefined ? {} : { data: plainJsonObject(data, 'data') }
      await change({ kind: 'renew', fencingToken, leaseMs }, at)
      const facts = { message: text, agentId: run.claim.agentId, taskId: proof.taskId, ...extra }
      await events.appendEvent(proof.workspaceId, { type: 'agent.alert', facts }, at)
    }),
    hold: write(async (at, reason: HoldReason, message: string | null = null) => {
      const hold = parseInput(holdInput, { reason, message })
      const text = hold.message === null ? null : storedText(hold.message, LONGEST_MESSAGE)
      await change({ kind: 'raise_hold', fencingToken, reason: hold.reason, message: text }, at)
      run.held()
    }),
  }
  return { context, written: () => write.settled() }
}
