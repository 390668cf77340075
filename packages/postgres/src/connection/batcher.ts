import { isTaskboardError } from '@taskboard/core'
import { isReadOnlyRefusal } from '@taskboard/core/storage'

/** Runs many calls as one. Resolves with a result for each input, in order. */
export type Batch<In, Out> = (inputs: readonly In[]) => Promise<readonly Out[]>

export interface BatcherOptions<In> {
  /** The maximum of inputs in one batch. */
  readonly most: number
  /** Inputs of different groups don't share a batch, and don't wait for each other. */
  readonly groupOf: (input: In) => unknown
}

interface Waiting<In, Out> {
  readonly input: In
  readonly resolve: (result: Out) => void
  readonly reject: (error: unknown) => void
}

/**
 * Joins the calls that arrive while others run into the next batch, in their order; of one group, one batch runs at a time. A single call
 * is as fast as without it, and concurrent ones share round trips and commits. When a batch fails because of one of its inputs, each
 * input is retried on its own.
 */
export function createBatcher<In, Out>(
  run: Batch<In, Out>,
  { most, groupOf }: BatcherOptions<In>,
): (input: In) => Promise<Out> {
  const groups = new Map<unknown, Waiting<In, Out>[]>()

  async function runBatch(calls: readonly Waiting<In, Out>[]): Promise<void> {
    try {
      const results = await run(calls.map(({ input }) => input))
      for (const [index, { resolve }] of calls.entries()) resolve(results[index] as Out)
    } catch (error) {
      const isOutage = isTaskboardError(error, 'SERVICE_UNAVAILABLE') && !isReadOnlyRefusal(error)
      if (calls.length === 1 || isOutage) {
        for (const { reject } of calls) reject(error)
      } else {
        for (const waiting of calls) await runBatch([waiting])
      }
    }
  }

  async function runAll(key: unknown, waiting: Waiting<In, Out>[]): Promise<void> {
    while (waiting.length > 0) await runBatch(waiting.splice(0, most))
    groups.delete(key)
  }

  return (input) =>
    new Promise((resolve, reject) => {
      const key = groupOf(input)
      const call = { input, resolve, reject }
      const waiting = groups.get(key)
      if (waiting !== undefined) {
        waiting.push(call)
        return
      }
      const first = [call]
      groups.set(key, first)
      // More calls of the same tick may follow: they begin together.
      queueMicrotask(() => void runAll(key, first))
    })
}
