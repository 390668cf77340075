import { createTaskboard } from '@taskboard/core'
import { memoryStorage } from '@taskboard/memory'
import { describe, expect, it } from 'vitest'
import { endpointOf } from './endpoint.js'
import { graphqlSubscriptions, taskboardGraphql } from './index.js'

describe('an endpoint', () => {
  it('needs a task board', () => {
    const taskboard = createTaskboard({ storage: memoryStorage() })
    const refused = expect.objectContaining({ code: 'INVALID_CONFIG', field: 'taskboard' }) as Error
    for (const given of [undefined, {}, { taskboard }]) {
      expect(() => taskboardGraphql(given as never)).toThrow(refused)
      expect(() => graphqlSubscriptions(given as never)).toThrow(refused)
    }
  })

  it('is the same one for all protocols of a board that have the same options', () => {
    const taskboard = createTaskboard({ storage: memoryStorage() })
    const endpoint = endpointOf(taskboard, { limits: { depth: 5 } })
    expect(endpointOf(taskboard, { limits: { depth: 5 }, introspection: true })).toBe(endpoint)
    expect(endpointOf(taskboard, {})).not.toBe(endpoint)
    expect(endpointOf(createTaskboard({ storage: memoryStorage() }), { limits: { depth: 5 } })).not.toBe(
      endpoint,
    )
  })

  it('prices the attempts at a delivery by how many the host may make', () => {
    const pricesOf = (retryDelaysMs?: readonly number[]) => {
      const taskboard = createTaskboard({ storage: memoryStorage(), webhooks: { retryDelaysMs } })
      const { documents } = endpointOf(taskboard, {})
      return ['attemptCount', 'attempts { status }'].map((selected) =>
        documents.prepare(`{ webhookDeliveries(webhookId: "x", first: 100) { nodes { ${selected} } } }`, {}),
      )
    }
    const prepared = expect.objectContaining({ kind: 'Document' })
    expect(pricesOf()).toEqual([prepared, prepared])
    const fifty = Array.from({ length: 50 }, () => 1_000)
    expect(pricesOf(fifty)).toEqual([
      prepared,
      [expect.objectContaining({ message: expect.stringContaining('may cost too much') })],
    ])
  })
})
