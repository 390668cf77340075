import { isTaskboardError } from '@taskboard/core'

/** Runs many calls as one. Resolves with a result for each input, in order. */
export type Batch<In, Out> = (inputs: readonly In[]) => Promise<readonly Out[]>

export interface JoinerOptions<In> {
  /** The most inputs of one batch. */
  readonly most: number
  /** How many batches may be under way at once. */
  readonly atOnce: number
  /** Inputs that may not share a batch have different ones. */
  readonly groupOf: (input: In) => unknown
}

interface Waiting<In, Out> {
  readonly input: In
  readonly resolve: (result: Out) => void
  readonly reject: (error: unknown) => void
}

/**
 * Joins the calls that come while others are under way into the next batch, in the order they came: so one at a time is as
 * quick as without, and many at once share round trips and commits. When a batch fails for a reason of one of its inputs,
 * each is tried by itself.
 */
export function createJoiner<In, Out>(
  run: Batch<In, Out>,
  { most, atOnce, groupOf }: JoinerOptions<In>,
): (input: In) => Promise<Out> {
  let waiting: Waiting<In, Out>[] = []
  let underWay = 0

  async function runBatch(calls: readonly Waiting<In, Out>[]): Promise<void> {
    try {
      const results = await run(calls.map(({ input }) => input))
      for (const [index, { resolve }] of calls.entries()) resolve(results[index] as Out)
    } catch (error) {
      if (calls.length === 1 || isTaskboardError(error, 'SERVICE_UNAVAILABLE')) {
        for (const { reject } of calls) reject(error)
      } else {
        for (const call of calls) await runBatch([call])
      }
    }
  }

  function pump(): void {
    while (underWay < atOnce && waiting.length > 0) {
      underWay += 1
      void runToEnd(takeGroup())
    }
  }

  async function runToEnd(calls: readonly Waiting<In, Out>[]): Promise<void> {
    await runBatch(calls)
    underWay -= 1
    pump()
  }

  /** All that wait and share the first one's group. */
  function takeGroup(): readonly Waiting<In, Out>[] {
    const group = groupOf((waiting[0] as Waiting<In, Out>).input)
    const taken: Waiting<In, Out>[] = []
    const left: Waiting<In, Out>[] = []
    for (const call of waiting) {
      if (taken.length < most && groupOf(call.input) === group) taken.push(call)
      else left.push(call)
    }
    waiting = left
    return taken
  }

  return (input) =>
    new Promise((resolve, reject) => {
      waiting.push({ input, resolve, reject })
      // Calls of the same turn are still to come: they begin together.
      if (waiting.length === 1 && underWay < atOnce) queueMicrotask(pump)
    })
}
