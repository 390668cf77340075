import { describe, expect, it } from 'vitest'
import { suggestName } from './suggest-name.js'

const ofTask = ['title', 'description', 'type', 'priority', 'due_date', 'tags', 'depends_on', 'assigned_to']

describe('suggestName', () => {
  it.each([
    ['dueDate', 'due_date'],
    ['DUE-DATE', 'due_date'],
    ['deadline', 'due_date'],
    ['name', 'title'],
    ['labels', 'tags'],
    ['agentId', 'assigned_to'],
    ['titel', 'title'],
    ['prioritty', 'priority'],
    ['tag', 'tags'],
    ['dependson', 'depends_on'],
  ])('suggests for %s: %s', (name, meant) => expect(suggestName(name, ofTask)).toBe(meant))

  it.each(['', 'x', 'to', 'colour', 'status', 'tap_dance', 't'.repeat(100_000), 'constructor'])(
    'has nothing for %.20s',
    (name) => expect(suggestName(name, ofTask)).toBeNull(),
  )

  it('returns null without known names', () => expect(suggestName('title', [])).toBeNull())
})
