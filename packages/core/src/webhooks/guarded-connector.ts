import { isIP, type LookupFunction, type Socket } from 'node:net'
import type { Clock } from '../environment/index.js'
import type { EndpointGuard } from './endpoint-guard.js'
import type { ResolvedAddress, Resolver } from './resolver.js'
import { buildConnector } from './undici.js'

/** The guard rejected a connection. */
export class RefusedAddressError extends Error {
  readonly code = 'REFUSED_ADDRESS'

  constructor(reason: string) {
    super(reason)
    this.name = 'RefusedAddressError'
  }
}

/**
 * A `lookup` for `net.connect` and `tls.connect` that returns only addresses that the guard accepts. A name with any rejected
 * address is rejected. Sockets connect to these addresses only. (They skip `lookup` for IP literals, which the caller must
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

export interface GuardedConnectorOptions {
  /** Rules the timeout. */
  readonly clock: Clock
  readonly guard: EndpointGuard
  readonly resolver: Resolver
  /** Certificates (PEM) to trust instead of the well-known ones. Certificates are always verified. */
  readonly ca?: string | readonly string[] | undefined
  /** The connect timeout. Default 30 s, the same as for a whole send. */
  readonly connectTimeoutMs?: number | undefined
}

const DEFAULT_CONNECT_TIMEOUT_MS = 30_000

export type Connect = buildConnector.connector

type Connected = Parameters<buildConnector.Callback>

/**
 * Opens sockets only to addresses that the guard accepts. Checks names in the lookup, literals (for which sockets do no lookup)
 * before connecting, and the connected address once more.
 */
export function createGuardedConnector(options: GuardedConnectorOptions): {
  connect: Connect
  close(): void
} {
  const { clock, guard, resolver } = options
  const timeoutMs = options.connectTimeoutMs ?? DEFAULT_CONNECT_TIMEOUT_MS
  const connecting = new Set<Socket>()
  const ca = typeof options.ca === 'string' ? options.ca : options.ca && [...options.ca]
  const openers = {
    'http:': buildConnector({ timeout: 0, lookup: createGuardedLookup(guard, resolver, 'http:') }),
    'https:': buildConnector({
      timeout: 0,
      allowH2: false,
      rejectUnauthorized: true,
      lookup: createGuardedLookup(guard, resolver, 'https:'),
      ...(ca !== undefined && { ca }),
    }),
  }

  function refuse(address: string, protocol: 'http:' | 'https:'): RefusedAddressError | null {
    const reason = guard.refuseAddress(address, protocol)
    return reason === null ? null : new RefusedAddressError(reason)
  }

  const connect: Connect = (request, callback) => {
    const protocol = request.protocol === 'http:' ? 'http:' : 'https:'
    const refused = isIP(request.hostname) === 0 ? null : refuse(request.hostname, protocol)
    if (refused) return callback(refused, null)
    const settle = (...[error, connected]: Connected): void => {
      timer.cancel()
      if (socket) connecting.delete(socket)
      // undici omits the socket, although its types say null.
      if (error !== null || connected == null) return callback(error ?? fault('ECONNABORTED'), null)
      const late = refuse(connected.remoteAddress ?? '', protocol)
      if (late === null) return callback(null, connected)
      connected.destroy()
      callback(late, null)
    }
    // undici returns the socket, although its types do not say so.
    const socket = openers[protocol](request, settle) as unknown as Socket | undefined
    if (socket) connecting.add(socket)
    const timer = clock.setTimer(() => socket?.destroy(fault('ETIMEDOUT')), timeoutMs)
  }

  return {
    connect,
    close() {
      for (const socket of connecting) socket.destroy(fault('ECONNABORTED'))
    },
  }
}

function fault(code: string): Error {
  return Object.assign(new Error('the connection failed'), { code })
}
