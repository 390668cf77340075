import { backoffDelayMs, type Backoff } from '../board/index.js'
import type { Instant } from '../environment/index.js'

/**
 * The error that an agent throws when it can't work now through no fault of the task. For example, a provider is down, or a rate limit is
 * used up. The task returns to TODO without a counted attempt. Until `retryAfterMs` have passed, it isn't ready, and its agent takes no
 * other task. Without `retryAfterMs`, and when the fault continues, the wait grows as the backoff does. It is at least a second and at most
 * an hour.
 *
 * Any error with `retry: 'later'` and, where known, `retryAfterMs` has the same effect. See `bounds.longestOutageMs` of `createTaskboard` for what
 * ends a task that is postponed again and again.
 * @example
 * ```ts
 * import { defineAgent, RetryLater } from '@taskboard/core'
 *
 * const translator = defineAgent({
 *   type: 'translator',
 *   async run(task, { signal }) {
 *     const response = await fetch('https://model.example/translate', { method: 'POST', body: task.title, signal })
 *     if (response.status === 503) throw new RetryLater('the model is down', { retryAfterMs: 30_000 })
 *     return response.text()
 *   },
 * })
 * console.log(translator.type) // translator
 * ```
 */
export class RetryLater extends Error {
  readonly retry = 'later'
  /** Null for a wait of the runtime's choice. */
  readonly retryAfterMs: number | null

  constructor(message: string, options: ErrorOptions & { readonly retryAfterMs?: number | null } = {}) {
    const { retryAfterMs = null, ...rest } = options
    super(message, rest)
    this.name = 'RetryLater'
    this.retryAfterMs = retryAfterMs
  }
}

/** How long the agent asks to wait; null when it says no time, undefined for an error that doesn't ask for it. */
export function requestedWait(thrown: unknown): number | null | undefined {
  try {
    if (typeof thrown !== 'object' || thrown === null) return undefined
    if (!('retry' in thrown) || thrown.retry !== 'later') return undefined
    const wait: unknown = 'retryAfterMs' in thrown ? thrown.retryAfterMs : null
    return typeof wait === 'number' && wait >= 0 ? wait : null
  } catch {
    // The thrown value cannot be read.
    return undefined
  }
}

const SHORTEST_REST_MS = 1_000
/** So that no header of a provider parks tasks for days. */
export const longestRestMs = 3_600_000

/** How long agents rest that can't work: longer each time, until a run shows that they can. */
export interface Rests {
  /** A run that was claimed at `claimedAt` can't continue. Returns how long its agent rests from now. */
  begin(agentId: string, claimedAt: Instant, requestedMs: number | null): number
  /** The agent works again. */
  end(agentId: string): void
}

interface Rest {
  readonly count: number
  readonly beganAt: Instant
  readonly until: Instant
}

const MOST_KEPT = 10_000

export function createRests(clock: { now(): Instant }, backoff: Backoff): Rests {
  const rests = new Map<string, Rest>()
  const shortestMs = Math.min(SHORTEST_REST_MS, backoff.baseMs)

  return {
    begin(agentId, claimedAt, requestedMs) {
      const now = clock.now()
      const last = rests.get(agentId)
      // Runs that were under way when the agent began to rest meet the same fault.
      const isSame = last !== undefined && claimedAt <= last.beganAt
      const count = isSame ? last.count : (last?.count ?? 0) + 1
      // What the provider asks for is trusted once. When it did not help, the wait grows all the same.
      const grown = requestedMs === null || count > 1 ? backoffDelayMs(backoff, count) : 0
      const least = Math.max(shortestMs, isSame ? last.until - now : grown)
      const restMs = Math.ceil(Math.min(longestRestMs, Math.max(least, requestedMs ?? 0)))
      if (rests.size >= MOST_KEPT) rests.clear()
      rests.set(agentId, { count, beganAt: isSame ? last.beganAt : now, until: now + restMs })
      return restMs
    },
    end(agentId) {
      rests.delete(agentId)
    },
  }
}
