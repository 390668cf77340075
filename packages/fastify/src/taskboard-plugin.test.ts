import { memoryStorage } from '@taskboard/memory'
import { transportConformance } from '@taskboard/testing'
import { describe, it } from 'vitest'
import { mountOnFastify } from '@taskboard/kit/hosts/fastify-host'

describe('the routes on Fastify', () => {
  const cases = transportConformance({ storage: memoryStorage, mount: mountOnFastify })
  it.each(cases)('$id: $name', (one) => assertMet(one))
})

function assertMet({ run }: { run: () => Promise<void> }): Promise<void> {
  return run()
}
