import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { requestFingerprint } from './idempotency.js'

describe('requestFingerprint', () => {
  it('does not depend on the order of keys, and distinguishes values', () => {
    const value = fc.jsonValue({ maxDepth: 4 })
    fc.assert(
      fc.property(value, value, (a, b) => {
        expect(requestFingerprint(reversed(a))).toBe(requestFingerprint(a))
        const isSame = fc.stringify(sorted(a)) === fc.stringify(sorted(b))
        expect(requestFingerprint(a) === requestFingerprint(b)).toBe(isSame)
      }),
    )
  })

  it('treats undefined members as absent, but not null ones', () => {
    expect(requestFingerprint({ a: 1, b: undefined })).toBe(requestFingerprint({ a: 1 }))
    expect(requestFingerprint({ a: 1, b: null })).not.toBe(requestFingerprint({ a: 1 }))
  })

  it('refuses more values than any input has', () => {
    const wide = { list: Array.from({ length: 300_000 }, () => 'x') }
    expect(() => requestFingerprint(wide)).toThrow(expect.objectContaining({ code: 'INVALID_FIELD' }))
  })

  it('reads no member of what has too many', () => {
    const names = Array.from({ length: 20_001 }, (_, index) => `k${index}`)
    let reads = 0
    const get = (): string => {
      reads += 1
      return 'x'
    }
    const wide = Object.defineProperties(
      {},
      Object.fromEntries(names.map((name) => [name, { get, enumerable: true }])),
    )
    expect(() => requestFingerprint(wide)).toThrow(expect.objectContaining({ code: 'INVALID_FIELD' }))
    expect(reads).toBe(0)
  })

  it('refuses deeper nesting than any input has', () => {
    const deep = JSON.parse('['.repeat(100_000) + ']'.repeat(100_000)) as unknown
    expect(() => requestFingerprint(deep)).toThrow(expect.objectContaining({ code: 'INVALID_FIELD' }))
  })
})

/** The same value with the keys of every object in another order. */
function reordered(value: unknown, order: (keys: string[]) => string[]): unknown {
  if (typeof value !== 'object' || value === null) return Object.is(value, -0) ? 0 : value
  if (Array.isArray(value)) return value.map((entry) => reordered(entry, order))
  const record = value as Record<string, unknown>
  return Object.fromEntries(order(Object.keys(record)).map((key) => [key, reordered(record[key], order)]))
}

const reversed = (value: unknown): unknown => reordered(value, (keys) => keys.toReversed())
const sorted = (value: unknown): unknown => reordered(value, (keys) => keys.toSorted())
