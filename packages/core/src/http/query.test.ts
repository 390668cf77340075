import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseQuery, splitTarget } from './query.js'

describe('parseQuery', () => {
  it('reads as URLSearchParams does, and says which names are repeated', () => {
    const piece = fc.constantFrom('a', 'ab', 'b', '=', '&', '?', '%61', '%', '+', 'é', '__proto__')
    const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''))
    fc.assert(
      fc.property(text, (query) => {
        const expected = new URLSearchParams(`?${query}`)
        const { values, repeated } = parseQuery(query)
        expect(Object.keys(values).toSorted()).toEqual([...new Set(expected.keys())].toSorted())
        for (const name of expected.keys()) {
          expect(values[name]).toBe(expected.get(name))
          expect(repeated.has(name)).toBe(expected.getAll(name).length > 1)
        }
      }),
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
