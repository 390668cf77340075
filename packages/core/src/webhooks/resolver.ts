import { lookup } from 'node:dns/promises'

/** An address of a name. */
export interface ResolvedAddress {
  readonly address: string
  readonly family: 4 | 6
}

/** Resolves host names to addresses. Called for each connection, which then goes to one of the returned addresses. */
export interface Resolver {
  /** All addresses of `hostname`, in order of preference. Rejects when there are none or the lookup fails. */
  resolve(hostname: string): Promise<readonly ResolvedAddress[]>
}

/** Uses the operating system, like every other connection of the process (including `/etc/hosts`). */
export const systemResolver: Resolver = {
  async resolve(hostname) {
    return (await lookup(hostname, { all: true })) as readonly ResolvedAddress[]
  },
}
