import { memoryStorage } from '@taskboard/memory'
import { transportConformance } from '@taskboard/testing'
import { describe, it } from 'vitest'
import { mountOnFastify } from '../test/fastify-host.js'

describe('the routes on Fastify', () => {
  const cases = transportConformance({ storage: memoryStorage, mount: mountOnFastify })
  it.each(cases.map((one) => [one.id, one.name, one.run] as const))('%s: %s', (_id, _name, run) => run())
})
