import { describe, expect, it } from 'vitest'
import { parseChecklist } from './checklist.js'
import { describeLine, writeReport } from './checklist-report.js'

describe('describeLine', () => {
  it.each([
    ['Buy milk', 'read: 2 words'],
    ['One', 'read: 1 word'],
    ['Pay 30 before 2026-12-01', 'read: 4 words; date 2026-12-01; number 30'],
    [
      'See https://a.example and https://b.example',
      'read: 4 words; links https://a.example, https://b.example',
    ],
  ])('says of %j: %s', (text, said) => {
    expect(describeLine(text)).toBe(said)
  })
})

describe('writeReport', () => {
  it('lists what was done with each line and sums up', () => {
    const [ticked, item] = parseChecklist('- [x] Pick a date\n- Order 250 stickers')
    if (!ticked || !item) throw new Error('two steps expected')
    const worked = [
      { step: ticked, outcome: 'ticked off before' },
      { step: item, outcome: describeLine(item.text) },
    ]
    expect(writeReport('Launch', worked, 1).split('\n')).toEqual([
      'Worked through 2 lines of "Launch".',
      '1. [x] Pick a date (ticked off before)',
      '2. Order 250 stickers (read: 3 words; number 250)',
      'In all: 1 ticked off before, 1 gone through now; 6 words, 0 links, 0 dates, 1 number.',
      '1 further line left out.',
    ])
  })

  it('says that there was nothing to do', () => {
    expect(writeReport('Call Bob', [], 0)).toBe(
      '"Call Bob" has no description, so there was nothing to work through. The title has 2 words.',
    )
  })
})
