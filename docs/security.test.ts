import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { cellsOf, hasTitle, root } from './named-tests.js'

const pages = readdirSync(join(root, 'docs/security')).filter((name) => name.endsWith('.md'))
const TEST_FILE = /^\S+\/\S+(?:\.test|-cases)\.ts$/

/** The rows of the table of a page, as their cells. */
function rowsOf(text: string): readonly (readonly string[])[] {
  const [, , ...rows] = text.split('\n').filter((line) => line.startsWith('|'))
  return rows.map(cellsOf)
}

/** What is wrong with a row: one that passes names files of tests, and titles or ids that they have. */
function faultsOf([
  subject = '',
  state = '',
  what = '',
  test = '',
  ...more
]: readonly string[]): readonly string[] {
  if (subject === '' || what === '' || test === '' || more.length > 0)
    return [`${subject}: must have four cells`]
  const names = [...test.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)
  if (state === 'host' || state === 'n/a')
    return names.length === 0 && test === '–' ? [] : [`${subject}: has a test of what is not here`]
  if (state !== 'pass') return [`${subject}: there is no state ${state}`]
  const faults: string[] = []
  let file: string | null = null
  for (const name of names) {
    if (TEST_FILE.test(name)) {
      file = existsSync(join(root, name)) ? name : null
      if (file === null) faults.push(`${subject}: there is no test file ${name}`)
    } else if (file === null || !hasTitle(file, name)) faults.push(`${subject}: there is no test ${name}`)
  }
  return names.length === 0 ? [`${subject}: has no test`] : faults
}

describe('the tables of docs/security', () => {
  it('are four, with the risks of each standard', () => {
    expect(pages.toSorted()).toEqual(['api-top-10.md', 'asvs.md', 'llm-top-10.md', 'mcp.md'])
    const subjectsOf = (page: string) =>
      rowsOf(readFileSync(join(root, 'docs/security', page), 'utf8')).map(([subject = '']) => subject)
    const numbers = (page: string, form: RegExp) =>
      [...new Set(subjectsOf(page).map((subject) => Number(form.exec(subject)?.[1])))].toSorted(
        (a, b) => a - b,
      )
    const upTo = (most: number) => Array.from({ length: most }, (_, at) => at + 1)
    expect(numbers('api-top-10.md', /^API(\d+) /)).toEqual(upTo(10))
    expect(numbers('llm-top-10.md', /^LLM(\d+) /)).toEqual(upTo(10))
    expect(numbers('asvs.md', /^(\d+)[. ]/)).toEqual(upTo(17))
    expect(subjectsOf('mcp.md').length).toBeGreaterThan(10)
  })

  it.each(pages)('%s names tests that exist', (page) => {
    const rows = rowsOf(readFileSync(join(root, 'docs/security', page), 'utf8'))
    expect(rows.flatMap(faultsOf)).toEqual([])
  })

  it.each([
    ['pass', 'the code', 'has no test'],
    ['pass', '`docs/none.test.ts`', 'there is no test file docs/none.test.ts'],
    ['pass', '`docs/links.test.ts` `lead nowhere`', 'there is no test lead nowhere'],
    ['pass', '`lead to files and headings that exist`', 'there is no test lead to files'],
    ['host', '`docs/links.test.ts`', 'has a test of what is not here'],
    ['fails', '–', 'there is no state fails'],
    ['pass', '', 'must have four cells'],
  ])('find what is wrong with a row: %s, %s', (state, test, fault) => {
    expect(faultsOf(['x', state, 'y', test])[0]).toContain(`x: ${fault}`)
  })
})
