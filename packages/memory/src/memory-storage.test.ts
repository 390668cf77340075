import { storageConformance } from '@taskboard/testing'
import { describe, expect, it } from 'vitest'
import { memoryStorage } from './index.js'

describe('memoryStorage keeps the promises of every port', () => {
  const open = () => Promise.resolve({ storage: memoryStorage(), close: () => Promise.resolve() })
  for (const { id, name, run } of storageConformance(open)) {
    it(`${id}: ${name}`, () => expect(run()).resolves.toBeUndefined())
  }
})
