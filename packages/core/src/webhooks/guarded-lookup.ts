import type { LookupFunction } from 'node:net'
import type { EndpointGuard } from './endpoint-guard.js'
import type { ResolvedAddress, Resolver } from './resolver.js'

/** The guard refused a connection. */
export class RefusedAddressError extends Error {
  readonly code = 'REFUSED_ADDRESS'

  constructor(reason: string) {
    super(reason)
    this.name = 'RefusedAddressError'
  }
}

/**
 * A `lookup` for `net.connect` and `tls.connect` that returns only addresses that the guard accepts. A name with any refused
 * address is refused. Sockets connect to these addresses only. (They skip `lookup` for IP literals, which the caller must
 * check.)
 */
export function createGuardedLookup(
  guard: EndpointGuard,
  resolver: Resolver,
  protocol: 'http:' | 'https:',
): LookupFunction {
  async function resolveAccepted(hostname: string, family: number): Promise<readonly ResolvedAddress[]> {
    const addresses = await resolver.resolve(hostname)
    for (const { address } of addresses) {
      const reason = guard.refuseAddress(address, protocol)
      if (reason !== null) throw new RefusedAddressError(reason)
    }
    return family === 0 ? addresses : addresses.filter((address) => address.family === family)
  }

  async function answer(...[hostname, options, callback]: Parameters<LookupFunction>): Promise<void> {
    const family = options.family === 4 || options.family === 6 ? options.family : 0
    let addresses: readonly ResolvedAddress[] = []
    let failure: NodeJS.ErrnoException | null = null
    try {
      addresses = await resolveAccepted(hostname, family)
    } catch (error) {
      failure = error instanceof Error ? error : new Error('the name could not be resolved')
    }
    const [first] = addresses
    failure ??= first ? null : Object.assign(new Error('the name has no address'), { code: 'ENOTFOUND' })
    if (options.all) callback(failure, [...addresses])
    else callback(failure, first?.address ?? '', first?.family)
  }

  return (hostname, options, callback) => void answer(hostname, options, callback)
}
