import type { OperationResult } from 'graphql-ws'

/** The running operations of a connection by id, as graphql-ws keeps them. It removes a completed one and calls its `return`. */
export type UnderWay = Record<string, AsyncIterable<unknown> | null>

type Outcome = Awaited<OperationResult>
type OperationAnswer = Exclude<Outcome, AsyncIterable<unknown>>
type Result = IteratorResult<OperationAnswer, undefined>

const END: Result = Object.freeze({ value: undefined, done: true })

/**
 * The results of one operation, in order. graphql-ws knows operations only by id: after each wait it takes the operation that now
 * has the id for the one it waited for. Clients may reuse the id of a completed operation. The earlier operation would then send
 * results too, complete the later one, or never end. So once completed, this keeps graphql-ws waiting. A promise that never
 * resolves is garbage-collected together with its waiter.
 */
export class OperationOutcome implements AsyncIterableIterator<OperationAnswer> {
  #results: AsyncIterator<OperationAnswer, undefined> | null = null
  #isCompleted = false

  /** Registers the operation before it has results, so that it can be completed. */
  constructor(underWay: UnderWay, id: string) {
    underWay[id] = this
  }

  /** Resolves as `waited` does, or never once the operation is completed. */
  async unlessCompleted<T>(waited: Promise<T>): Promise<T> {
    try {
      return await waited
    } finally {
      if (this.#isCompleted) await new Promise<never>(() => undefined)
    }
  }

  /** Takes the outcome of the execution: one result, or a stream of them. */
  async take(outcome: Outcome): Promise<this> {
    this.#results = Symbol.asyncIterator in outcome ? outcome[Symbol.asyncIterator]() : only(outcome)
    if (this.#isCompleted) await this.#results.return?.()
    return this.unlessCompleted(Promise.resolve(this))
  }

  next(): Promise<Result> {
    return this.unlessCompleted(this.#results?.next() ?? Promise.resolve(END))
  }

  async return(): Promise<Result> {
    this.#isCompleted = true
    await this.#results?.return?.()
    return END
  }

  [Symbol.asyncIterator](): this {
    return this
  }
}

async function* only(result: OperationAnswer): AsyncGenerator<OperationAnswer, undefined> {
  yield result
}
