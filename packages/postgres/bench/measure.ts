/** The median; NaN for no values. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}

/** A subject whose speed is compared. */
export interface Contestant {
  readonly name: string
  /** Runs for about `ms` and resolves to its rate a second. */
  readonly round: (ms: number) => Promise<number>
}

export interface RoundOptions {
  readonly rounds: number
  readonly roundMs: number
  /** The length of the round that does not count. */
  readonly warmUpMs: number
}

/** Runs the contestants in turn, prints the median rates, and resolves to them in order. */
export async function compareRates(
  what: string,
  contestants: readonly Contestant[],
  { rounds, roundMs, warmUpMs }: RoundOptions,
): Promise<readonly number[]> {
  const rates = contestants.map((): number[] => [])
  for (const { round } of contestants) await round(warmUpMs)
  for (let turn = 0; turn < rounds; turn++) {
    for (const [index, { round }] of contestants.entries()) {
      globalThis.gc?.()
      rates[index]?.push(await round(roundMs))
    }
  }
  const medians = rates.map(median)
  console.log(`   ${what}, a second (medians of ${rounds} rounds; lowest to highest)`)
  for (const [index, { name }] of contestants.entries()) {
    const own = rates[index] ?? []
    const span = `${count(Math.min(...own))} to ${count(Math.max(...own))}`
    console.log(`     ${name.padEnd(56)} ${count(medians[index] ?? 0).padStart(9)}  ${span}`)
  }
  return medians
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
