import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { located, mutants } from './mutants.mjs'
import { plant } from './plant.mjs'

const textOf = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

/** What is gone of a mutant: its file, its function, a word of it or the file of a test; '' when all is there. */
function missing(mutant: (typeof mutants)[number]): string {
  try {
    const { name, file, within, change, caughtBy } = located(mutant)
    const text = textOf(file)
    if (plant(text, within, change) === text) return `${name}: changes nothing`
    return caughtBy.length === 0 ? `${name}: names no test` : ''
  } catch (error) {
    return `${mutant.name}: ${(error as Error).message}`
  }
}

// A run of the mutants takes too long for each change. This tells which of them a change of the sources has taken out.
describe('the mutants', () => {
  it('have their function and its words, change something, and name tests of files that exist', () => {
    expect(mutants.map(missing).filter(Boolean)).toEqual([])
  })

  it('are all read, each with a name of its own', () => {
    const planted = textOf('proof/mutants/mutants.txt').match(/^ {2}.+$/gm)
    expect(mutants).toHaveLength(planted?.length ?? 0)
    expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length)
  })
})

const source = `/** Takes. */
export interface Limiter { take(): void }
export function createLimiter(most: number) {
  const open = (count: number) => count >= 0 && count < most && !isClosed
  return {
    take(count: number, [first, second]: string[]) {
      if (count >= most) return give(first, second, count)
      const text = first.trim().replaceAll('<', '&lt;').slice(2)
      log(text)
      return open(count)
    },
  }
}
const give = (...all: unknown[]) => all.length >= 3
`

describe('a fault is planted', () => {
  it.each([
    ['createLimiter.take', 'count >= -> count >', 'if (count > most) return'],
    ['give', '>= 3 -> >= 4', 'all.length >= 4'],
    ['open', 'drop count < most', 'count >= 0 && !isClosed'],
    ['open', 'drop count >= 0', '=> count < most && !isClosed'],
    ['take', 'drop &lt;', "replaceAll('<')"],
    ['take', 'drop .replaceAll', 'first.trim().slice(2)'],
    ['take', 'drop log(text', '.slice(2)\n      \n      return'],
    ['take', 'drop if (count', ') {\n      \n      const text'],
    ['take', 'earlier log(text', 'log(text)\nconst text'],
  ])('within %s: %s', (within, change, expected) => {
    expect(plant(source, within, change)).toContain(expected)
  })

  it.each([
    ['lost', 'a -> b', '“lost” of lost is declared 0 times'],
    ['take', 'limit >= -> limit >', 'take has no “limit”'],
    ['take', 'most >= -> most >', 'take has “most >=” 0 times'],
    ['take', 'count -> 3', 'take has “count” 4 times'],
    ['take', 'earlier if (count', '“earlier if (count” has no statement before it'],
    ['give', 'all', '“all” is no change'],
  ])('and not within %s: %s', (within, change, message) => {
    expect(() => plant(source, within, change)).toThrow(message)
  })

  it('in the last SQL function of a name', () => {
    const sql = (limit: number) =>
      `create or replace function taskboard.prune() as $$\n  delete from a limit ${limit};\n$$;\n`
    expect(plant(sql(1) + sql(2), 'taskboard.prune', 'limit 2 -> limit 3')).toBe(sql(1) + sql(3))
    expect(() => plant(sql(1), 'taskboard.purge', 'limit 2 -> limit 3')).toThrow(
      'no function taskboard.purge',
    )
  })
})
