import type { Agent, ClaimedTask } from '../wire.js'
import { ONCE, refusalOf } from './lease.js'
import { pause, type TaskContext } from './task-context.js'
import { isRefusal, type TaskOutcome, TaskRun } from './task-run.js'
import type { WorkerApi } from './worker-api.js'

/** The options of `client.worker`. */
export interface WorkerOptions<Client = unknown> {
  /** The stored agent that it works for. */
  readonly agentId: string
  /**
   * Works on one task. Its return value is the result: text as it is, undefined as the empty text, anything else as JSON. An error is a
   * failed attempt, which the board retries; a `TaskFailure`, or an error with `retry: false`, puts the task on hold. An error with `retry:
   * 'later'` says that the agent can't work now. The task waits for its `retryAfterMs` (60 s without) without a counted attempt, and the
   * agent takes no other task until then.
   */
  readonly run: (task: ClaimedTask, context: TaskContext<Client>) => unknown
  /** How many tasks at the same time, at least 1. Default 1. */
  readonly concurrency?: number | undefined
  /** How long a task stays claimed after the worker's last sign of life, in whole seconds. Default 60,000. */
  readonly leaseMs?: number | undefined
  /** The longest wait between two claims while there is nothing to do. Default 30,000. */
  readonly pollMs?: number | undefined
  /** Stops the worker when it aborts. */
  readonly signal?: AbortSignal | undefined
  /**
   * Gets faults of the network and of the server, after which the worker continues, and the rejection that stops it. `taskId`: the task that
   * was being worked, or null. Errors that it throws are ignored.
   */
  readonly onError?: ((error: unknown, taskId: string | null) => void) | undefined
  /** Gets what each attempt has left on the board, once that is stored. Errors that it throws go to `onError`. */
  readonly onOutcome?: ((outcome: TaskOutcome) => void) | undefined
}

/** A worker that runs. */
export interface Worker {
  /**
   * Stops claiming, lets runs finish within the drain time (default 10,000 ms), and aborts their signals. Then it gives back the tasks of
   * the remaining runs. Resolves when nothing of the worker is left.
   */
  stop(options?: { readonly drainTimeoutMs?: number }): Promise<void>
  /**
   * Resolves when it has stopped; rejects when the server rejects it: the credential, or the agent. Without `onError`, a rejection that
   * no one handles is one of the process.
   */
  readonly done: Promise<void>
}

const FIRST_WAIT_MS = 1_000
const GRACE_MS = 250
const DRAIN_MS = 10_000
const AGENT_TTL_MS = 60_000
/** Messages that say nothing about what can be claimed. */
const QUIET = ['task.progress', 'task.log', 'task.started', 'task.commented', 'agent.status']

/** Starts a worker immediately. */
export function startWorker<Client extends WorkerApi>(
  client: Client,
  options: WorkerOptions<Client>,
): Worker {
  const worker = new TaskWorker(client, options)
  return { done: worker.done, stop: (stopping) => worker.stop(stopping) }
}

class TaskWorker<Client extends WorkerApi> {
  readonly done: Promise<void>
  readonly #client: Client
  readonly #options: WorkerOptions<Client>
  readonly #pollMs: number
  readonly #leaseMs: number
  readonly #runs = new Map<string, TaskRun<Client>>()
  readonly #stopping = new AbortController()
  #agent: { readonly value: Promise<Agent>; readonly readAt: number } | null = null
  #following: Promise<void> | undefined
  /** Whether messages say when there is something to claim. */
  #isLive = false
  #resting = new AbortController()
  #isWoken = false
  #drainMs = DRAIN_MS

  constructor(client: Client, options: WorkerOptions<Client>) {
    const { pollMs = 30_000, leaseMs = 60_000, signal } = options
    this.#client = client
    this.#options = options
    this.#pollMs = pollMs
    this.#leaseMs = leaseMs
    const onAbort = (): void => this.#leave()
    signal?.addEventListener('abort', onAbort)
    if (signal?.aborted === true) this.#leave()
    this.done = this.#work().finally(() => signal?.removeEventListener('abort', onAbort))
  }

  async stop({ drainTimeoutMs = DRAIN_MS }: { readonly drainTimeoutMs?: number } = {}): Promise<void> {
    this.#drainMs = drainTimeoutMs
    this.#leave()
    await this.done.catch(() => undefined)
  }

  #leave(): void {
    this.#stopping.abort()
    this.#wake()
  }

  #wake(): void {
    this.#isWoken = true
    this.#resting.abort()
  }

  #report(error: unknown, taskId: string | null = null): void {
    try {
      this.#options.onError?.(error, taskId)
    } catch {
      // It must not end a heartbeat, or the process.
    }
  }

  async #work(): Promise<void> {
    const { signal } = this.#stopping
    try {
      for (let empty = 0, faults = 0; !signal.aborted;) {
        this.#isWoken = false
        try {
          const isIdle = this.#runs.size >= (this.#options.concurrency ?? 1) || !(await this.#claim())
          faults = 0
          empty = isIdle ? empty + 1 : 0
          if (isIdle) await this.#rest(empty)
        } catch (error) {
          if (isRefusal(error)) throw error
          this.#report(error)
          const { retryAfter } = refusalOf(error)
          const mostMs = Math.min(this.#pollMs, FIRST_WAIT_MS * 2 ** faults++)
          // Messages do not hurry a server that is down.
          await pause(Math.max(1_000 * (Number(retryAfter) || 0), mostMs * Math.random()), signal)
        }
      }
    } finally {
      this.#stopping.abort()
      await this.#drain()
      await this.#following
    }
  }

  /** Until something may have changed: longer each time, unless messages say so. */
  async #rest(empty: number): Promise<void> {
    this.#resting = new AbortController()
    const mostMs = this.#isLive ? this.#pollMs : Math.min(this.#pollMs, FIRST_WAIT_MS * 2 ** (empty - 1))
    if (!this.#isWoken) await pause((mostMs * (1 + Math.random())) / 2, this.#resting.signal)
  }

  /** Whether there was a task. */
  async #claim(): Promise<boolean> {
    const client = this.#client
    const leaseMs = this.#leaseMs
    const { agentId, run: work, onOutcome } = this.#options
    const { workspace_id: workspaceId } = await this.#currentAgent()
    // Polling does without it, for example where there is no WebSocket.
    this.#following ??= this.#follow(workspaceId).catch((error: unknown) => this.#report(error))
    const claimedAt = performance.now()
    const wanted = { agent_id: agentId, lease_s: Math.ceil(leaseMs / 1_000) }
    const { task } = await client.tasks.claim(wanted, ONCE)
    if (task === null) return false
    const { id } = task
    const agent = (): Promise<Agent> => this.#currentAgent()
    const onError = (error: unknown): void => this.#report(error, id)
    const options = { client, task, leaseMs, claimedAt, agent, work, onError, onOutcome }
    const run = new TaskRun(options, this.#runs.get(id)?.settled)
    this.#runs.set(id, run)
    void run.settled.finally(() => {
      if (this.#runs.get(id) === run) this.#runs.delete(id)
      this.#wake()
    })
    return true
  }

  #currentAgent(): Promise<Agent> {
    const now = performance.now()
    if (this.#agent !== null && now - this.#agent.readAt < AGENT_TTL_MS) return this.#agent.value
    const value = this.#client.agents.get(this.#options.agentId, ONCE)
    this.#agent = { value, readAt: now }
    value.catch(() => (this.#agent = null))
    return value
  }

  async #follow(workspaceId: string): Promise<void> {
    const messages = this.#client.realtime.subscribe(`workspace.${workspaceId}`, {
      signal: this.#stopping.signal,
      onState: (state) => (this.#isLive = state === 'open'),
    })
    for await (const message of messages) {
      if (QUIET.includes(message.type)) continue
      if ('data' in message) void this.#runs.get(message.data.task_id)?.check()
      this.#wake()
    }
  }

  async #drain(): Promise<void> {
    const runs = [...this.#runs.values()]
    const settled = Promise.all(runs.map((run) => run.settled))
    const waiting = new AbortController()
    const within = (delayMs: number): Promise<unknown> =>
      Promise.race([settled, pause(delayMs, waiting.signal)])
    await within(this.#drainMs)
    for (const { lease } of runs) lease.interrupt('the worker stops')
    await within(GRACE_MS)
    waiting.abort()
    await Promise.all(runs.map((run) => run.abandon()))
  }
}
