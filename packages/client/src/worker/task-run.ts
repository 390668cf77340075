import type { Agent, ClaimedTask } from '../wire.js'
import { isLost, Lease, ONCE, refusalOf } from './lease.js'
import { createTaskContext, pause, type TaskBackground, type TaskContext } from './task-context.js'
import { createWriter } from './task-writer.js'
import type { WorkerApi } from './worker-api.js'
import { TaskFailure } from './task-failure.js'

/** What an attempt has left on the board. */
export interface TaskOutcome {
  readonly taskId: string
  /**
   * `done` with the result; `retry` after a failure, and `failed` without another attempt. `ended`: no outcome was stored, because the task
   * waits for people, was given back, or was taken away.
   */
  readonly outcome: 'done' | 'retry' | 'failed' | 'ended'
  /** Of a failure, and why the run ended; else null. */
  readonly reason: string | null
}

type Ending = Omit<TaskOutcome, 'taskId'>

export interface TaskRunOptions<Client> {
  readonly client: Client
  readonly task: ClaimedTask
  readonly leaseMs: number
  /** When the claim was sent, by `performance.now()`. */
  readonly claimedAt: number
  readonly agent: () => Promise<Agent>
  readonly work: (task: ClaimedTask, context: TaskContext<Client>) => unknown
  readonly onError: (error: unknown, taskId: string) => void
  readonly onOutcome: ((outcome: TaskOutcome) => void) | undefined
}

const FIRST_WAIT_MS = 250
const LONGEST_WAIT_MS = 5_000
const MOST_COMMENTS = 100
const DEFAULT_WAIT_S = 60
const LONGEST_WAIT_S = 3_600

/** Rejected permanently: what is wrong with the caller stays wrong. */
export function isRefusal(error: unknown): boolean {
  const { status } = refusalOf(error)
  return typeof status === 'number' && status >= 400 && status < 500 && ![408, 409, 429].includes(status)
}

/** One attempt at one task, from its claim until the last write. */
export class TaskRun<Client extends WorkerApi> {
  readonly lease: Lease
  /** Resolves when its code and its writes have finished. */
  readonly settled: Promise<void>
  /** Its outcome is being written. */
  #isEnding = false
  /** Resolves when the writes in progress have finished. */
  #written: () => Promise<void> = () => Promise.resolve()
  readonly #options: TaskRunOptions<Client>
  readonly #givingUp = new AbortController()

  /** `earlier` is a run of the same task whose lease has passed and whose code continues: it ends first. */
  constructor(options: TaskRunOptions<Client>, earlier: Promise<void> | undefined) {
    const { client, task, leaseMs, claimedAt } = options
    this.#options = options
    this.lease = new Lease({
      fencingToken: task.fencing_token,
      leaseMs,
      claimedAt,
      heartbeat: (body, signal) => client.tasks.heartbeat(task.id, body, { ...ONCE, signal }),
      onError: (error) => this.#report(error),
    })
    this.settled = this.#perform(earlier)
      .catch((error: unknown) => this.#report(error))
      .then((stored) => this.#tell(stored))
      .catch((error: unknown) => this.#report(error))
  }

  /** Something happened to the task: what a write of the run did, or what someone else did. */
  async check(): Promise<void> {
    await this.#written()
    if (!this.#isEnding && this.lease.isHeld) await this.lease.check()
  }

  /**
   * Gives the task back although the code continues; that writes nothing any more. An outcome in progress is awaited: a task that has just
   * been completed must not go back.
   */
  async abandon(): Promise<void> {
    this.#givingUp.abort()
    if (this.#isEnding) return this.settled
    if (!this.lease.isHeld) return
    this.lease.end('the worker stops')
    await this.#handBack().catch((error: unknown) => this.#report(error))
  }

  #report(error: unknown): void {
    this.#options.onError(error, this.#options.task.id)
  }

  #tell(stored: Ending | null | void): void {
    this.lease.release()
    const { aborted, reason } = this.lease.signal
    const { task, onOutcome } = this.#options
    onOutcome?.({
      taskId: task.id,
      ...(stored ?? { outcome: 'ended', reason: aborted ? messageOf(reason) : null }),
    })
  }

  /** Null when nothing was stored. */
  async #perform(earlier: Promise<void> | undefined): Promise<Ending | null> {
    await earlier
    const { client, task, agent, work } = this.#options
    const { lease } = this
    const briefing = await this.#whileHeld(async () => ({
      agent: await agent(),
      ...(await readBackground(client, task)),
    }))
    if (briefing === null) return null
    const write = createWriter(lease)
    this.#written = write.settled
    const context = createTaskContext(client, task, briefing, { lease, write })
    let outcome: () => Promise<Ending | null>
    try {
      lease.signal.throwIfAborted()
      const result = toResult(await work(task, context))
      outcome = () => this.#complete(result)
    } catch (error) {
      const isFinal = refusalOf(error).retry === false
      // An interrupted attempt does not count.
      if (lease.signal.aborted && !isFinal) outcome = () => this.#handBack()
      else outcome = () => this.#fail(error, !isFinal)
    }
    await write.settled()
    this.#isEnding = lease.isHeld
    return this.#whileHeld(outcome)
  }

  /** Retries after faults while the lease lasts; null when the task was lost. */
  async #whileHeld<R>(work: () => Promise<R>): Promise<R | null> {
    const { lease } = this
    const { signal } = this.#givingUp
    for (let delayMs = FIRST_WAIT_MS; lease.isHeld; delayMs = Math.min(2 * delayMs, LONGEST_WAIT_MS)) {
      try {
        return await work()
      } catch (error) {
        if (isLost(error)) return null
        this.#report(error)
        if (isRefusal(error) || signal.aborted || delayMs > lease.leftMs) return null
        await pause(delayMs, signal)
      }
    }
    return null
  }

  async #complete(result: string): Promise<Ending> {
    const { client, task } = this.#options
    try {
      await client.tasks.complete(task.id, { fencing_token: task.fencing_token, result }, ONCE)
      return { outcome: 'done', reason: null }
    } catch (error) {
      const { status } = refusalOf(error)
      // The result itself is refused: a retry would return the same.
      if (status !== 400 && status !== 413) throw error
      return this.#fail(error, false)
    }
  }

  async #fail(error: unknown, retry: boolean): Promise<Ending> {
    const { client, task } = this.#options
    const { id, fencing_token } = task
    const wait = retry ? waitOf(error) : null
    const reason = messageOf(error)
    const given = {
      fencing_token,
      reason,
      retry,
      ...(wait !== null && { retry_after_s: wait }),
    }
    await client.tasks.fail(id, given, ONCE)
    return { outcome: retry ? 'retry' : 'failed', reason }
  }

  async #handBack(): Promise<null> {
    const { client, task } = this.#options
    await client.tasks.release(task.id, { fencing_token: task.fencing_token }, ONCE)
    return null
  }
}

/** The seconds after which the agent can work again, by its error; null when it doesn't ask for time. */
function waitOf(error: unknown): number | null {
  const { retry, retryAfterMs } = refusalOf(error)
  if (retry !== 'later') return null
  const seconds = Math.ceil(Number(retryAfterMs ?? NaN) / 1_000)
  return Number.isFinite(seconds) ? Math.min(LONGEST_WAIT_S, Math.max(1, seconds)) : DEFAULT_WAIT_S
}

/** The first claim of a task has no earlier attempts. */
async function readBackground({ tasks }: WorkerApi, task: ClaimedTask): Promise<TaskBackground> {
  const { attempts } = task.fencing_token > 1 ? await tasks.attempts(task.id, ONCE) : { attempts: [] }
  const dependencies = await Promise.all(
    task.depends_on.map(async (dependency) => {
      try {
        const { id, title, result } = await tasks.get(dependency, ONCE)
        return [{ id, title, result }]
      } catch (error) {
        // It was deleted.
        if (isLost(error)) return []
        throw error
      }
    }),
  )
  const comments = []
  for await (const comment of tasks.allComments(task.id, { limit: MOST_COMMENTS }, ONCE)) {
    comments.push(comment)
    if (comments.length > MOST_COMMENTS) comments.shift()
  }
  return { earlierAttempts: attempts, dependencies: dependencies.flat(), comments }
}

const LONGEST_REASON = 2_000

/** The result for a returned value. One that can't be JSON fails the task permanently: a retry would return the same. */
function toResult(value: unknown): string {
  if (typeof value === 'string') return value
  if (value == null) return ''
  let text: string | undefined
  try {
    text = JSON.stringify(value)
  } catch (cause) {
    throw new TaskFailure(`the result cannot be written as JSON: ${messageOf(cause)}`)
  }
  if (text !== undefined) return text
  throw new TaskFailure(`the result is a ${typeof value}, which cannot be written as JSON`)
}

/** What an agent throws is any value. */
function messageOf(thrown: unknown): string {
  try {
    const text = thrown instanceof Error ? thrown.message || thrown.name : thrown
    if (typeof text === 'string' && text !== '') return storable(text.slice(0, LONGEST_REASON))
  } catch {
    // Reading a thrown value may throw.
  }
  return 'the agent threw something that is not an error'
}

function storable(text: string): string {
  return text.replaceAll('\0', '\uFFFD').replace(/[\uD800-\uDBFF]$/, '')
}
