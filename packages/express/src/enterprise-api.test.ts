import { memoryStorage } from '@taskboard/memory'
import { enterpriseConformance } from '@taskboard/testing'
import express from 'express'
import { describe, it } from 'vitest'
import { mountOn } from '../test/express-host.js'

describe('the enterprise API on Express 5', () => {
  const open = () => Promise.resolve({ storage: memoryStorage(), close: () => Promise.resolve() })
  const cases = enterpriseConformance({ open, mount: mountOn(express) })
  it.each(cases)('$id: $name', (one) => assertMet(one))
})

function assertMet({ run }: { run: () => Promise<void> }): Promise<void> {
  return run()
}
