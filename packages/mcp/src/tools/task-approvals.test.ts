import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { boundApprovals, mostCharacters, mostShown } from './task-approvals.js'

const statuses = ['pending', 'approved', 'rejected', 'used', 'expired']

const approval = fc.record({
  id: fc.uuid(),
  action: fc.string(),
  status: fc.constantFrom(...statuses),
  input: fc.oneof(
    fc.jsonValue(),
    fc.integer({ min: 0, max: 40_000 }).map((length) => 'x'.repeat(length)),
  ),
  comment: fc.option(fc.integer({ min: 0, max: 19_800 }).map((length) => 'c'.repeat(length))),
  summary: fc.string(),
})

describe('the approvals of a claim', () => {
  it('are bounded, whole or marked as cut, and those to act on come first', () => {
    fc.assert(
      fc.property(fc.array(approval, { maxLength: 30 }), (approvals) => {
        const { shown, hasMore } = boundApprovals(approvals)
        const live = approvals.filter(({ status }) => status !== 'expired')
        expect(shown.length).toBe(Math.min(mostShown, live.length))
        expect(hasMore).toBe(live.length > mostShown)
        const texts = shown
          .filter(({ is_cut: isCut }) => isCut === false)
          .map(({ input, comment }) => JSON.stringify([input, comment]).length)
        expect(texts.reduce((sum, length) => sum + length, 0)).toBeLessThanOrEqual(mostCharacters)
        for (const { id, input, comment, is_cut: isCut } of shown) {
          const whole = approvals.find((each) => each.id === id)
          expect({ input, comment }).toEqual(
            isCut === true
              ? { input: null, comment: null }
              : { input: whole?.input, comment: whole?.comment },
          )
        }
        const ranks = shown.map(({ status }) =>
          ['approved', 'rejected', 'pending', 'used'].indexOf(String(status)),
        )
        expect(ranks).toEqual(ranks.toSorted((a, b) => a - b))
        expect(ranks).not.toContain(-1)
      }),
    )
  })
})
