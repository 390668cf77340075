import { isTaskboardError } from '@taskboard/core'

/** Runs many calls as one. Resolves with a result for each input, in order. */
export type Batch<In, Out> = (inputs: readonly In[]) => Promise<readonly Out[]>

export interface BatcherOptions<In> {
  /** The maximum of inputs in one batch. */
  readonly most: number
  /** How many batches of one group may run at once. */
  readonly atOnce: number
  /** Inputs of different groups do not share a batch, and do not wait for each other. */
  readonly groupOf: (input: In) => unknown
}

interface Waiting<In, Out> {
  readonly input: In
  readonly resolve: (result: Out) => void
  readonly reject: (error: unknown) => void
}

interface Group<In, Out> {
  waiting: Waiting<In, Out>[]
  underWay: number
}

/**
 * Joins the calls that arrive while others run into the next batch, in their order. A single call is as fast as without it, and
 * concurrent ones share round trips and commits. When a batch fails because of one of its inputs, each input is retried on its
 * own.
 */
export function createBatcher<In, Out>(
  run: Batch<In, Out>,
  { most, atOnce, groupOf }: BatcherOptions<In>,
): (input: In) => Promise<Out> {
  const groups = new Map<unknown, Group<In, Out>>()

  async function runBatch(calls: readonly Waiting<In, Out>[]): Promise<void> {
    try {
      const results = await run(calls.map(({ input }) => input))
      for (const [index, { resolve }] of calls.entries()) resolve(results[index] as Out)
    } catch (error) {
      if (calls.length === 1 || isTaskboardError(error, 'SERVICE_UNAVAILABLE')) {
        for (const { reject } of calls) reject(error)
      } else {
        for (const waiting of calls) await runBatch([waiting])
      }
    }
  }

  function pump(key: unknown, group: Group<In, Out>): void {
    while (group.underWay < atOnce && group.waiting.length > 0) {
      group.underWay += 1
      void runToEnd(key, group, group.waiting.splice(0, most))
    }
    if (group.underWay === 0) groups.delete(key)
  }

  async function runToEnd(key: unknown, group: Group<In, Out>, calls: Waiting<In, Out>[]): Promise<void> {
    await runBatch(calls)
    group.underWay -= 1
    pump(key, group)
  }

  return (input) =>
    new Promise((resolve, reject) => {
      const key = groupOf(input)
      const group = groups.get(key) ?? { waiting: [], underWay: 0 }
      groups.set(key, group)
      group.waiting.push({ input, resolve, reject })
      // More calls of the same tick may follow: they begin together.
      if (group.waiting.length === 1 && group.underWay < atOnce) queueMicrotask(() => pump(key, group))
    })
}
