import type {
  AddTaskLogLineBody,
  AddTaskOutputBody,
  Agent,
  ClaimedTask,
  Comment,
  DelegateTaskBody,
  HoldTaskBody,
  ReportTaskUsageBody,
  RequestApprovalBody,
  Task,
  TaskAttempt,
} from '../wire.js'
import type { Lease } from './lease.js'
import type { TaskWriter } from './task-writer.js'
import type { WorkerApi } from './worker-api.js'

type Given<Body> = Omit<Body, 'fencing_token' | 'lease_s'>

/** A run's claim on its task, with the known facts about the task. */
export interface TaskClaim {
  /** Grows with each claim of the task. Pass it on to the systems that the agent writes to, to fence off earlier runs there too. */
  readonly fencingToken: number
  readonly agentId: string
  /** 1 for the first attempt since a person created, moved or released the task. */
  readonly attempt: number
  /** The newest 100 earlier attempts, oldest first, with why they ended. */
  readonly earlierAttempts: readonly TaskAttempt[]
  /** The tasks that this one depends on, with their results. */
  readonly dependencies: readonly {
    readonly id: string
    readonly title: string
    readonly result: string | null
  }[]
  /** The newest 100 comments on the task when it was claimed, oldest first. */
  readonly comments: readonly Comment[]
  /** The answer to the last question of an earlier attempt; null without one. */
  readonly answer: Comment | null
}

/** What is read about a task before its run. */
export type TaskBackground = Pick<TaskClaim, 'earlierAttempts' | 'dependencies' | 'comments'>

/** What became of a request for approval. Do the action only when the decision is `approved`. */
export interface ApprovalResult {
  readonly decision: 'approved' | 'rejected'
  readonly comment: string | null
  readonly approvalId: string
}

/**
 * The actions of a run on its task, with the names of `TaskContext` of `@taskboard/core`; fields have the names of the wire. Every write
 * renews the lease. Writes of one run are sent in the order of the calls and before its end, awaited or not. They reject with the
 * server's rejection; once the run has lost its task (the signal then aborts) nothing is sent any more.
 */
export interface TaskContext<Client = unknown> {
  /** Aborts when the run has lost its task, when its lease expires, when it put its task on hold, and when the worker stops. */
  readonly signal: AbortSignal
  /** 0 to 100; rounded to whole percents. */
  readonly progress: (percent: number) => Promise<void>
  /** A line of the task's log. Default level: `info`. */
  readonly log: (message: string, level?: AddTaskLogLineBody['level']) => Promise<void>
  /** A reference to something that the agent made. */
  readonly output: (output: Given<AddTaskOutputBody>) => Promise<void>
  /** Reports what a language model was asked for. When that spends the last of a budget, the run ends, as with `hold`. */
  readonly usage: (used: Given<ReportTaskUsageBody>) => Promise<void>
  /** Puts the task on hold and ends the run: a later result or error is ignored. */
  readonly hold: (reason: HoldTaskBody['reason'], message?: string) => Promise<void>
  /** Creates subtasks of the task, all or none. With `wait`, the task waits for them, and the run ends. */
  readonly delegate: (
    tasks: DelegateTaskBody['tasks'],
    options?: { readonly wait?: boolean },
  ) => Promise<readonly Task[]>
  /** Asks the workspace's people and ends the run. Never resolves. The attempt after the answer finds that as `claim.answer`. */
  readonly ask: (question: string) => Promise<never>
  /**
   * Asks for permission to do one thing, once. Resolves when a person has decided about this very action with this very input. Else it
   * records the request, ends the run and rejects; after the decision, the next attempt asks again.
   */
  readonly approval: (request: Given<RequestApprovalBody>) => Promise<ApprovalResult>
  /** Rejects with the signal's reason when that aborts. */
  readonly sleep: (delayMs: number) => Promise<void>
  readonly claim: TaskClaim
  /** The run's agent, as stored. */
  readonly agent: Agent
  /** The client, to read and to change the board. Its changes are independent of the run. */
  readonly client: Client
}

/** The context of one run. */
export function createTaskContext<Client extends WorkerApi>(
  client: Client,
  { id, ...task }: ClaimedTask,
  { agent, ...background }: TaskBackground & { readonly agent: Agent },
  { lease, write }: { readonly lease: Lease; readonly write: TaskWriter },
): TaskContext<Client> {
  const { tasks } = client
  const { signal } = lease
  return {
    signal,
    client,
    agent,
    claim: {
      fencingToken: task.fencing_token,
      agentId: agent.id,
      attempt: task.attempts,
      answer: task.answer,
      ...background,
    },
    progress: write(async (held, percent: number) => {
      await tasks.progress(id, { ...held, progress: Math.round(percent) })
    }),
    log: write(async (held, message: string, level: AddTaskLogLineBody['level'] = 'info') => {
      await tasks.log(id, { ...held, message, level })
    }),
    output: write(async (held, output: Given<AddTaskOutputBody>) => {
      await tasks.output(id, { ...output, ...held })
    }, true),
    usage: write(async (held, used: Given<ReportTaskUsageBody>) => {
      const { spent } = await tasks.usage(id, { ...used, ...held })
      if (spent !== null) lease.end(`the budget of the ${spent} is spent`)
    }),
    delegate: write(async (held, parts: DelegateTaskBody['tasks'], { wait = false } = {}) => {
      const created = await tasks.delegate(id, { ...held, tasks: parts, wait })
      if (wait) lease.end('the task waits for its parts')
      return created.tasks
    }, true),
    ...questions(client, id, lease, write),
    sleep: (delayMs) => handled(pause(delayMs, signal).then(() => signal.throwIfAborted())),
  }
}

/** What ends the run, because the task then waits for people. */
function questions(
  { tasks }: WorkerApi,
  id: string,
  lease: Lease,
  write: TaskWriter,
): Pick<TaskContext, 'hold' | 'ask' | 'approval'> {
  /** Code that continues behind its question, or without leave, would work on what no one said. */
  const ended = (): never => {
    lease.signal.throwIfAborted()
    throw new Error('the run is over')
  }
  const hold = write(async ({ fencing_token }, reason: HoldTaskBody['reason'], message?: string) => {
    await tasks.hold(id, { fencing_token, reason, ...(message !== undefined && { message }) })
    lease.end('the task was put on hold')
  })
  const request = write(async ({ fencing_token }, asked: Given<RequestApprovalBody>) => {
    const answer = await tasks.approvals.request(id, { ...asked, fencing_token })
    if (answer.outcome === 'pending') lease.end('the task waits for approval')
    return answer
  }, true)
  return {
    hold,
    ask: (question) => handled(hold('needs_input', question).then(ended)),
    approval: (asked) =>
      handled(
        request(asked).then(({ outcome, approval: { id: approvalId, comment } }) =>
          outcome === 'pending' ? ended() : { decision: outcome, comment, approvalId },
        ),
      ),
  }
}

/** A rejection that no one awaits has no effect. */
function handled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined)
  return promise
}

/** Timers with a longer delay end immediately. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** Ends early when the signal aborts. */
export function pause(delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const end = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, Math.min(delayMs, LONGEST_TIMER_MS))
    signal.addEventListener('abort', end)
  })
}
