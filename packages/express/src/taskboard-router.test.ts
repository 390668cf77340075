import { memoryStorage } from '@taskboard/memory'
import { transportConformance } from '@taskboard/testing'
import express from 'express'
import express4 from 'express4'
import { describe, it } from 'vitest'
import { mountOn } from '@taskboard/kit/hosts/express-host'

describe.each([
  ['Express 5', express],
  ['Express 4', express4],
])('the routes on %s', (_, framework) => {
  const cases = transportConformance({ storage: memoryStorage, mount: mountOn(framework) })
  it.each(cases)('$id: $name', (one) => assertMet(one))
})

function assertMet({ run }: { run: () => Promise<void> }): Promise<void> {
  return run()
}
