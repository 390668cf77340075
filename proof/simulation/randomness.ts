/** Repeatable chance: the same seed gives the same numbers on every machine. */
export interface Randomness {
  /** A whole number in [0, `limit`). */
  below(limit: number): number
  chance(probability: number): boolean
  pick<T>(values: readonly T[]): T
  /** A seed for another generator. */
  fork(): number
}

/** The generator splitmix32: any two seeds, also neighbours, give unrelated numbers. */
export function randomness(seed: number): Randomness {
  let state = seed | 0
  const next = (): number => {
    state = (state + 0x9e3779b9) | 0
    let mixed = state ^ (state >>> 16)
    mixed = Math.imul(mixed, 0x21f0aaad)
    mixed ^= mixed >>> 15
    mixed = Math.imul(mixed, 0x735a2d97)
    return (mixed ^ (mixed >>> 15)) >>> 0
  }
  const below = (limit: number): number => Math.floor((next() / 2 ** 32) * limit)
  return {
    below,
    chance: (probability) => next() < probability * 2 ** 32,
    pick: <T>(values: readonly T[]): T => {
      if (values.length === 0) throw new RangeError('nothing to pick from')
      return values[below(values.length)] as T
    },
    fork: () => next() >>> 1,
  }
}

/** One seed from two numbers. */
export function mixSeeds(a: number, b: number): number {
  return randomness(Math.imul(a, 0x85ebca6b) ^ (b + 0x165667b1)).fork()
}
