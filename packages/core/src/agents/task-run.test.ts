import { describe, expect, it } from 'vitest'
import { storedText, thrownText } from './stored-text.js'
import { isFinal, longestResult, TaskFailure, toResult } from './task-run.js'

describe('toResult', () => {
  it.each([
    ['text', 'text'],
    ['', ''],
    [undefined, ''],
    [null, ''],
    [42, '42'],
    [false, 'false'],
    [{ rows: [1, 2] }, '{"rows":[1,2]}'],
    ['a\0b\uD800', 'a\uFFFDb\uFFFD'],
    ['x'.repeat(longestResult), 'x'.repeat(longestResult)],
  ])('keeps %j', (value, result) => {
    expect(toResult(value)).toEqual({ kind: 'completed', result })
  })

  it.each([
    ['a result that is too long', 'x'.repeat(longestResult + 1), /more than 1000000 characters/],
    ['a function', () => 1, /is a function/],
    ['a symbol', Symbol('s'), /is a symbol/],
    ['a circle', circle(), /cannot be written as JSON/],
    ['a bigint', 1n, /cannot be written as JSON/],
  ])('fails for good on %s', (_, value, reason) => {
    expect(toResult(value)).toEqual({ kind: 'failed', retry: false, reason: expect.stringMatching(reason) })
  })
})

describe('isFinal', () => {
  it('is true for an error that asks for no retry', () => {
    expect(isFinal(new TaskFailure('no such account'))).toBe(true)
    expect(isFinal({ retry: false })).toBe(true)
    expect(isFinal(Object.assign(new Error('x'), { retry: true }))).toBe(false)
    expect([new Error('x'), 'text', null, undefined, unreadable()].map(isFinal)).not.toContain(true)
  })
})

describe('texts', () => {
  it('are cut between characters', () => {
    expect(storedText('ab😀', 3)).toBe('ab')
    expect(storedText('ab😀', 4)).toBe('ab😀')
    expect(storedText('', 0)).toBe('')
  })

  it('of a thrown value are its message', () => {
    expect(thrownText(new Error('boom'))).toBe('boom')
    expect(thrownText(new RangeError(''))).toBe('RangeError')
    expect(thrownText('plain')).toBe('plain')
    for (const odd of ['', 7, null, {}, unreadable()]) expect(thrownText(odd)).toContain('not an error')
    expect(thrownText(Object.assign(new RangeError('x'), { message: { code: 1 } }))).toBe('RangeError')
  })
})

/** Throws when anything reads it, even `instanceof`. */
function unreadable(): object {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}

function circle(): object {
  const one: Record<string, unknown> = {}
  one['self'] = one
  return one
}
