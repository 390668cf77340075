import { describe, expect, it } from 'vitest'
import { resolveBaselines } from './analytics.js'

describe('baselines', () => {
  it('are half an hour by default', () => {
    expect(resolveBaselines()).toEqual({ defaultMs: 1_800_000, msByType: {} })
    expect(resolveBaselines({ baselineMinutes: { default: 0, byType: { report: 1.5 } } })).toEqual({
      defaultMs: 0,
      msByType: { report: 90_000 },
    })
  })

  it.each([-1, Number.NaN, Infinity, 525_601])('cannot be %d minutes', (minutes) => {
    const refused = (field: string) => expect.objectContaining({ code: 'INVALID_CONFIG', field })
    expect(() => resolveBaselines({ baselineMinutes: { default: minutes } })).toThrow(
      refused('analytics.baselineMinutes.default'),
    )
    expect(() => resolveBaselines({ baselineMinutes: { byType: { report: minutes } } })).toThrow(
      refused('analytics.baselineMinutes.byType.report'),
    )
  })
})
