import { lookup } from 'node:dns/promises'
import type { ResolvedAddress, Resolver } from './resolver.js'

/** Asks the operating system, as every other connection of the process does (`/etc/hosts` included). */
export const systemResolver: Resolver = {
  async resolve(hostname) {
    return (await lookup(hostname, { all: true })) as readonly ResolvedAddress[]
  },
}
