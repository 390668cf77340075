import { expect, it } from 'vitest'
import { limitHeaderNames, limitHeaders } from './admission.js'

const hour = { limit: 10_000, remaining: 9_999, resetAt: Date.UTC(2026, 0, 1, 1) }
const minute = { limit: 500, remaining: 0 }

it('reports both limits, with the names of the contract', () => {
  const headers = limitHeaders({ allowed: false, hour, minute, retryAfterMs: 1_500 })
  expect(headers).toEqual({
    'x-ratelimit-limit': '10000',
    'x-ratelimit-remaining': '9999',
    'x-ratelimit-reset': '1767229200',
    'x-ratelimit-burst': '500',
    'x-ratelimit-burst-remaining': '0',
  })
  expect(Object.keys(headers)).toEqual(limitHeaderNames.map((name) => name.toLowerCase()))
})

it('omits limits that do not apply', () => {
  expect(limitHeaders(null)).toEqual({})
  expect(Object.keys(limitHeaders({ allowed: true, hour: null, minute, retryAfterMs: 0 }))).toEqual([
    'x-ratelimit-burst',
    'x-ratelimit-burst-remaining',
  ])
})
