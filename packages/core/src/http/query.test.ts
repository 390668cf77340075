import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { queryValue, splitTarget } from './query.js'

describe('queryValue', () => {
  it('reads as URLSearchParams does', () => {
    const piece = fc.constantFrom('a', 'ab', 'b', '=', '&', '?', '%61', '%', '+', 'é', '__proto__')
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join('')),
        fc.constantFrom('a', 'ab', 'b', '__proto__'),
        (query, name) => {
          expect(queryValue(query, name)).toBe(new URLSearchParams(`?${query}`).get(name))
        },
      ),
      { numRuns: 2_000 },
    )
  })
})

describe('splitTarget', () => {
  it.each([
    ['/a', '/a', ''],
    ['/a?', '/a', ''],
    ['/a?b=c?d', '/a', 'b=c?d'],
  ])('splits %s', (target, path, query) => {
    expect(splitTarget(target)).toEqual({ path, query })
  })
})
