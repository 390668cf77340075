import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { rowsOf } from '../scripts/generate/benchmark-rows.js'
import { type BenchmarkFile, benchmarkTables } from '../scripts/generate/benchmark-tables.js'
import { withGeneratedParts } from '../scripts/generate/generated-parts.js'

const textOf = (path: string): Promise<string> => readFile(new URL(`../${path}`, import.meta.url), 'utf8')
const figures = async () => JSON.parse(await textOf('docs/benchmarks.json')) as BenchmarkFile

describe('the generated parts of pages', () => {
  it('are up to date (if not: npm run generate:docs)', async () => {
    const pages = await withGeneratedParts(textOf)
    expect(Object.keys(pages)).toEqual(expect.arrayContaining(['docs/benchmarks.md', 'docs/scaling.md']))
    for (const [path, text] of Object.entries(pages))
      expect({ path, text: await textOf(path) }).toEqual({ path, text })
  })

  it('are refused for a place that nothing fills, and for a page without one', async () => {
    const other = (text: string) => async (path: string) => (path === 'docs/scaling.md' ? text : textOf(path))
    const place = '<!-- made by `npm run generate:docs`: figures of nothing -->\n<!-- end of what is made -->'
    await expect(withGeneratedParts(other(place))).rejects.toThrow(
      '"figures of nothing", which nothing makes',
    )
    await expect(withGeneratedParts(other('# Scaling'))).rejects.toThrow('docs/scaling.md has no place')
  })
})

describe('the tables of benchmarks', () => {
  const table = {
    command: 'npm run bench',
    measured: { on: '2026-01-01', machine: '2 cores', software: 'Node.js 20' },
    columns: ['Node.js 20', 'Node.js 24'],
  }
  const cellsOf = (unit: 'x' | 'ms', ...values: readonly number[]): string => {
    const { table: name, rows } = rowsOf['start'] ?? { table: '', rows: [] }
    const [{ figure } = { figure: '' }] = rows
    const others = Object.values(rowsOf).map((each) => [each.table, { ...table, figures: {} }] as const)
    const own = { ...table, figures: { [figure]: { unit, values: { 'Node.js 20': values } } } }
    const tables = { ...Object.fromEntries(others), [name]: own }
    return benchmarkTables({ about: '', tables })['figures of start']?.split('\n').at(-1) ?? ''
  }

  it('show one value, a range, or a median with its range', () => {
    expect(cellsOf('x', 1.0632)).toBe('| A new board | 1.06x | – |')
    expect(cellsOf('x', 12_600, 13_800)).toBe('| A new board | 12,600x to 13,800x | – |')
    expect(cellsOf('x', 0.29, 0.22, 0.26)).toBe('| A new board | 0.26x (0.22x to 0.29x) | – |')
    expect(cellsOf('ms', 2.1)).toBe('| A new board | 2.1 ms | – |')
    expect(cellsOf('x', 197.4)).toBe('| A new board | 197x | – |')
  })

  it('have a row for each figure that most pages rely on', async () => {
    const { tables } = await figures()
    const missing = Object.values(rowsOf).flatMap(({ table: name, rows }) =>
      rows.filter(({ figure }) => tables[name]?.figures[figure] === undefined).map(({ figure }) => figure),
    )
    // What the next run of the benchmark on PostgreSQL adds.
    expect(missing.filter((figure) => !/^claim p50 at [\d,]+ tasks$/.test(figure))).toEqual([])
  })

  it('have the rank errors that docs/scaling.md gives', async () => {
    const all = (await figures()).tables['postgres']?.figures ?? {}
    const [mean, most] = ['mean', 'largest'].map(
      (which) => all[`${which} rank error of 8 independent claimers`]?.values['Figure'] ?? [],
    )
    const text = (await textOf('docs/scaling.md')).replaceAll(/\s+/g, ' ')
    expect(text).toContain(
      `on average ${(mean?.at(-1) ?? 0).toFixed(2)}, at most ${Math.max(...(most ?? []))} with eight claimers`,
    )
  })
})
