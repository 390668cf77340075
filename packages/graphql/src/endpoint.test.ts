import { createTaskboard } from '@taskboard/core'
import { memoryStorage } from '@taskboard/memory'
import { describe, expect, it } from 'vitest'
import { endpointOf } from './endpoint.js'

describe('an endpoint', () => {
  it('is the same one for all protocols of a board that have the same options', () => {
    const taskboard = createTaskboard({ storage: memoryStorage() })
    const endpoint = endpointOf(taskboard, { limits: { depth: 5 } })
    expect(endpointOf(taskboard, { limits: { depth: 5 }, introspection: true })).toBe(endpoint)
    expect(endpointOf(taskboard, {})).not.toBe(endpoint)
    expect(endpointOf(createTaskboard({ storage: memoryStorage() }), { limits: { depth: 5 } })).not.toBe(
      endpoint,
    )
  })
})
