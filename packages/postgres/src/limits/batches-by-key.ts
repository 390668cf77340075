/** Requests of one key that a statement decides together. */
export interface KeyRequests<R> {
  readonly request: R
  /** Their places in the batch. */
  readonly places: number[]
}

/**
 * Groups requests by key. One statement can't decide a key under different limits one after the other, so such requests go into
 * separate batches, each with a key once. Otherwise there is one batch.
 */
export function batchesByKey<R>(
  requests: readonly R[],
  keyOf: (request: R) => string,
  isAlike: (one: R, other: R) => boolean,
): readonly ReadonlyMap<string, KeyRequests<R>>[] {
  const batches: Map<string, KeyRequests<R>>[] = []
  const lastBatch = new Map<string, number>()
  for (const [place, request] of requests.entries()) {
    const key = keyOf(request)
    const last = lastBatch.get(key)
    const own = last === undefined ? undefined : batches[last]?.get(key)
    if (own !== undefined && isAlike(own.request, request)) {
      own.places.push(place)
      continue
    }
    const next = last === undefined ? 0 : last + 1
    batches[next] ??= new Map()
    batches[next].set(key, { request, places: [place] })
    lastBatch.set(key, next)
  }
  return batches
}
