import type { HeartbeatTaskBody } from '../wire.js'

export interface LeaseOptions {
  readonly fencingToken: number
  readonly leaseMs: number
  /** When the claim was sent, by `performance.now()`. */
  readonly claimedAt: number
  readonly heartbeat: (body: HeartbeatTaskBody, signal: AbortSignal) => Promise<unknown>
  readonly onError: (error: unknown) => void
}

/** Sent with each write of a run. */
export interface Held {
  readonly fencing_token: number
  readonly lease_s: number
}

/** A worker has its own waits between repeats, which end with the lease. */
export const ONCE = { retry: false } as const
const HEARTBEATS = 3
const RETRIES = 8
const OVER = 'the lease expired without a renewal'

/** Parts of the errors of the API. */
interface Refusal {
  readonly status?: unknown
  readonly field?: unknown
  readonly retry?: unknown
  readonly retryAfterMs?: unknown
  readonly retryAfter?: unknown
}

/** Reads any thrown value. */
export function refusalOf(thrown: unknown): Refusal {
  return Object(thrown) as Refusal
}

/** Whether an error says that the task is no longer the writer's. `isStrict`: the write has its own conflicts. */
export function isLost(error: unknown, isStrict = false): boolean {
  const { status, field } = refusalOf(error)
  return status === 404 || (status === 409 && (!isStrict || field === 'fencing_token'))
}

/** A run's hold on its task: renewed three times in its length, more often after a failure. The signal aborts when it is lost or over. */
export class Lease {
  /** Whether the run still has the task. */
  isHeld = true
  readonly #options: LeaseOptions
  readonly #held: Held
  readonly #abort = new AbortController()
  #endsAt: number
  #isBeating = false
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(options: LeaseOptions) {
    const { fencingToken, leaseMs, claimedAt } = options
    this.#options = options
    this.#held = { fencing_token: fencingToken, lease_s: Math.ceil(leaseMs / 1_000) }
    this.#endsAt = claimedAt + leaseMs
    this.#plan(leaseMs / HEARTBEATS)
  }

  get signal(): AbortSignal {
    return this.#abort.signal
  }

  /** How long it lasts, by a clock that is never set; negative when it is over. */
  get leftMs(): number {
    return this.#endsAt - performance.now()
  }

  /** Sends a write, which renews the lease. */
  async write<R>(send: (held: Held) => Promise<R>, isStrict?: boolean): Promise<R> {
    if (this.leftMs <= 0) this.end(OVER)
    if (!this.isHeld) throw this.signal.reason
    const { leaseMs } = this.#options
    const endsAt = performance.now() + leaseMs
    try {
      const value = await send(this.#held)
      this.#endsAt = Math.max(this.#endsAt, endsAt)
      this.#plan(leaseMs / HEARTBEATS)
      return value
    } catch (error) {
      if (isLost(error, isStrict)) this.end(`the task is no longer the run's: ${(error as Error).message}`)
      throw error
    }
  }

  /** Asks the server now whether the task is still the run's. */
  async check(): Promise<void> {
    const { leaseMs, heartbeat, onError } = this.#options
    if (this.leftMs <= 0) return this.end(OVER)
    // The end of the lease is noticed also while the server does not answer.
    this.#plan(leaseMs / HEARTBEATS / (this.#isBeating ? RETRIES : 1))
    if (this.#isBeating) return
    this.#isBeating = true
    try {
      const signal = AbortSignal.timeout(Math.ceil(leaseMs / HEARTBEATS))
      await this.write((held) => heartbeat(held, signal))
    } catch (error) {
      if (!this.isHeld) return
      onError(error)
      this.#plan(leaseMs / HEARTBEATS / RETRIES)
    } finally {
      this.#isBeating = false
    }
  }

  /** The run no longer has the task. */
  end(reason: string): void {
    if (!this.isHeld) return
    this.release()
    this.interrupt(reason)
  }

  /** Aborts the signal; the task stays the run's until its outcome is written. */
  interrupt(reason: string): void {
    this.#abort.abort(new Error(reason))
  }

  /** Stops the heartbeats. */
  release(): void {
    this.isHeld = false
    clearTimeout(this.#timer)
  }

  #plan(delayMs: number): void {
    clearTimeout(this.#timer)
    if (!this.isHeld) return
    this.#timer = setTimeout(() => void this.check(), Math.max(0, Math.min(delayMs, this.leftMs)))
  }
}
