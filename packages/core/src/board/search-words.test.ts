import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hasWords, searchWords } from './search-words.js'

describe('the words of a text', () => {
  it.each([
    [null, []],
    ['', []],
    [' -- ... ', []],
    ['Send the invoice, the 2nd one', ['send', 'the', 'invoice', '2nd', 'one']],
    ['e-mail snake_case a/b', ['e', 'mail', 'snake', 'case', 'a', 'b']],
    ['ÄRGER Straße ΣΊΣΥΦΟΣ', ['arger', 'straße', 'σισυφος']],
    ['ﬁle ①②', ['file', '12']],
    ['a\u0301 \u00e1 a', ['a']],
    ['émigré İstanbul Ёлка', ['emigre', 'istanbul', 'елка']],
    // Marks that are not accents.
    ['日本 कि だ क़', ['日本', 'कि', 'だ', 'क़'.normalize('NFKC')]],
  ])('%j are %j', (text, words) => {
    expect(searchWords(text)).toEqual(words)
  })

  it('count up to 64 characters each, and 1,000 in all', () => {
    expect(searchWords('𝒳'.normalize('NFKC').repeat(70))).toEqual(['x'.repeat(64)])
    expect(searchWords('𐐨'.repeat(70))).toEqual(['𐐨'.repeat(64)])
    expect(searchWords(Array.from({ length: 1_200 }, (_, n) => `w${n}`).join(' '))).toHaveLength(1_000)
  })

  it('are well-formed, of letters, digits and marks, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        for (const word of searchWords(text)) {
          expect(word).toMatch(/^[\p{L}\p{N}\p{M}]+$/u)
          expect(word.isWellFormed()).toBe(true)
        }
      }),
    )
  })
})

describe('words that are wanted', () => {
  const texts = ['Translate the manual', null, 'Into French', 'The émigré']

  it.each([
    ['manual', true],
    ['man tran', true],
    ['fre trans', true],
    ['anual', false],
    ['emigre', true],
    ['ÉMIGRE', true],
    ['manual german', false],
    ['manuals', false],
  ])('%s: %s', (wanted, isFound) => {
    expect(hasWords(searchWords(wanted), texts)).toBe(isFound)
  })
})
