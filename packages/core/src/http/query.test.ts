import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseQuery, splitTarget } from './query.js'

describe('parseQuery', () => {
  it('reads like URLSearchParams, and reports repeated names', () => {
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

  it.each(['k', '%6b'])('reads a thousand parameters and ignores the others, named %s', (name) => {
    const parameters = (count: number) => Array.from({ length: count }, (_, index) => `${name}${index}=x`)
    expect(Object.keys(parseQuery(parameters(999).join('&&')).values)).toHaveLength(999)
    expect(Object.keys(parseQuery(parameters(1_000).join('&')).values)).toHaveLength(1_000)
    expect(Object.keys(parseQuery(parameters(6_000).join('&')).values)).toHaveLength(1_000)
    const last = parseQuery(`${'&'.repeat(5_000)}limit=1`)
    expect({ ...last.values }).toEqual({ limit: '1' })
  })

  it('refuses more than 65,536 characters', () => {
    expect(parseQuery('a'.repeat(65_536)).values['a'.repeat(65_536)]).toBe('')
    expect(() => parseQuery('+'.repeat(65_537))).toThrow(
      expect.objectContaining({ code: 'INVALID_FIELD', message: expect.stringContaining('65536') }),
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
