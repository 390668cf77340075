import type { Clock } from '@taskboard/core'
import { sleep } from '@taskboard/core/storage'

/** Resolves to whether `work` settled before `limitMs` of the clock passed. Leaves no timer. */
export async function endsWithin(clock: Clock, limitMs: number, work: Promise<unknown>): Promise<boolean> {
  const done = new AbortController()
  const ended = work.then(
    () => true,
    () => true,
  )
  try {
    return await Promise.race([ended, sleep(clock, limitMs, done.signal).then(() => false)])
  } finally {
    done.abort()
  }
}
