import type { LookupAllOptions, LookupOneOptions } from 'node:dns'
import { describe, expect, it } from 'vitest'
import { createEndpointGuard } from './endpoint-guard.js'
import { createGuardedLookup } from './guarded-connector.js'
import { type ResolvedAddress, type Resolver, systemResolver } from './resolver.js'

const v4: ResolvedAddress = { address: '8.8.8.8', family: 4 }
const v6: ResolvedAddress = { address: '2606:4700:4700::1111', family: 6 }
const both: Resolver = { resolve: async () => [v6, v4] }

function ask(resolver: Resolver, options: LookupAllOptions | LookupOneOptions): Promise<unknown[]> {
  const lookup = createGuardedLookup(createEndpointGuard(), resolver, 'https:')
  return new Promise((resolve) => lookup('receiver.test', options, (...answer) => resolve(answer)))
}

describe('the guarded lookup', () => {
  it('returns all addresses, or the first, of the requested family', async () => {
    await expect(ask(both, { all: true })).resolves.toEqual([null, [v6, v4]])
    await expect(ask(both, { all: true, family: 4 })).resolves.toEqual([null, [v4]])
    await expect(ask(both, {})).resolves.toEqual([null, v6.address, 6])
    await expect(ask(both, { family: 4 })).resolves.toEqual([null, v4.address, 4])
  })

  it('refuses a name whose address of the other family is not allowed', async () => {
    const mixed: Resolver = { resolve: async () => [v4, { address: 'fd00::1', family: 6 }] }
    const [error, addresses] = await ask(mixed, { all: true, family: 4 })
    expect(error).toMatchObject({ code: 'REFUSED_ADDRESS' })
    expect(addresses).toEqual([])
  })

  it('reports a missing address, and anything that a resolver throws', async () => {
    const onlyV6: Resolver = { resolve: async () => [v6] }
    expect((await ask(onlyV6, { family: 4 }))[0]).toMatchObject({ code: 'ENOTFOUND' })
    const failing: Resolver = {
      resolve: () => Promise.reject(Object.assign(new Error('no'), { code: 'EAI_AGAIN' })),
    }
    expect((await ask(failing, { all: true }))[0]).toMatchObject({ code: 'EAI_AGAIN' })
    // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- a host's resolver may do so
    const odd: Resolver = { resolve: () => Promise.reject('odd') }
    expect((await ask(odd, { all: true }))[0]).toBeInstanceOf(Error)
  })
})

it('the system’s resolver knows this machine', async () => {
  const addresses = await systemResolver.resolve('localhost')
  expect(addresses.length).toBeGreaterThan(0)
  for (const { address } of addresses) expect(['127.0.0.1', '::1']).toContain(address)
})
