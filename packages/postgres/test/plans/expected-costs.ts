import type pg from 'pg'
import type { RecordedPlan, SentStatement } from '../by-workspace/recorded-plans.js'
import { COMPILED_FROM } from './plan.js'

/** The statements that a server with JIT may compile, with the reason. Nobody waits for them. */
export const mayBeCompiled: Readonly<Record<string, string>> = {
  prune_events: 'deletes old events by the thousand, in the background, once an hour',
  rescore_tasks: 'applies other weights to all tasks, two thousand at a time, when an operator calls rescore',
}

/** The cost that a server expects of a statement on a board. */
interface ExpectedCost {
  readonly name: string
  readonly text: string
  readonly cost: number
}

/**
 * What the server of the board expects of each statement: with the values that it was sent with, and, of one that is prepared, for any
 * values.
 */
export async function expectedCosts(
  pool: pg.Pool,
  statements: readonly SentStatement[],
): Promise<readonly ExpectedCost[]> {
  const costs: ExpectedCost[] = []
  for (const { name, text, values, isPrepared } of statements) {
    const planned = await planOf(pool, 'format json', text, values)
    const generic = isPrepared ? await planOf(pool, 'generic_plan, format json', text, []) : 0
    costs.push({ name, text, cost: Math.max(planned, generic) })
  }
  return costs
}

async function planOf(
  pool: pg.Pool,
  options: string,
  text: string,
  values: readonly unknown[],
): Promise<number> {
  const query = { text: `explain (${options}) ${text}`, values: [...values] }
  const { rows } = await pool.query<{ 'QUERY PLAN': readonly [{ Plan: { 'Total Cost': number } }] }>(query)
  return rows[0]?.['QUERY PLAN'][0].Plan['Total Cost'] ?? 0
}

/** What the server expected when it executed them, of statements inside functions and triggers, too. */
export function recordedCosts(plans: readonly RecordedPlan[]): readonly ExpectedCost[] {
  return plans.map(({ name, plan }) => ({ name, text: name, cost: plan['Total Cost'] }))
}

/** The statements that a server with JIT would compile on a board, but for those that are listed. */
export function compiledOn(board: string, costs: readonly ExpectedCost[]): readonly string[] {
  return costs
    .filter(({ name, cost }) => cost >= COMPILED_FROM && mayBeCompiled[name] === undefined)
    .map(({ name, text, cost }) => `${name} costs ${Math.round(cost)} on ${board}:${text.slice(0, 2_000)}`)
}

/** The listed statements that were not sent. */
export function listedInVain(statements: readonly SentStatement[]): readonly string[] {
  const names = new Set(statements.map(({ name }) => name))
  return Object.keys(mayBeCompiled).filter((name) => !names.has(name))
}
