import { lookup } from 'node:dns/promises'
import type { ResolvedAddress, Resolver } from './resolver.js'

/** Uses the operating system, like every other connection of the process (including `/etc/hosts`). */
export const systemResolver: Resolver = {
  async resolve(hostname) {
    return (await lookup(hostname, { all: true })) as readonly ResolvedAddress[]
  },
}
