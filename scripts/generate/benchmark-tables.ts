import type { FigureUnit } from '../../proof/kit/bench/figure.js'
import { type BenchmarkRow, rowsOf } from './benchmark-rows.js'

/** `docs/benchmarks.json`, which the benchmarks write: see `scripts/bench-figures.mjs`. */
export interface BenchmarkFile {
  readonly about: string
  readonly tables: Readonly<Record<string, BenchmarkTable>>
}

interface BenchmarkTable {
  readonly command: string
  readonly measured: { readonly on: string; readonly machine: string; readonly software: string }
  readonly columns: readonly string[]
  /** The values of each run by column, by the names that the benchmarks give to their figures. */
  readonly figures: Readonly<
    Record<
      string,
      { readonly unit: FigureUnit; readonly values: Readonly<Record<string, readonly number[]>> }
    >
  >
}

/** The tables of benchmarks by the names of their places in pages. */
export function benchmarkTables({ tables }: BenchmarkFile): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(rowsOf).map(([place, { table, rows }]) => {
      const from = tables[table]
      if (from === undefined) throw new Error(`docs/benchmarks.json has no table ${table}`)
      return [`figures of ${place}`, tableText(from, rows)]
    }),
  )
}

function tableText({ command, measured, columns, figures }: BenchmarkTable, rows: readonly BenchmarkRow[]) {
  const shown = rows.filter(({ figure }) => figures[figure] !== undefined)
  const lines = shown.map(({ text, figure }) => {
    const { unit = '', values = {} } = figures[figure] ?? {}
    return `| ${text} | ${columns.map((column) => valuesText(values[column] ?? [], unit)).join(' | ')} |`
  })
  return [
    `Measured with \`${command}\` on ${measured.on}. Software: ${measured.software}. Machine: ${measured.machine}.`,
    '',
    `| Measurement | ${columns.join(' | ')} |`,
    `| --- |${columns.map(() => ' --- |').join('')}`,
    ...lines,
  ].join('\n')
}

/** `1.06x`, `0.90x to 1.10x`, or `0.26x (0.22x to 0.29x)`; a dash when nothing was measured. */
function valuesText(values: readonly number[], unit: FigureUnit): string {
  const sorted = values.toSorted((one, other) => one - other)
  const [lowest, highest] = [sorted[0], sorted.at(-1)]
  if (lowest === undefined || highest === undefined) return '–'
  const text = (value: number): string => shortText(value, unit)
  if (lowest === highest) return text(lowest)
  const range = `${text(lowest)} to ${text(highest)}`
  return sorted.length === 2 ? range : `${text(sorted[sorted.length >> 1] ?? lowest)} (${range})`
}

/** With three digits, or all of those before the point. */
function shortText(value: number, unit: FigureUnit): string {
  const rounded = Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3))
  const text = rounded.toLocaleString('en', { maximumFractionDigits: 3 })
  return unit === 'x' || unit === '%' ? `${text}${unit}` : `${text} ${unit}`.trim()
}
