import { TaskboardError } from '../errors/index.js'

/** Limits how much work runs at once, and how much waits. */
export interface Turnstile {
  /** Runs `work` when there is room. @throws TaskboardError `SERVICE_UNAVAILABLE` at once when too many wait. */
  pass<T>(work: () => Promise<T>): Promise<T>
}

/** A turnstile of this process: first come, first served. */
export function createTurnstile(limits: {
  readonly atOnce: number
  readonly mostWaiting: number
}): Turnstile {
  const { atOnce, mostWaiting } = limits
  const waiting: (() => void)[] = []
  let inside = 0

  return {
    async pass(work) {
      if (inside < atOnce) inside += 1
      else if (waiting.length >= mostWaiting) {
        throw new TaskboardError('SERVICE_UNAVAILABLE', 'too many logins at once; try again', {
          retryAfterMs: 1_000,
        })
      } else await new Promise<void>((resolve) => waiting.push(resolve))
      try {
        return await work()
      } finally {
        const next = waiting.shift()
        // The next in line takes over this place.
        if (next === undefined) inside -= 1
        else next()
      }
    },
  }
}
