import { memoryStorage } from '@taskboard/memory'
import { v2Conformance } from '@taskboard/testing'
import express from 'express'
import { describe, it } from 'vitest'
import { mountOn } from '../test/express-host.js'

describe('API v2 on Express 5', () => {
  const open = () => Promise.resolve({ storage: memoryStorage(), close: () => Promise.resolve() })
  const cases = v2Conformance({ open, mount: mountOn(express) })
  it.each(cases)('$id: $name', (one) => assertMet(one))
})

function assertMet({ run }: { run: () => Promise<void> }): Promise<void> {
  return run()
}
