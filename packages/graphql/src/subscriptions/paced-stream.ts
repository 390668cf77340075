import type { ChannelMessage, MessageStream } from '@taskboard/core/transport'

const AT_ONCE = 4

/**
 * How many events of a connection are handled at a time, over all its subscriptions. One event may concern all of them, and their
 * answers together would exceed the cap on waiting data, even for a fast reader.
 */
export class AnswerTurns {
  #free = AT_ONCE
  readonly #waiting: (() => void)[] = []

  take(): Promise<void> {
    if (this.#free === 0) return new Promise((resolve) => this.#waiting.push(resolve))
    this.#free -= 1
    return Promise.resolve()
  }

  give(): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#free += 1
    else next()
  }
}

type Result = IteratorResult<ChannelMessage, undefined>

const END: Result = Object.freeze({ value: undefined, done: true })

/** A stream that takes turns with others. A turn ends when the next message is requested, or with the stream. */
export class PacedStream implements MessageStream {
  readonly #stream: MessageStream
  readonly #turns: AnswerTurns
  #hasTurn = false
  #hasEnded = false

  constructor(stream: MessageStream, turns: AnswerTurns) {
    this.#stream = stream
    this.#turns = turns
  }

  async next(): Promise<Result> {
    this.#giveTurn()
    const result = await this.#stream.next()
    if (result.done === true) return result
    await this.#turns.take()
    this.#hasTurn = true
    if (!this.#hasEnded) return result
    this.#giveTurn()
    return END
  }

  return(): Promise<Result> {
    this.#hasEnded = true
    this.#giveTurn()
    return this.#stream.return()
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  #giveTurn(): void {
    if (!this.#hasTurn) return
    this.#hasTurn = false
    this.#turns.give()
  }
}
