import { expect, it } from 'vitest'
import { defaultRetrySchedule } from './retry-schedule.js'
import { resolveWebhookSettings, type WebhookOptions } from './webhook-options.js'

it('fills in the contract’s values', () => {
  expect(resolveWebhookSettings()).toEqual({
    headerPrefix: 'X-Service-',
    userAgent: 'Taskboard-Webhooks/1',
    maxDeliveries: 200,
    maxDeliveriesPerAccount: 50,
    maxDeliveriesPerWebhook: 5,
    timeoutMs: 30_000,
    schedule: defaultRetrySchedule,
    disableAfterMs: 432_000_000,
    rotationOverlapMs: 86_400_000,
    shortestSecret: 16,
    mostPerHostPerMinute: 600,
  })
})

const unusable: [WebhookOptions, string][] = [
  [{ headerPrefix: 'X Service-' }, 'headerPrefix'],
  [{ headerPrefix: 'X-Service' }, 'headerPrefix'],
  [{ headerPrefix: '' }, 'headerPrefix'],
  [{ userAgent: 'a\r\nb: c' }, 'userAgent'],
  [{ userAgent: '' }, 'userAgent'],
  [{ timeoutMs: 0 }, 'timeoutMs'],
  [{ timeoutMs: 1.5 }, 'timeoutMs'],
  [{ retryDelaysMs: [-1] }, 'retryDelaysMs'],
  [{ retryJitter: 2 }, 'retryJitter'],
  [{ disableAfterMs: NaN }, 'disableAfterMs'],
  [{ rotationOverlapMs: -1 }, 'rotationOverlapMs'],
  [{ shortestSecret: 0 }, 'shortestSecret'],
  [{ shortestSecret: 257 }, 'shortestSecret'],
  [{ mostPerHostPerMinute: 0 }, 'mostPerHostPerMinute'],
  [{ mostPerHostPerMinute: 0.5 }, 'mostPerHostPerMinute'],
]

it.each(unusable)('refuses %j', (options, field) => {
  expect(() => resolveWebhookSettings(options)).toThrow(
    expect.objectContaining({ code: 'INVALID_CONFIG', field }),
  )
})
