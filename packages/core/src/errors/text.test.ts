import { describe, expect, it } from 'vitest'
import { hasInvisible, textFault } from './text.js'

const fault = (text: string) => textFault(text, { most: 200, isBlankAllowed: false })

describe('a text that shows nothing', () => {
  it.each([
    '',
    ' \t\n',
    '\u00a0\u2003\u3000',
    '\u200b',
    '\u200b\u200c\u200d\u2060\ufeff',
    '\u00ad\u061c\u180e\u202e',
    '\u115f\u1160\u3164\uffa0',
    '\u2800',
    '\u{e0001}\u{e0061}\ufe0f',
    '\u0007\u001b',
  ])('is blank: %j', (text) => expect(fault(text)).toBe('must not be blank'))

  it.each(['x', '\u200bx', '日本', '🧑‍💻', '️❤️', 'é', '́', '...', '\u0915\u094d\u200d'])(
    '%j is not blank',
    (text) => expect(fault(text)).toBeNull(),
  )
})

describe('hasInvisible', () => {
  it.each(['a\u200bb', 'a\u00adb', 'a\u202eb', '\ufeff', 'a\0b', 'a\u3164'])('finds %j', (text) =>
    expect(hasInvisible(text)).toBe(true),
  )
  it.each(['', 'ada@example.com', 'żółć@例え.jp', 'a b'])('finds nothing in %j', (text) =>
    expect(hasInvisible(text)).toBe(false),
  )
})
