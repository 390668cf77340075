import { evidenceOf, judge, type Check, type Verdict } from './check.js'
import { eventChecks, restChecks } from './event-checks.js'
import type { Journal } from './observations.js'
import type { Rows } from './rows.js'
import { agentChecks, clientChecks } from './task-checks.js'

export const allChecks: readonly Check[] = [...clientChecks, ...agentChecks, ...eventChecks, ...restChecks]

/** Compares what was observed with what the database has, promise by promise. */
export const verdictsOn = (journal: Journal, rows: Rows): readonly Verdict[] =>
  judge(allChecks, evidenceOf(journal, rows))

const MOST_EXAMPLES = 5

/** A table with a line for each promise, and examples of what is broken. */
export function tableOf(verdicts: readonly Verdict[]): string {
  const width = Math.max(...verdicts.map(({ promise }) => promise.length))
  const line = (promise: string, checked: string, broken: string): string =>
    `${promise.padEnd(width)}  ${checked.padStart(8)}  ${broken.padStart(6)}`
  return [
    line('promise', 'checked', 'broken'),
    ...verdicts.flatMap(({ promise, checked, broken }) => [
      line(promise, String(checked), String(broken.length)),
      ...broken.slice(0, MOST_EXAMPLES).map((what) => `    ${what}`),
    ]),
  ].join('\n')
}
