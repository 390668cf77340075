import { sleep, systemClock, type Clock } from './clock.js'

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
