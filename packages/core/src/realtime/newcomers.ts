import { addressBucket, createKnownClients, networkAround } from '../access/index.js'
import type { Environment } from '../environment/index.js'
import { TaskboardError } from '../errors/index.js'
import type { RealtimeSettings } from './realtime-options.js'

/** How soon a connection must authenticate. */
export const authTimeoutMs = 10_000

/**
 * The connections of this process that have no credential yet: few for each client address, and few in all. An owner of one IPv6 network
 * easily has thousands of them, so the networks around them have a part of all places at most. For an address from which someone has
 * authenticated before, that part is larger, so that its neighbors don't keep it out.
 */
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
/** The last tenth of the places is for addresses from which someone has authenticated before, so that they can come back. */
const STRANGERS_PART = 0.9
/** The networks around an IPv6 address, in groups of 16 bits. Each has its part of the places of strangers and its known addresses. */
const WIDER_NETWORKS = [
  { groups: 3, part: 1 / 10, partWithKnown: 2 / 10 },
  { groups: 2, part: 1 / 2, partWithKnown: 3 / 4 },
] as const

export function createNewcomers(
  { telemetry }: Pick<Environment, 'telemetry'>,
  bounds: Pick<RealtimeSettings, 'unauthenticated' | 'unauthenticatedPerAddress'>,
): Newcomers {
  const counts = new Map<string, number>()
  const known = createKnownClients(MOST_KNOWN)
  const mostStrangers = Math.ceil(bounds.unauthenticated * STRANGERS_PART)
  const { unauthenticatedPerAddress: mostOfAddress } = bounds
  let count = 0

  /** The address and the networks around it, each with its most. */
  function networksOf(address: string): readonly (readonly [network: string, most: number])[] {
    const own = [address, mostOfAddress] as const
    if (!address.endsWith('::/64')) return [own]
    const wider = WIDER_NETWORKS.map(({ groups, part, partWithKnown }) => {
      const most = Math.floor(mostStrangers * (known.has(address) ? partWithKnown : part))
      return [networkAround(address, groups), Math.max(mostOfAddress, most)] as const
    })
    return [own, ...wider]
  }

  function refusalOf(address: string): TaskboardError | null {
    const wait = { retryAfterMs: authTimeoutMs }
    const isFull = networksOf(address).some((each) => (counts.get(each[0]) ?? 0) >= each[1])
    if (isFull) {
      const reason = 'too many connections of this address or network have not authenticated yet'
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
    for (const [network] of networksOf(address)) {
      const rest = (counts.get(network) ?? 0) - 1
      if (rest > 0) counts.set(network, rest)
      else counts.delete(network)
    }
  }

  return {
    refuse,
    enter(clientAddress) {
      const refusal = refuse(clientAddress)
      if (refusal !== null) throw refusal
      const address = addressBucket(clientAddress)
      count += 1
      for (const [network] of networksOf(address)) counts.set(network, (counts.get(network) ?? 0) + 1)
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
