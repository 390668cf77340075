import { setMaxListeners } from 'node:events'
import { type Clock, sleep, systemClock, type Timer, tracked } from './clock.js'
import type { Environment } from './environment.js'
import type { LoopState } from './loop-registry.js'

type Writable<T> = { -readonly [K in keyof T]: T[K] }

/** How long, in real time, a wait lasts at most on a test's clock that stands still. */
const LONGEST_STANDSTILL_MS = 1_000

/**
 * Resolves when `work` does or after `limitMs` of `clock`. If a test moves the clock, it also resolves after one second of real time,
 * so that closing ends on a clock that stands still. Leaves no timer.
 */
export async function atMost(clock: Clock, limitMs: number, work: Promise<unknown>): Promise<void> {
  const done = new AbortController()
  const waits = [work, sleep(clock, limitMs, done.signal)]
  if (clock.track) waits.push(sleep(systemClock, Math.min(limitMs, LONGEST_STANDSTILL_MS), done.signal))
  try {
    await Promise.race(waits)
  } finally {
    done.abort()
  }
}

/** An abort controller for many listeners: its signal accepts more than Node's warning about leaks allows. */
export function createSharedAbort(): AbortController {
  const controller = new AbortController()
  setMaxListeners(0, controller.signal)
  return controller
}

/**
 * When the next pass of a background loop runs: at the same time, after some milliseconds, or when woken. It is a wait rather than an
 * instant, because the storage's clock decides what is due, and may differ from the process's.
 */
export type NextPass = 'now' | number | null

export interface BackgroundLoopOptions {
  /** Names the loop in logs. */
  readonly name: string
  readonly environment: Pick<Environment, 'clock' | 'logger' | 'loops' | 'telemetry'>
  /** One pass. If it throws, the loop logs the error, waits `retryDelayMs` and continues. */
  readonly pass: () => Promise<NextPass>
  /** The longest time between two passes, for storages whose commit notifications are only hints; null when they are complete. */
  readonly pollIntervalMs: number | null
  /** How long to wait after a pass that threw. */
  readonly retryDelayMs?: number
}

/** A background loop that sleeps until it is woken, due or polling. Passes never overlap. */
export interface BackgroundLoop {
  start(): void
  /** Requests a pass after the present one. Cheap and idempotent; does nothing before `start`. */
  wake(): void
  /** Waits for the present pass to end, then leaves no timer behind. */
  stop(): Promise<void>
}

const DEFAULT_RETRY_DELAY_MS = 1_000
/** The storage may report work as due that another process holds, which must not make a loop spin. */
const LEAST_DELAY_MS = 50

/** The mechanism behind the runner, the deliverer, the event-log tailer and the sweeps. */
export function createBackgroundLoop(options: BackgroundLoopOptions): BackgroundLoop {
  const { name, pass, pollIntervalMs } = options
  const { clock, logger, loops, telemetry } = options.environment
  const retryDelayMs = options.retryDelayMs ?? DEFAULT_RETRY_DELAY_MS
  let state: 'idle' | 'running' | 'stopped' = 'stopped'
  let woken = false
  let timer: Timer | undefined
  let current: Promise<void> = Promise.resolve()
  let unregister: (() => void) | undefined
  const seen: Writable<LoopState> = { name, passSince: null, dueAt: null, lastPassAt: null, failures: 0 }

  async function runOnce(): Promise<void> {
    let next: NextPass
    try {
      next = await pass()
      seen.failures = 0
    } catch (error) {
      logger.error({ loop: name, err: error }, 'background pass failed')
      next = retryDelayMs
      woken = false
      seen.failures += 1
    }
    seen.passSince = null
    seen.lastPassAt = clock.now()
    if (state === 'stopped') return
    state = 'idle'
    if (woken || next === 'now') launch()
    else schedule(next)
  }

  function launch(): void {
    timer?.cancel()
    timer = undefined
    woken = false
    state = 'running'
    seen.passSince = clock.now()
    seen.dueAt = null
    // Tracked with the timer that it sets, which belongs to the loop and not to the caller that woke it. So does its trace.
    current =
      telemetry === null
        ? tracked(clock, name, runOnce)
        : telemetry.detached(() => tracked(clock, name, runOnce))
  }

  function schedule(waitMs: number | null): void {
    const delayMs = Math.min(waitMs ?? Infinity, pollIntervalMs ?? Infinity)
    const leastMs = pollIntervalMs === null ? 0 : LEAST_DELAY_MS
    if (delayMs === Infinity) return
    const waitsMs = Math.max(leastMs, delayMs)
    timer = clock.setTimer(launch, waitsMs)
    seen.dueAt = clock.now() + waitsMs
  }

  return {
    start() {
      if (state !== 'stopped') return
      unregister ??= loops.add(seen)
      launch()
    },
    wake() {
      if (state === 'stopped') return
      woken = true
      if (state === 'idle') launch()
    },
    async stop() {
      state = 'stopped'
      timer?.cancel()
      timer = undefined
      await current
      unregister?.()
      unregister = undefined
    },
  }
}
