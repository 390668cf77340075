import { memoryStorage } from '@taskboard/memory'
import { transportConformance } from '@taskboard/testing'
import express from 'express'
import express4 from 'express4'
import { describe, it } from 'vitest'
import { mountOn } from '../test/express-host.js'

describe.each([
  ['Express 5', express],
  ['Express 4', express4],
])('the routes on %s', (_, framework) => {
  const cases = transportConformance({ storage: memoryStorage, mount: mountOn(framework) })
  it.each(cases.map((one) => [one.id, one.name, one.run] as const))('%s: %s', (_id, _name, run) => run())
})
