/** Requests of one key that a statement decides together. */
export interface KeyRequests<R> {
  readonly request: R
  /** Their places in the batch. */
  readonly places: number[]
}

/**
 * Groups a batch by key. One statement cannot decide a key under different limits one after the other, so each round has a key
 * once. All other batches are one round.
 */
export function batchesByKey<R>(
  requests: readonly R[],
  keyOf: (request: R) => string,
  isAlike: (one: R, other: R) => boolean,
): readonly ReadonlyMap<string, KeyRequests<R>>[] {
  const rounds: Map<string, KeyRequests<R>>[] = []
  const lastRound = new Map<string, number>()
  for (const [place, request] of requests.entries()) {
    const key = keyOf(request)
    const last = lastRound.get(key)
    const own = last === undefined ? undefined : rounds[last]?.get(key)
    if (own !== undefined && isAlike(own.request, request)) {
      own.places.push(place)
      continue
    }
    const next = last === undefined ? 0 : last + 1
    rounds[next] ??= new Map()
    rounds[next].set(key, { request, places: [place] })
    lastRound.set(key, next)
  }
  return rounds
}
