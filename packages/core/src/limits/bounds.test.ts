import { describe, expect, it } from 'vitest'
import { resolveBounds, type BoundOptions } from './bounds.js'

describe('resolveBounds', () => {
  it('fills in the defaults', () => {
    expect(resolveBounds()).toEqual({
      bodyLimitBytes: 1_048_576,
      longestOutageMs: 86_400_000,
      usdPerReport: 100,
      tokensPerReport: 10_000_000,
      maxDeliveries: 200,
      maxDeliveriesPerAccount: 50,
      maxDeliveriesPerWebhook: 5,
      messageLimitBytes: 65_536,
      messagesPerMinute: 120,
      bufferLimitBytes: 1_048_576,
      unauthenticatedPerAddress: 20,
      unauthenticated: 1_000,
      subscriptionsPerConnection: 100,
      replayLimit: 1_000,
    })
  })

  it('keeps the deliveries of an account and of a webhook within all deliveries', () => {
    expect(resolveBounds({ maxDeliveries: 2 })).toMatchObject({
      maxDeliveriesPerAccount: 1,
      maxDeliveriesPerWebhook: 1,
    })
  })

  const unusable: [BoundOptions, keyof BoundOptions][] = [
    [{ bodyLimitBytes: 0 }, 'bodyLimitBytes'],
    [{ longestOutageMs: 0.5 }, 'longestOutageMs'],
    [{ usdPerReport: -1 }, 'usdPerReport'],
    [{ usdPerReport: 1_000_001 }, 'usdPerReport'],
    [{ usdPerReport: NaN }, 'usdPerReport'],
    [{ usdPerReport: '7' as never }, 'usdPerReport'],
    [{ tokensPerReport: 0 }, 'tokensPerReport'],
    [{ tokensPerReport: 1e12 + 1 }, 'tokensPerReport'],
    [{ maxDeliveries: 0 }, 'maxDeliveries'],
    [{ maxDeliveries: 2, maxDeliveriesPerAccount: 3 }, 'maxDeliveriesPerAccount'],
    [{ maxDeliveriesPerAccount: 2, maxDeliveriesPerWebhook: 3 }, 'maxDeliveriesPerWebhook'],
    [{ messageLimitBytes: 2 ** 31 }, 'messageLimitBytes'],
    [{ messagesPerMinute: -5 }, 'messagesPerMinute'],
    [{ bufferLimitBytes: 1.5 }, 'bufferLimitBytes'],
    [{ subscriptionsPerConnection: 0 }, 'subscriptionsPerConnection'],
    [{ replayLimit: '7' as never }, 'replayLimit'],
  ]

  it.each(unusable)('refuses %j and names %s', (options, name) => {
    expect(() => resolveBounds(options)).toThrow(
      expect.objectContaining({ code: 'INVALID_CONFIG', field: `bounds.${name}` }),
    )
  })
})
