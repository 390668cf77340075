import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const MOST_RECORDS = 22
const MOST_LINES = 60

const folder = new URL('decisions/', import.meta.url)
const textOf = (name: string): string => readFileSync(new URL(name, folder), 'utf8')
const names = readdirSync(folder).filter((name) => name !== 'README.md')

describe('the records of decisions', () => {
  it('are few, so that somebody reads them', () => {
    expect(names.length).toBeGreaterThan(0)
    expect(names.length).toBeLessThanOrEqual(MOST_RECORDS)
  })

  it('are numbered one after another, in the name of the file and in the title', () => {
    const titles = names.toSorted().map((name) => /^# (\d+)\. \S/.exec(textOf(name))?.[1])
    expect(titles).toEqual(names.map((_, index) => `${index + 1}`))
    const prefixes = names.toSorted().map((name) => /^\d{4}(?=-[a-z0-9-]+\.md$)/.exec(name)?.[0])
    expect(prefixes).toEqual(titles.map((number) => number?.padStart(4, '0')))
  })

  it.each(names)('%s has a date, a status and its three sections on one page', (name) => {
    const text = textOf(name)
    const lines = text.trimEnd().split('\n')
    expect(lines.length).toBeLessThanOrEqual(MOST_LINES)
    expect(lines.slice(1, 6)).toEqual([
      '',
      expect.stringMatching(/^Date: \d{4}-\d{2}-\d{2}$/),
      '',
      expect.stringMatching(/^Status: \w+$/),
      '',
    ])
    const headings = lines.filter((line) => line.startsWith('#')).slice(1)
    expect(headings).toEqual(['## Context', '## Decision', '## Consequences'])
  })

  it('are listed in the index by their titles, and by no other one', () => {
    const listed = [...textOf('README.md').matchAll(/^- \[(\d+)\]\((\S+)\) (.+)$/gm)]
    const titled = names.toSorted().map((name) => [name, textOf(name).split('\n')[0]])
    expect(listed.map(([, number, name, title]) => [name, `# ${number}. ${title}`])).toEqual(titled)
  })
})
