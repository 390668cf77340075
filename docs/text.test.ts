import { describe, expect, it } from 'vitest'
import { exceptionsOf, findingsOf, textFiles } from '../scripts/text/index.mjs'
import { counted, words } from '../scripts/text/words.mjs'

const MOST_EXCEPTIONS = 20
const LONG = 'sentence over 25 words'
const TWENTY_FOUR_WORDS = Array.from({ length: 24 }, () => 'word').join(' ')

function found(path: string, source: string): string[] {
  return findingsOf(path, source).map(({ line, name, words: matched }) => `${line} ${name}: ${matched}`)
}

describe('npm run lint:text', () => {
  it.each([...words, ...counted])('finds "$name" in a sentence that has it', ({ name, finds, passes }) => {
    const names = (text: string): string[] => findingsOf('page.md', text).map((finding) => finding.name)
    expect(names(finds)).toContain(name)
    expect(names(passes)).not.toContain(name)
  })

  it('finds sentences of more than 25 words, for which code is a word', () => {
    expect(found('page.md', `A ${TWENTY_FOUR_WORDS}. It is another one.`)).toEqual([])
    expect(found('page.md', `\nA ${TWENTY_FOUR_WORDS} \`in line(code)\`.`)).toEqual([`2 ${LONG}: 26 words`])
    expect(found('page.md', `- ${TWENTY_FOUR_WORDS}\n- ${TWENTY_FOUR_WORDS}`)).toEqual([])
    expect(found('page.md', `| ${TWENTY_FOUR_WORDS} | ${TWENTY_FOUR_WORDS} |`)).toEqual([])
  })

  it('reads the prose of a page and neither code nor addresses', () => {
    const page = [
      '---',
      'title: at once',
      '---',
      '# Start at once',
      'It starts `at once`, [at',
      'once](at-once.md).',
      '```ts',
      'at once',
      '```',
      '<!-- at once -->',
      '| at | once |',
    ]
    expect(found('page.md', page.join('\n'))).toEqual(['4 at once: at once', '5 at once: at once'])
  })

  it('reads doc comments and strings of a source, and none of its code and examples', () => {
    const source = [
      "import { at } from 'at once'",
      '/**',
      ' * Starts at',
      ' * once, `at once`.',
      ' * @example',
      ' * // at once',
      ' * @throws an error at once',
      ' */',
      '// at once',
      'const message = `starts ${at} at once` // at once',
      "const statement = 'select at once from tasks'",
    ]
    const expected = ['3 at once: at once', '7 at once: at once', '10 at once: at once']
    expect(found('packages/core/src/source.ts', source.join('\n'))).toEqual(expected)
    expect(found('packages/testing/src/source.ts', source.join('\n'))).toEqual(expected.slice(0, 2))
  })

  it('counts a label of a doc comment that begins with "what" apart from a clause', () => {
    const names = findingsOf(
      'source.ts',
      '/** What was asked. What was asked is kept. */\n/** It ends. What is kept. */',
    ).map(({ name }) => name)
    expect(names).toEqual([
      'label that begins with "what"',
      'clause with "what" as a noun',
      'clause with "what" as a noun',
    ])
  })

  it('has few exceptions, each of a file that exists', () => {
    expect(exceptionsOf().length).toBeLessThanOrEqual(MOST_EXCEPTIONS)
    const paths = exceptionsOf().map((line) => line.split(': ')[0])
    expect(textFiles()).toEqual(expect.arrayContaining(paths))
  })
})
