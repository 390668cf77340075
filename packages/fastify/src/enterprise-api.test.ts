import { memoryStorage } from '@taskboard/memory'
import { enterpriseConformance } from '@taskboard/testing'
import { describe, it } from 'vitest'
import { mountOnFastify } from '../test/fastify-host.js'

describe('the enterprise API on Fastify', () => {
  const open = () => Promise.resolve({ storage: memoryStorage(), close: () => Promise.resolve() })
  const cases = enterpriseConformance({ open, mount: mountOnFastify })
  it.each(cases)('$id: $name', (one) => assertMet(one))
})

function assertMet({ run }: { run: () => Promise<void> }): Promise<void> {
  return run()
}
