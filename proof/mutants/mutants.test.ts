import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { mutants } from './mutants.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const textOf = (file: string): string =>
  existsSync(join(root, file)) ? readFileSync(join(root, file), 'utf8') : ''

// A run of the mutants takes too long for each change. This tells which of them a change of the sources has taken out.
describe('the mutants', () => {
  it('have their text in their file exactly once', () => {
    const counts = mutants.map(({ name, file, from }) => [name, textOf(file).split(from).length - 1])
    expect(counts.filter(([, count]) => count !== 1)).toEqual([])
  })

  it('have names of their own, change something, and name tests of files that exist', () => {
    expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length)
    expect(mutants.filter(({ from, to, caughtBy }) => from === to || caughtBy.length === 0)).toEqual([])
    const files = new Set(mutants.flatMap(({ caughtBy }) => caughtBy.map(({ file }) => file)))
    expect([...files].filter((file) => textOf(file) === '')).toEqual([])
  })
})
