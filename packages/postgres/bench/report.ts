import { type Figure, figureText, type FigureUnit, recordFigure } from '@taskboard/kit/bench/figure'

/** A figure as the summary shows it. */
export interface JudgedFigure {
  readonly what: string
  readonly value: string
  /** The target; empty without one. */
  readonly target: string
  /** Null without a target. */
  readonly isMet: boolean | null
}

/** Prints a figure, with its target and whether it is met, and sends it to the summary. */
function report(figure: JudgedFigure): void {
  const { what, value, target, isMet } = figure
  const verdict = isMet === null ? '' : `  (${target}: ${isMet ? 'met' : 'missed'})`
  console.log(`   ${what.padEnd(72)} ${value.padStart(9)}${verdict}`)
  process.send?.(figure)
}

function judge(figure: Figure, target: string, isMet: boolean | null): void {
  recordFigure(figure)
  report({ what: figure.what, value: figureText(figure), target, isMet })
}

/** A figure without a target. */
export function reportFigure(what: string, value: number, unit: FigureUnit): void {
  judge({ what, value, unit }, '', null)
}

/** A ratio with a minimum of `least`. */
export function atLeast(what: string, ratio: number, least: number, as: 'times' | 'percent' = 'times'): void {
  const inUnit = (value: number) =>
    as === 'times' ? ({ value, unit: 'x' } as const) : ({ value: value * 100, unit: '%' } as const)
  judge({ what, ...inUnit(ratio) }, `at least ${figureText(inUnit(least))}`, ratio >= least)
}

/** A ratio or number with a maximum of `most`. */
export function atMost(what: string, value: number, most: number, unit: FigureUnit = 'x'): void {
  judge({ what, value, unit }, `at most ${figureText({ value: most, unit })}`, value <= most)
}

/** A condition that must hold. */
export function mustHold(what: string, holds: boolean): void {
  report({ what, value: holds ? 'yes' : 'no', target: 'must hold', isMet: holds })
}
