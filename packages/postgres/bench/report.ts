/** A line of the summary. */
export interface Figure {
  readonly what: string
  readonly value: string
  /** The target; empty without one. */
  readonly target: string
  /** Null without a target. */
  readonly isMet: boolean | null
}

/** Prints a figure, with its target and whether it is met, and sends it to the summary. */
function report(figure: Figure): void {
  const { what, value, target, isMet } = figure
  const verdict = isMet === null ? '' : `  (${target}: ${isMet ? 'met' : 'missed'})`
  console.log(`   ${what.padEnd(72)} ${value.padStart(9)}${verdict}`)
  process.send?.(figure)
}

const asTimes = (ratio: number): string => `${ratio.toFixed(2)}x`
const asPercent = (ratio: number): string => `${(ratio * 100).toFixed(1)} %`

/** A figure without a target. */
export function reportFigure(what: string, value: string): void {
  report({ what, value, target: '', isMet: null })
}

/** A ratio with a minimum of `least`. */
export function atLeast(what: string, ratio: number, least: number, as: 'times' | 'percent' = 'times'): void {
  const text = as === 'times' ? asTimes : asPercent
  report({ what, value: text(ratio), target: `at least ${text(least)}`, isMet: ratio >= least })
}

/** A ratio or number with a maximum of `most`. */
export function atMost(what: string, value: number, most: number, text = asTimes): void {
  report({ what, value: text(value), target: `at most ${text(most)}`, isMet: value <= most })
}

/** A condition that must hold. */
export function mustHold(what: string, holds: boolean): void {
  report({ what, value: holds ? 'yes' : 'no', target: 'must hold', isMet: holds })
}
