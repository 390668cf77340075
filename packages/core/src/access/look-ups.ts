import type { RateLimiter } from '../limits/index.js'

/** The look-ups of one client. */
interface Line {
  /** Those in progress. */
  inside: number
  /** Those, and those that wait. */
  all: number
  readonly waiting: (() => void)[]
}

/**
 * Bounds look-ups of credentials that may all be wrong. A client has at most as many in progress as it may still have wrong ones. A burst
 * of any size therefore stays within the limit. The others wait.
 * @returns asks for a look-up. Resolves with a function to call at its end, once it was counted if it was wrong. Resolves with null when
 * the client has had too many wrong ones.
 */
export function createLookUps(wrong: Pick<RateLimiter, 'remaining'>) {
  const lines = new Map<string, Line>()

  function leave(client: string, line: Line): void {
    line.all -= 1
    if (line.all === 0) lines.delete(client)
    line.waiting.shift()?.()
  }

  return async (client: string): Promise<(() => void) | null> => {
    const line = lines.get(client) ?? { inside: 0, all: 0, waiting: [] }
    lines.set(client, line)
    line.all += 1
    while (line.inside >= wrong.remaining(client)) {
      if (wrong.remaining(client) === 0) {
        leave(client, line)
        return null
      }
      await new Promise<void>((go) => line.waiting.push(go))
    }
    line.inside += 1
    return () => {
      line.inside -= 1
      leave(client, line)
    }
  }
}
