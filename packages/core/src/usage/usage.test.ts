import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseInput } from '../errors/index.js'
import { resolveBounds } from '../limits/index.js'
import { isBudgetSpent, nextMonthStart, parseBudget } from './budget.js'
import { noUsage, requireModest, toUsageReport, usageInput } from './usage.js'

const used = { model: 'small', inputTokens: 1_000, outputTokens: 200, cachedInputTokens: 400 }
const prices = {
  small: { inputUsd: 0.5, outputUsd: 2, cachedInputUsd: 0.05 },
  plain: { inputUsd: 0.5, outputUsd: 2 },
}

describe('the cost of a report', () => {
  it('is by the price of its model, or the given one when that is larger, in whole millionths', () => {
    expect(toUsageReport({ ...used, costUsd: 0.0000014 }, {}).costMicros).toBe(1)
    expect(toUsageReport({ ...used, costUsd: 0.0000014 }, prices).costMicros).toBe(720)
    expect(toUsageReport({ ...used, costUsd: 0 }, prices).costMicros).toBe(720)
    expect(toUsageReport({ ...used, costUsd: 0.000721 }, prices).costMicros).toBe(721)
    expect(toUsageReport(used, prices).costMicros).toBe(300 + 20 + 400)
    expect(toUsageReport({ ...used, model: 'plain' }, prices).costMicros).toBe(500 + 400)
    expect(toUsageReport({ ...used, cachedInputTokens: null }, prices)).toEqual({
      ...used,
      cachedInputTokens: 0,
      costMicros: 900,
    })
  })

  it('is nothing for a model without a price, whatever its name', () => {
    for (const model of ['unknown', 'toString', '__proto__']) {
      expect(toUsageReport({ ...used, model }, prices).costMicros).toBe(0)
    }
  })

  it('is by the price of all others for a model without one, however its name is spelled', () => {
    const most = { ...prices, '*': { inputUsd: 5, outputUsd: 10 } }
    for (const model of ['Small', 'small ', 'unknown', 'toString', '__proto__', '*', '']) {
      expect(toUsageReport({ ...used, model }, most).costMicros).toBe(5_000 + 2_000)
    }
    expect(toUsageReport(used, most).costMicros).toBe(720)
    expect(toUsageReport({ ...used, model: 'Small', costUsd: 0.000001 }, most).costMicros).toBe(7_000)
  })

  it('is a whole number', () => {
    const tokens = fc.integer({ min: 0, max: 10_000_000 })
    const usd = fc.double({ min: 0, max: 100, noNaN: true })
    fc.assert(
      fc.property(tokens, tokens, usd, usd, (inputTokens, outputTokens, inputUsd, outputUsd) => {
        const report = { model: 'm', inputTokens, outputTokens }
        expect(toUsageReport(report, { m: { inputUsd, outputUsd } }).costMicros).toSatisfy(
          Number.isSafeInteger,
        )
      }),
    )
  })
})

describe('a report', () => {
  it.each([
    ['model', { ...used, model: ' ' }],
    ['inputTokens', { ...used, inputTokens: 1.5 }],
    ['outputTokens', { ...used, outputTokens: -1 }],
    ['cachedInputTokens', { ...used, cachedInputTokens: 1_001 }],
    ['costUsd', { ...used, costUsd: -0.1 }],
    ['costUsd', { ...used, costUsd: Number.NaN }],
  ])('is refused for its %s', (field, given) => {
    expect(() => parseInput(usageInput, given)).toThrow(
      expect.objectContaining({ code: 'INVALID_FIELD', field }),
    )
  })
})

describe('the most of a report', () => {
  const refused = (field: string) => expect.objectContaining({ code: 'INVALID_FIELD', field })
  const report = (given: object) => () => requireModest({ ...used, ...given }, resolveBounds())

  it('is 100 dollars and ten million tokens', () => {
    const most = { inputTokens: 9_000_000, outputTokens: 1_000_000, costUsd: 100 }
    expect(report(most)).not.toThrow()
    expect(report({ ...most, costUsd: 100.01 })).toThrow(refused('costUsd'))
    expect(report({ ...most, outputTokens: 1_000_001 })).toThrow(refused('inputTokens'))
    expect(report({ ...most, inputTokens: 0, outputTokens: 10_000_001 })).toThrow(refused('outputTokens'))
    expect(report({ costUsd: null })).not.toThrow()
  })

  it('is what the host says', () => {
    expect(() => requireModest({ ...used, costUsd: 2 }, resolveBounds({ usdPerReport: 1 }))).toThrow(
      refused('costUsd'),
    )
    expect(() => requireModest(used, resolveBounds({ tokensPerReport: 1_199 }))).toThrow(
      refused('inputTokens'),
    )
    const most = resolveBounds({ usdPerReport: 500, tokensPerReport: 1_200 })
    expect(() => requireModest({ ...used, costUsd: 500 }, most)).not.toThrow()
  })
})

describe('cached tokens', () => {
  it('that are more than the input are refused by their name alone', () => {
    const given = { ...used, cachedInputTokens: 1_001 }
    expect(() => parseInput(usageInput, given)).toThrow(/^cachedInputTokens [^A-Z]*$/)
  })
})

describe('a budget', () => {
  it('has tokens, dollars or both, rounded to millionths', () => {
    expect(parseBudget(null)).toBeNull()
    expect(parseBudget(undefined)).toBeNull()
    expect(parseBudget({ tokens: 5 })).toEqual({ tokens: 5, costUsd: null })
    expect(parseBudget({ costUsd: 1.2345678, tokens: null })).toEqual({ tokens: null, costUsd: 1.234568 })
  })

  it.each([
    [5],
    ['all'],
    [[]],
    [{}],
    [{ tokens: null }],
    [{ tokens: 0 }],
    [{ tokens: 1.5 }],
    [{ tokens: '5' }],
  ])('is not %j', (given) => {
    expect(() => parseBudget(given)).toThrow(
      expect.objectContaining({ code: 'INVALID_FIELD', field: 'budget' }),
    )
  })

  it.each([
    [{ costUsd: 0 }],
    [{ costUsd: -1 }],
    [{ costUsd: 2e9 }],
    [{ costUsd: '1' }],
    [{ tokens: 1, usd: 1 }],
  ])('is not %j either', (given) => {
    expect(() => parseBudget(given)).toThrow(expect.objectContaining({ field: 'budget' }))
  })

  it.each([[{}], [{ costUsd: 0 }], [{ tokens: 1, usd: 1 }]])(
    'is refused as %j in words for callers whose members have other names',
    (given) => {
      expect(() => parseBudget(given)).toThrow(/^budget\b[^A-Z]*$/)
    },
  )

  it('is spent when nothing is left of its tokens or its dollars', () => {
    const spending = { ...noUsage, inputTokens: 90, outputTokens: 10, costMicros: 1_000 }
    const isSpent = (tokens: number | null, costUsd: number | null) =>
      isBudgetSpent({ tokens, costUsd }, spending)
    expect(isBudgetSpent(null, spending)).toBe(false)
    expect([isSpent(100, null), isSpent(101, null)]).toEqual([true, false])
    expect([isSpent(null, 0.001), isSpent(null, 0.001_001)]).toEqual([true, false])
    expect([isSpent(101, 0.001), isSpent(100, 1), isSpent(101, 1)]).toEqual([true, true, false])
  })

  it('of a month counts to the first instant of the next one, in UTC', () => {
    expect(nextMonthStart(Date.UTC(2026, 10, 30, 23, 59))).toBe(Date.UTC(2026, 11))
    expect(nextMonthStart(Date.UTC(2026, 11, 1))).toBe(Date.UTC(2027, 0))
  })
})
