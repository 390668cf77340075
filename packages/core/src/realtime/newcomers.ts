import { addressBucket, createKnownClients } from '../access/index.js'
import type { Environment } from '../environment/index.js'
import { TaskboardError } from '../errors/index.js'
import type { RealtimeSettings } from './realtime-options.js'

/** How soon a connection must authenticate. */
export const authTimeoutMs = 10_000

/** The connections of this process that have no credential yet: few for each client address, and few in all. */
export interface Newcomers {
  /** Why no other may come from an address: `RATE_LIMITED` or `SERVICE_UNAVAILABLE`; null when one may. */
  refuse(clientAddress: string): TaskboardError | null
  /** Counts one. @throws TaskboardError what `refuse` returns. */
  enter(clientAddress: string): Newcomer
}

/** One of them. */
export interface Newcomer {
  /** It has a credential. */
  admitted(): void
  /** It is gone. Does nothing after `admitted`. */
  gone(): void
}

const MOST_KNOWN = 10_000
/** The last tenth of the places is for addresses from which somebody has authenticated before, so that they can come back. */
const STRANGERS_PART = 0.9

export function createNewcomers(
  { telemetry }: Pick<Environment, 'telemetry'>,
  bounds: Pick<RealtimeSettings, 'unauthenticated' | 'unauthenticatedPerAddress'>,
): Newcomers {
  const counts = new Map<string, number>()
  const known = createKnownClients(MOST_KNOWN)
  const mostStrangers = Math.ceil(bounds.unauthenticated * STRANGERS_PART)
  let count = 0

  function refusalOf(address: string): TaskboardError | null {
    const wait = { retryAfterMs: authTimeoutMs }
    if ((counts.get(address) ?? 0) >= bounds.unauthenticatedPerAddress) {
      const reason = 'too many connections of this address have not authenticated yet'
      return new TaskboardError('RATE_LIMITED', reason, wait)
    }
    if (count < (known.has(address) ? bounds.unauthenticated : mostStrangers)) return null
    return new TaskboardError('SERVICE_UNAVAILABLE', 'too many connections have not authenticated yet', wait)
  }

  function refuse(clientAddress: string): TaskboardError | null {
    const refusal = refusalOf(addressBucket(clientAddress))
    if (refusal !== null) telemetry?.measure({ kind: 'refusal', limit: 'unauthenticated' })
    return refusal
  }

  function leave(address: string): void {
    count -= 1
    const rest = (counts.get(address) ?? 0) - 1
    if (rest > 0) counts.set(address, rest)
    else counts.delete(address)
  }

  return {
    refuse,
    enter(clientAddress) {
      const refusal = refuse(clientAddress)
      if (refusal !== null) throw refusal
      const address = addressBucket(clientAddress)
      count += 1
      counts.set(address, (counts.get(address) ?? 0) + 1)
      let isCounted = true
      function gone(): void {
        if (isCounted) leave(address)
        isCounted = false
      }
      return {
        gone,
        admitted() {
          known.add(address)
          gone()
        },
      }
    },
  }
}
