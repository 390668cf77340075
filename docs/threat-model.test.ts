import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { cellsOf, hasTitle, root } from './named-tests.js'

const page = readFileSync(new URL('threat-model.md', import.meta.url), 'utf8')

/** The cells of all rows in the tables of the section, without their heads. */
function threatsIn(text: string): readonly (readonly string[])[] {
  const [, after = ''] = text.split('\n## Threats\n')
  const [section = ''] = after.split('\n## ')
  const rows = section.split('\n').filter((line) => line.startsWith('|'))
  return rows.filter((row) => !/^\| (?:Threat|---) \|/.test(row)).map(cellsOf)
}

/** What is wrong with a row: the names in its last cell are files of tests, each followed by titles or ids that it has. */
function faultsOf([threat = '', defense = '', test = '', ...more]: readonly string[]): readonly string[] {
  if (threat === '' || defense === '' || more.length > 0) return [`${threat}: must have three cells`]
  const names = [...test.matchAll(/`([^`]+)`|"([^"]+)"/g)].map(([, code, text]) => code ?? text ?? '')
  if (names.length === 0) return [`${threat}: has no test`]
  const faults: string[] = []
  let file: string | null = null
  let isNamed = true
  for (const name of names) {
    if (/^\S+\/\S+\.ts$/.test(name)) {
      if (!isNamed) faults.push(`${threat}: ${String(file)} is named without a title`)
      const isTest = /(?:\.test|-cases)\.ts$/.test(name) && existsSync(join(root, name))
      if (!isTest) faults.push(`${threat}: there is no test file ${name}`)
      file = isTest ? name : null
      isNamed = !isTest
    } else {
      if (file === null || !hasTitle(file, name)) faults.push(`${threat}: there is no test ${name}`)
      isNamed = true
    }
  }
  return isNamed ? faults : [...faults, `${threat}: ${String(file)} is named without a title`]
}

describe('a threat', () => {
  it('has a test that exists', () => {
    const threats = threatsIn(page)
    expect(threats.length).toBeGreaterThan(30)
    expect(threats.flatMap(faultsOf)).toEqual([])
  })

  it.each<[string, string, string]>([
    ['without a test', ' ', 'has no test'],
    ['with a sentence instead of a test', 'Read the code', 'has no test'],
    ['with a file that is not there', '`docs/none.test.ts` `a title`', 'there is no test file docs/none'],
    ['with a file of no tests', '`packages/core/src/index.ts` `a`', 'there is no test file packages/core'],
    ['with a file alone', '`docs/links.test.ts`', 'docs/links.test.ts is named without a title'],
    ['with a title alone', '`lead to files and headings that exist`', 'there is no test lead to files'],
    ['with another title', '`docs/links.test.ts` `lead to files`', 'there is no test lead to files'],
    ['with another title in quotes', '`docs/links.test.ts` "lead nowhere"', 'there is no test lead nowhere'],
  ])('%s is found', (_, test, fault) => {
    const text = `\n## Threats\n\n### One\n\n| Threat | Defense | Test |\n| --- | --- | --- |\n| x | y | ${test} |\n`
    const [found = []] = threatsIn(`${text}\n## More\n\n| z | z | z |\n`).map(faultsOf)
    expect(found[0]).toContain(`x: ${fault}`)
  })

  it('has nothing wrong with the name of its file and a title of it', () => {
    const good = ['x', 'y', '`docs/links.test.ts` `lead to files and headings that exist`']
    expect(faultsOf(good)).toEqual([])
  })
})
