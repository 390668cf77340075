/** A point in time: whole milliseconds since the Unix epoch, UTC. Every time in the TypeScript API is one. */
export type Instant = number

/** A pending timer. `cancel` is idempotent and has no effect once the timer has fired. */
export interface Timer {
  cancel(): void
}

/**
 * The library's source of time. The default is the process's clock. Tests pass a virtual one, which moves only when the test moves
 * it.
 */
export interface Clock {
  /** The present, in whole milliseconds. May stand still, and may step back with the machine's clock. */
  now(): Instant
  /** Calls `callback` once, at the earliest `delayMs` from now. Any delay is allowed: long ones aren't cut short. */
  setTimer(callback: () => void, delayMs: number): Timer
  /**
   * Marks background work as in progress until `work` settles. A virtual clock holds the present still during that time; the process's
   * clock leaves this out. `label` names the work: for a webhook send, its delivery id.
   */
  track?<T>(label: string, work: () => Promise<T>): Promise<T>
}

/** Node fires a timer immediately when its delay doesn't fit in 32 bits, so longer waits use several. */
const LONGEST_TIMER_MS = 2_147_483_647

/** The process's clock. Its timers are real ones and keep the process alive until they fire or are cancelled. */
export const systemClock: Clock = {
  now: () => Date.now(),
  setTimer(callback, delayMs) {
    let remainingMs = Math.max(0, delayMs)
    let handle: ReturnType<typeof setTimeout> | undefined
    const arm = (): void => {
      const stepMs = Math.min(remainingMs, LONGEST_TIMER_MS)
      remainingMs -= stepMs
      handle = setTimeout(() => (remainingMs > 0 ? arm() : callback()), stepMs)
    }
    arm()
    return { cancel: () => clearTimeout(handle) }
  },
}

/** Runs `work` and tracks it on a clock that supports this. */
export function tracked<T>(clock: Clock, label: string, work: () => Promise<T>): Promise<T> {
  return clock.track ? clock.track(label, work) : work()
}

/**
 * Resolves after `delayMs` of the clock's time, or immediately when `signal` aborts (it never rejects). Leaves no timer in either case.
 * @example
 * ```ts
 * import { sleep } from '@taskboard/core/storage'
 * import { virtualClock } from '@taskboard/testing'
 *
 * const clock = virtualClock(0)
 * const slept = sleep(clock, 60_000)
 * await clock.advance({ minutes: 1 })
 * await slept
 * console.log(clock.now()) // 60000
 * ```
 */
export function sleep(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve()
    const finish = (): void => {
      timer.cancel()
      signal?.removeEventListener('abort', finish)
      resolve()
    }
    const timer = clock.setTimer(finish, delayMs)
    signal?.addEventListener('abort', finish, { once: true })
  })
}
