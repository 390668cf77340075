/** Keeps callers away from something that failed, for longer each time, with one of them to try it again. */
export interface Rest {
  /** Whether to try now: null while it rests, otherwise what to pass to `failed`. */
  begin(): Attempt | null
  failed(attempt: Attempt): void
  worked(): void
}

export interface Attempt {
  readonly begunAt: number
}

const FIRST_MS = 1_000
const LONGEST_MS = 30_000

/** `now` counts milliseconds, and never goes back. */
export function createRest(now: () => number = () => performance.now()): Rest {
  let lengthMs = 0
  let until = 0
  let failedAt = -Infinity
  return {
    begin() {
      const begunAt = now()
      if (begunAt < until) return null
      // The first one tries; those that follow wait for its outcome, or for as long again.
      if (lengthMs > 0) until = begunAt + lengthMs
      return { begunAt }
    },
    failed({ begunAt }) {
      // Others that failed at the same time count as one.
      if (begunAt < failedAt) return
      failedAt = now()
      lengthMs = Math.min(Math.max(2 * lengthMs, FIRST_MS), LONGEST_MS)
      until = failedAt + lengthMs
    },
    worked() {
      lengthMs = 0
      until = 0
    },
  }
}
