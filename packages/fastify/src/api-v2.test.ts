import { memoryStorage } from '@taskboard/memory'
import { v2Conformance } from '@taskboard/testing'
import { describe, it } from 'vitest'
import { mountOnFastify } from '@taskboard/kit/hosts/fastify-host'

describe('API v2 on Fastify', () => {
  const open = () => Promise.resolve({ storage: memoryStorage(), close: () => Promise.resolve() })
  const cases = v2Conformance({ open, mount: mountOnFastify })
  it.each(cases)('$id: $name', (one) => assertMet(one))
})

function assertMet({ run }: { run: () => Promise<void> }): Promise<void> {
  return run()
}
