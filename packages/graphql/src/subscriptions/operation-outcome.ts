import type { OperationResult } from 'graphql-ws'

/** What goes on by the ids of a connection, as graphql-ws keeps it: what is completed is taken out, and returned. */
export type UnderWay = Record<string, AsyncIterable<unknown> | null>

type Outcome = Awaited<OperationResult>
type Told = Exclude<Outcome, AsyncIterable<unknown>>
type Result = IteratorResult<Told, undefined>

const END: Result = Object.freeze({ value: undefined, done: true })

/**
 * What one operation comes to, in turn. graphql-ws knows operations by their ids alone, and after each wait takes whatever goes on
 * by the id for the one that it waited for. Clients may use an id again once it is completed; the operation before would then be
 * told as well, or complete the one after it, or go on without an end. So from its end on, this keeps graphql-ws waiting: what is
 * never resolved is collected together with who waits for it.
 */
export class OperationOutcome implements AsyncIterableIterator<Told> {
  #results: AsyncIterator<Told, undefined> | null = null
  #isCompleted = false

  /** Stands in for what is not there yet, so that it can be completed. */
  constructor(underWay: UnderWay, id: string) {
    underWay[id] = this
  }

  /** What is waited for, unless the operation is completed before. */
  async unlessCompleted<T>(waited: Promise<T>): Promise<T> {
    try {
      return await waited
    } finally {
      if (this.#isCompleted) await new Promise<never>(() => undefined)
    }
  }

  /** Goes on with what execution gave: a result, or one after the other. */
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

async function* only(result: Told): AsyncGenerator<Told, undefined> {
  yield result
}
