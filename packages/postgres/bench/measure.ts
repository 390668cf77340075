import { recordFigure } from '@taskboard/kit/bench/figure'
import type pg from 'pg'
import { atMost } from './report.js'
import { costsOfEach, meter, type Costs } from './costs.js'

/** The median; NaN for no values. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}

/** A subject whose speed is compared. */
export interface Contestant {
  readonly name: string
  /** Runs for about `ms` and resolves to its rate a second. */
  readonly round: (ms: number) => Promise<number>
  /** Adds what a round has used, so that all rounds begin alike. */
  readonly refill?: (operations: number) => Promise<void>
  /** Its connections, to print what an operation costs. */
  readonly pool?: pg.Pool
  /** The goal for the bytes of log of an operation. */
  readonly mostLogBytes?: number
}

export interface RoundOptions {
  readonly rounds: number
  readonly roundMs: number
  /** The length of the round that does not count. */
  readonly warmUpMs: number
}

/** Runs the contestants in turn, prints and records the median rates, and resolves to them in order. */
export async function compareRates(
  what: string,
  contestants: readonly Contestant[],
  { rounds, roundMs, warmUpMs }: RoundOptions,
): Promise<readonly number[]> {
  const rates = contestants.map((): number[] => [])
  const costs = contestants.map((): Costs[] => [])
  for (const contestant of contestants) await play(contestant, warmUpMs)
  for (let turn = 0; turn < rounds; turn++) {
    for (const [index, contestant] of contestants.entries()) {
      globalThis.gc?.()
      const played = await play(contestant, roundMs)
      rates[index]?.push(played.rate)
      if (played.costs !== null) costs[index]?.push(played.costs)
    }
  }
  const medians = rates.map(median)
  console.log(`   ${what}, a second (medians of ${rounds} rounds; lowest to highest)`)
  for (const [index, { name, mostLogBytes }] of contestants.entries()) {
    const own = rates[index] ?? []
    recordFigure({ what: `${what}: ${name}`, value: medians[index] ?? 0, unit: 'per second' })
    const span = `${count(Math.min(...own))} to ${count(Math.max(...own))}`
    console.log(`     ${name.padEnd(56)} ${count(medians[index] ?? 0).padStart(9)}  ${span}`)
    const each = costs[index] ?? []
    if (each.length > 0) console.log(`     ${' '.repeat(56)} ${costText(each)}`)
    if (mostLogBytes !== undefined) logAtMost(`${what}, ${name}`, each, mostLogBytes)
  }
  return medians
}

/** A round, and what each of its operations cost. */
async function play(
  { round, refill, pool }: Contestant,
  ms: number,
): Promise<{ readonly rate: number; readonly costs: Costs | null }> {
  const stop = pool === undefined ? null : await meter(pool)
  const rate = await round(ms)
  const operations = (rate * ms) / 1_000
  const spent = stop === null ? null : await stop()
  await refill?.(Math.round(operations))
  if (spent === null) return { rate, costs: null }
  return { rate, costs: costsOfEach(spent, operations) }
}

/** The bytes of log of an operation against their goal. */
export function logAtMost(what: string, costs: readonly Costs[], most: number): void {
  atMost(`${what}: bytes of log`, median(costs.map(({ walBytes }) => walBytes)), most, 'bytes')
}

export function costText(costs: readonly Costs[]): string {
  const microseconds = (of: 'serverMs' | 'clientMs') => count(median(costs.map((each) => each[of])) * 1_000)
  const bytes = count(median(costs.map(({ walBytes }) => walBytes)))
  return `each ${bytes} bytes of log, ${microseconds('serverMs')} us of the server, ${microseconds('clientMs')} us of the client`
}

/**
 * Runs `clients` that call `work` one call after the other for about `ms`; a call resolves to the number of operations.
 * Resolves to operations a second. Calls in progress at the end are awaited and count, as does their time.
 */
export async function rateOf(
  clients: number,
  ms: number,
  work: (client: number) => Promise<number>,
): Promise<number> {
  const startedAt = performance.now()
  const endsAt = startedAt + ms
  let done = 0
  const client = async (index: number): Promise<void> => {
    while (performance.now() < endsAt) {
      const more = await work(index)
      done += more
    }
  }
  await Promise.all(Array.from({ length: clients }, (_, index) => client(index)))
  return (done / (performance.now() - startedAt)) * 1_000
}

/** The duration of `work` in milliseconds. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

export const count = (value: number): string => Math.round(value).toLocaleString('en')
