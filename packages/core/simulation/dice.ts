/** Repeatable chance for simulations: the same seed gives the same history. */
export interface Dice {
  /** A whole number in [0, `limit`). */
  below(limit: number): number
  chance(probability: number): boolean
  pick<T>(values: readonly T[]): T
}

/** A 32-bit multiplicative congruential generator with an output shuffle; chance enough to explore, not to hide. */
export function seededDice(seed: number): Dice {
  let state = (seed * 2_654_435_761) >>> 0
  const next = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    const mixed = Math.imul(state ^ (state >>> 15), 0x85ebca6b)
    return ((mixed ^ (mixed >>> 13)) >>> 0) / 2 ** 32
  }
  const below = (limit: number): number => Math.floor(next() * limit)
  return {
    below,
    chance: (probability) => next() < probability,
    pick: <T>(values: readonly T[]): T => {
      const value = values[below(values.length)]
      if (value === undefined) throw new RangeError('nothing to pick from')
      return value
    },
  }
}
