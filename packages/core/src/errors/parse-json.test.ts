import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseJson } from './parse-json.js'

const parse = (text: string): unknown => parseJson(text, 'the body')
const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)

describe('parseJson', () => {
  it('parses as JSON.parse does', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 8 }), (text) => {
        expect(parse(text)).toEqual(JSON.parse(text))
      }),
    )
  })

  it('ignores brackets, commas and quotation marks within a string', () => {
    const value = { text: '["\\'.repeat(50), other: '{{,'.repeat(20_000), '"[,': '\\"' }
    expect(parse(JSON.stringify(value))).toEqual(value)
  })

  it('accepts 32 levels, and no more', () => {
    expect(() => parse(nested(32))).not.toThrow()
    expect(() => parse(nested(33))).toThrow('the body must not nest more than 32 levels deep')
    expect(() => parse('['.repeat(500_000))).toThrow('the body must not nest more than 32 levels deep')
    expect(() => parse(`[${nested(31)},${nested(31)}]`)).not.toThrow()
  })

  it('accepts 20,000 values besides the first, and no more', () => {
    expect(() => parse(`[${'1,'.repeat(20_000)}1]`)).not.toThrow()
    expect(() => parse(`[${'1,'.repeat(20_001)}1]`)).toThrow('at most 20000 entries and members')
  })

  it.each(['', '{', '[1,]', '"\\', '"a', '{"a":1}}', '\u0000', "{'a':1}"])('refuses %j', (text) => {
    expect(() => parse(text)).toThrow(expect.objectContaining({ code: 'INVALID_JSON' }))
  })
})
