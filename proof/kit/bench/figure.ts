import { appendFileSync } from 'node:fs'

/** A figure that a benchmark measured. */
export interface Figure {
  /** Names it in `docs/benchmarks.json`, the same in every run. */
  readonly what: string
  readonly value: number
  readonly unit: FigureUnit
}

/** A ratio as a factor or in percent, a time, a rate, a size, or a plain number. */
export type FigureUnit = 'x' | '%' | 's' | 'ms' | 'per second' | 'MB' | 'kB' | 'bytes' | ''

const DIGITS: Readonly<Record<FigureUnit, number>> = {
  x: 2,
  '%': 1,
  s: 2,
  ms: 2,
  'per second': 0,
  MB: 0,
  kB: 0,
  bytes: 0,
  '': 2,
}

/** Adds the figure to the file that `--record` collects them in, and does nothing without it. */
export function recordFigure({ what, value, unit }: Figure): void {
  const file = process.env['TASKBOARD_BENCH_FIGURES']
  if (file !== undefined) appendFileSync(file, `${JSON.stringify({ what, value, unit })}\n`)
}

/** The figure as a benchmark prints it: `1.06x`, `91.0%`, `2.10 ms`. */
export function figureText({ value, unit }: Pick<Figure, 'value' | 'unit'>): string {
  const digits = unit === 'ms' && value < 1 ? 3 : DIGITS[unit]
  const text = value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })
  return unit === 'x' || unit === '%' ? `${text}${unit}` : `${text} ${unit}`.trim()
}
