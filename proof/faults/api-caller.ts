import { createClient, TaskboardApiError, type TaskboardClient } from '@taskboard/client'
import { WebSocket } from 'ws'
import type { Randomness } from '../simulation/randomness.js'
import type { Journal } from './observations.js'

/** A caller of the API, one call at a time, through either of its processes. */
export interface Caller {
  /** A client of any of the processes. */
  any(): TaskboardClient
  /** Null when it is not known what became of the call, or when it was refused with one of `expected`. */
  call<T>(
    what: string,
    expected: readonly string[],
    work: (client: TaskboardClient) => Promise<T>,
  ): Promise<T | null>
  /** Whether every request of the last call had an answer that settles it. */
  wasCertain(): boolean
  /** Counts the right answers into the journal. */
  end(): void
}

/** What a fault can do to a call. */
const LOST = ['NETWORK_ERROR', 'TIMEOUT', 'SERVICE_UNAVAILABLE']

export interface CallerParts {
  readonly baseUrls: readonly string[]
  readonly key: string
  readonly draw: Randomness
  readonly journal: Journal
}

export function createCaller({ baseUrls, key, draw, journal }: CallerParts): Caller {
  let sent = 0
  let settled = 0
  let right = 0
  const counting = async (url: string, init: RequestInit): Promise<Response> => {
    sent += 1
    const response = await fetch(url, init)
    if (response.status < 500) settled += 1
    return response
  }
  const clients = baseUrls.map((baseUrl) =>
    createClient({
      baseUrl,
      key,
      WebSocket,
      fetch: counting,
      retry: { deadlineMs: 10_000, attemptTimeoutMs: 3_000, baseDelayMs: 50, maxDelayMs: 500 },
    }),
  )
  const any = (): TaskboardClient => draw.pick(clients)
  return {
    any,
    async call(what, expected, work) {
      sent = 0
      settled = 0
      try {
        const value = await work(any())
        right += 1
        return value
      } catch (error) {
        const code = error instanceof TaskboardApiError ? error.code : ''
        if (expected.includes(code)) right += 1
        else if (!LOST.includes(code))
          journal.record({ kind: 'wrong answer', what: `${what}: ${String(error)}` })
        return null
      }
    },
    wasCertain: () => sent === settled,
    end: () => journal.record({ kind: 'right answer', count: right }),
  }
}
