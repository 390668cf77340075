import { describe, expect, it } from 'vitest'
import { isTaskboardError } from '../errors/index.js'
import { defaultTiers, resolveTiers, type TierOptions } from './tiers.js'

describe('resolveTiers', () => {
  it('defaults to the contract', () => {
    expect(resolveTiers()).toEqual(defaultTiers)
    const { professional, enterprise, custom } = resolveTiers()
    const rates = [professional, enterprise, custom].map((each) => [
      each.requestsPerHour,
      each.burstPerMinute,
      each.webSocketConnections,
    ])
    expect([professional, enterprise, custom].map(({ quota }) => quota.webhooks)).toEqual([500, 5_000, null])
    expect(rates).toEqual([
      [10_000, 500, 25],
      [100_000, 2_000, 100],
      [null, null, null],
    ])
  })

  it('replaces only the given terms', () => {
    const { professional, custom } = resolveTiers({
      professional: { burstPerMinute: null, quota: { agents: 0 } },
      custom: { requestsPerHour: 7, webSocketConnections: undefined },
    })
    expect(professional).toEqual({
      ...defaultTiers.professional,
      burstPerMinute: null,
      quota: { ...defaultTiers.professional.quota, agents: 0 },
    })
    expect(custom).toEqual({ ...defaultTiers.custom, requestsPerHour: 7 })
  })

  it.each<[string, unknown]>([
    ['tiers.gold', { gold: {} }],
    ['tiers.custom.burst', { custom: { burst: 7 } }],
    ['tiers.custom.quota.tasks', { custom: { quota: { tasks: 7 } } }],
    ['tiers.custom.requestsPerHour', { custom: { requestsPerHour: 0 } }],
    ['tiers.professional.burstPerMinute', { professional: { burstPerMinute: 1.5 } }],
    ['tiers.enterprise.webSocketConnections', { enterprise: { webSocketConnections: '9' } }],
    ['tiers.enterprise.quota.tasksPerMonth', { enterprise: { quota: { tasksPerMonth: -1 } } }],
    ['tiers.enterprise.quota.agents', { enterprise: { quota: { agents: Number.NaN } } }],
    ['tiers.enterprise.quota.apiKeys', { enterprise: { quota: { apiKeys: 2e9 } } }],
  ])('refuses %s by name', (field, options) => {
    expect(() => resolveTiers(options as TierOptions)).toThrow(
      expect.toSatisfy(
        (error: unknown) => isTaskboardError(error, 'INVALID_CONFIG') && error.field === field,
      ),
    )
  })
})
