/** A measurement at one moment. */
export interface Sample {
  /** Since the load began. */
  readonly atMs: number
  /** After a full collection. */
  readonly heapBytes: number
  readonly rssBytes: number
  /** Of this process, to the database. */
  readonly connections: number
}

export type Quantity = Exclude<keyof Sample, 'atMs'>

export interface Trend {
  readonly quantity: Quantity
  readonly mean: number
  /** The rise of the line through the samples from the first to the last. */
  readonly rise: number
  /** The largest rise that counts as flat. */
  readonly tolerance: number
  readonly isFlat: boolean
}

const MIB = 2 ** 20
/** A share of the mean, and a minimum: a measurement always varies. */
const TOLERANCES: Readonly<Record<Quantity, { readonly share: number; readonly least: number }>> = {
  heapBytes: { share: 0.05, least: 2 * MIB },
  rssBytes: { share: 0.1, least: 16 * MIB },
  connections: { share: 0, least: 2 },
}
/** Caches fill and code is compiled in the first of this many parts of the time: it does not count. */
const WARM_UP_PARTS = 3

/** Whether each quantity stays flat once the process is warm. */
export function trendsOf(samples: readonly Sample[]): readonly Trend[] {
  const lastMs = samples.at(-1)?.atMs ?? 0
  const warm = samples.filter(({ atMs }) => atMs >= lastMs / WARM_UP_PARTS)
  return (Object.keys(TOLERANCES) as Quantity[]).map((quantity) => {
    const mean = meanOf(warm.map((sample) => sample[quantity]))
    const rise = riseOf(warm.map((sample) => [sample.atMs, sample[quantity]]))
    const { share, least } = TOLERANCES[quantity]
    const tolerance = Math.max(least, share * mean)
    return { quantity, mean, rise, tolerance, isFlat: rise <= tolerance }
  })
}

/** The rise of the least-squares line, from the first point to the last; 0 for fewer than two. */
function riseOf(points: readonly (readonly [number, number])[]): number {
  const meanX = meanOf(points.map(([x]) => x))
  const meanY = meanOf(points.map(([, y]) => y))
  let above = 0
  let below = 0
  for (const [x, y] of points) {
    above += (x - meanX) * (y - meanY)
    below += (x - meanX) ** 2
  }
  const length = (points.at(-1)?.[0] ?? 0) - (points[0]?.[0] ?? 0)
  return below === 0 ? 0 : (above / below) * length
}

function meanOf(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length
}
