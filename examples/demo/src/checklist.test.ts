import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isCalendarDate, parseChecklist, readLine } from './checklist.js'

describe('parseChecklist', () => {
  it('reads boxes, bullets, numbers and plain lines as steps, and skips blank lines', () => {
    const steps = parseChecklist('- [ ] one\n\n- two\r\n1. three\n  2) four\nfive\n* [x] six\n- [X] seven')
    expect(steps.map(({ kind, text }) => `${kind} ${text}`)).toEqual([
      'item one',
      'item two',
      'item three',
      'item four',
      'item five',
      'ticked six',
      'ticked seven',
    ])
  })

  it.each([
    ['- wait 2s', { kind: 'wait', text: 'wait 2s', waitMs: 2_000 }],
    ['wait 1.5 m', { kind: 'wait', text: 'wait 1.5 m', waitMs: 90_000 }],
    ['Wait 250ms', { kind: 'wait', text: 'Wait 250ms', waitMs: 250 }],
    ['- [ ] wait 1min', { kind: 'wait', text: 'wait 1min', waitMs: 60_000 }],
    ['wait for the mail', { kind: 'item', text: 'wait for the mail' }],
    ['blocked: no access', { kind: 'question', text: 'no access' }],
    ['- [ ] Needs input: which colour?', { kind: 'question', text: 'which colour?' }],
    ['- [x] blocked: was solved', { kind: 'ticked', text: 'blocked: was solved' }],
    ['alert: the disk is full', { kind: 'alert', text: 'the disk is full' }],
    ['blocked:', { kind: 'item', text: 'blocked:' }],
    ['? Which colour?', { kind: 'ask', text: 'Which colour?' }],
    ['- [ ] ?Which colour?', { kind: 'ask', text: 'Which colour?' }],
    ['! Order 250 stickers', { kind: 'approval', text: 'Order 250 stickers' }],
    ['1. !needs input: a form', { kind: 'approval', text: 'needs input: a form' }],
    ['+ Write the invitation', { kind: 'subtask', text: 'Write the invitation' }],
    ['- + Write', { kind: 'subtask', text: 'Write' }],
    ['- [x] ! Order', { kind: 'ticked', text: '! Order' }],
    ['+49 30 1234', { kind: 'item', text: '+49 30 1234' }],
    ['?', { kind: 'item', text: '?' }],
    ['! ', { kind: 'item', text: '!' }],
    ['Really?', { kind: 'item', text: 'Really?' }],
    ['-5 degrees', { kind: 'item', text: '-5 degrees' }],
    ['2026 was a good year', { kind: 'item', text: '2026 was a good year' }],
  ])('reads %j', (line, step) => {
    expect(parseChecklist(line)).toEqual([step])
  })

  it('makes one step of each line that is not blank, with any text', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' })), (lines) => {
        const text = lines.join('\n')
        const expected = text.split(/\r?\n/).filter((line) => line.trim() !== '').length
        expect(parseChecklist(text)).toHaveLength(expected)
      }),
    )
  })
})

describe('readLine', () => {
  it('finds links, dates that exist and numbers, each once', () => {
    const text = 'Send 3 of 1,250 files (12.5%) to https://a.example/x?y=1, by 2026-02-28 or 2026-02-30.'
    expect(readLine(text)).toEqual({
      words: 12,
      links: ['https://a.example/x?y=1'],
      dates: ['2026-02-28'],
      numbers: ['3', '1,250', '12.5%'],
    })
  })

  it('finds nothing in nothing', () => {
    expect(readLine('')).toEqual({ words: 0, links: [], dates: [], numbers: [] })
  })
})

describe('isCalendarDate', () => {
  it.each([
    ['2024-02-29', true],
    ['2026-02-29', false],
    ['2026-13-01', false],
    ['soon', false],
  ])('says of %s: %s', (text, exists) => {
    expect(isCalendarDate(text)).toBe(exists)
  })
})
