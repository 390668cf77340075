import { expect, it } from 'vitest'
import { defaultRetrySchedule } from './retry-schedule.js'
import { resolveWebhookSettings, type WebhookOptions } from './webhook-options.js'

it('fills in the contract’s values', () => {
  expect(resolveWebhookSettings()).toEqual({
    headerPrefix: 'X-Service-',
    standardWebhooks: false,
    userAgent: 'Taskboard-Webhooks/1',
    maxInFlight: 200,
    maxInFlightPerAccount: 50,
    maxInFlightPerWebhook: 5,
    timeoutMs: 30_000,
    schedule: defaultRetrySchedule,
    disableAfterMs: 432_000_000,
    rotationOverlapMs: 86_400_000,
  })
})

it('keeps the bounds per account and per webhook within the total', () => {
  expect(resolveWebhookSettings({ maxInFlight: 2 })).toMatchObject({
    maxInFlight: 2,
    maxInFlightPerAccount: 1,
    maxInFlightPerWebhook: 1,
  })
})

const unusable: [WebhookOptions, string][] = [
  [{ headerPrefix: 'X Service-' }, 'headerPrefix'],
  [{ headerPrefix: 'X-Service' }, 'headerPrefix'],
  [{ headerPrefix: '' }, 'headerPrefix'],
  [{ userAgent: 'a\r\nb: c' }, 'userAgent'],
  [{ userAgent: '' }, 'userAgent'],
  [{ maxInFlight: 0 }, 'maxInFlight'],
  [{ maxInFlight: 2, maxInFlightPerAccount: 3 }, 'maxInFlightPerAccount'],
  [{ maxInFlightPerAccount: 2, maxInFlightPerWebhook: 3 }, 'maxInFlightPerWebhook'],
  [{ timeoutMs: 0 }, 'timeoutMs'],
  [{ timeoutMs: 1.5 }, 'timeoutMs'],
  [{ retryDelaysMs: [-1] }, 'retryDelaysMs'],
  [{ retryJitter: 2 }, 'retryJitter'],
  [{ disableAfterMs: NaN }, 'disableAfterMs'],
  [{ rotationOverlapMs: -1 }, 'rotationOverlapMs'],
]

it.each(unusable)('refuses %j', (options, field) => {
  expect(() => resolveWebhookSettings(options)).toThrow(
    expect.objectContaining({ code: 'INVALID_CONFIG', field }),
  )
})
