/** The first `count` of `candidates` in the order of `compare`, without sorting all of them. */
export function bestOf<T>(
  candidates: Iterable<T>,
  count: number,
  compare: (a: T, b: T) => number,
): readonly T[] {
  let chosen: T[] = []
  let last: T | undefined
  for (const candidate of candidates) {
    if (last !== undefined && compare(candidate, last) >= 0) continue
    chosen.push(candidate)
    // Sorting twice as many as needed now and then costs less than a heap.
    if (chosen.length < 2 * count) continue
    chosen = chosen.sort(compare).slice(0, count)
    last = chosen.at(-1)
  }
  return chosen.sort(compare).slice(0, count)
}
