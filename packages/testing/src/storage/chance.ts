/** Repeatable random numbers, so that a failing case fails again. */
export interface Chance {
  /** A whole number in [0, `limit`). */
  below(limit: number): number
  pick<T>(values: readonly T[]): T
}

/** Marsaglia's 32-bit xorshift (13, 17, 5), scrambled so that neighbouring seeds part at the same time. */
export function seededChance(seed: number): Chance {
  let state = Math.imul(seed, 0x9e3779b1) ^ 0x5bd1e995 || 1
  const below = (limit: number): number => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return Math.floor(((state >>> 0) / 2 ** 32) * limit)
  }
  return {
    below,
    pick<T>(values: readonly T[]): T {
      const value = values[below(values.length)]
      if (value === undefined) throw new RangeError('nothing to pick from')
      return value
    },
  }
}
