import { sleep, systemClock, type Clock } from './clock.js'

/** How long, in real time, a clock that tests move may stand still before a wait on it ends. */
const LONGEST_STANDSTILL_MS = 1_000

/**
 * Resolves when `work` does or `limitMs` of `clock` have passed. Where a test moves the clock, real time counts as well, and
 * at most one second of it: closing must come to an end on a clock that stands still. Leaves no timer.
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
