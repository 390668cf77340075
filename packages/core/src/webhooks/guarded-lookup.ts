import type { LookupFunction } from 'node:net'
import type { EndpointGuard } from './endpoint-guard.js'
import type { Resolver } from './resolver.js'

/** The guard did not let a connection through. */
export class RefusedAddressError extends Error {
  readonly code = 'REFUSED_ADDRESS'

  constructor(reason: string) {
    super(reason)
    this.name = 'RefusedAddressError'
  }
}

/**
 * A `lookup` for `net.connect` and `tls.connect` whose answers the guard has accepted, every one of them: a name that also
 * stands for a refused address is refused whole. Sockets connect to these answers and to nothing else. (They skip `lookup`
 * for IP literals, which the caller must check itself.)
 */
export function createGuardedLookup(
  guard: EndpointGuard,
  resolver: Resolver,
  protocol: 'http:' | 'https:',
): LookupFunction {
  async function resolveAccepted(hostname: string, family: number) {
    const addresses = await resolver.resolve(hostname)
    for (const { address } of addresses) {
      const reason = guard.refuseAddress(address, protocol)
      if (reason !== null) throw new RefusedAddressError(reason)
    }
    const usable = family === 0 ? addresses : addresses.filter((address) => address.family === family)
    const [first] = usable
    if (first === undefined) throw Object.assign(new Error('the name has no address'), { code: 'ENOTFOUND' })
    return { first, usable }
  }

  return (hostname, options, callback) => {
    const family = options.family === 4 || options.family === 6 ? options.family : 0
    resolveAccepted(hostname, family).then(
      ({ first, usable }) => {
        if (options.all) callback(null, [...usable])
        else callback(null, first.address, first.family)
      },
      (error: NodeJS.ErrnoException) => callback(error, options.all ? [] : ''),
    )
  }
}
