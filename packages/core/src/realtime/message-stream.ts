import { TaskboardError } from '../errors/index.js'
import type { Since } from './client-messages.js'
import type { EncodedFrames } from './encoded-frames.js'
import type { ChannelMessage } from './server-messages.js'
import type { Subscriber, Subscription } from './subscription.js'

export interface StreamRequest {
  /** As in the channel's protocol: `workspace.<id>` or `tasks`. */
  readonly channel: string
  /** Where to resume: for `workspace.…` the last known `seq`, for `tasks` one for each workspace. */
  readonly since?: Since[string] | undefined
  /** Selects which messages of the channel the reader gets; must not throw. */
  readonly isWanted?: ((message: ChannelMessage) => boolean) | undefined
}

/** A channel's messages in order, from `subscribed` on. Ends when it is returned, or its connection closes. */
export interface MessageStream extends AsyncIterableIterator<ChannelMessage> {
  next(): Promise<IteratorResult<ChannelMessage, undefined>>
  return(): Promise<IteratorResult<ChannelMessage, undefined>>
}

/** Counts what a stream holds of unread messages. */
export interface StreamHolder {
  readonly isOpen: boolean
  /** The number of waiting characters changes by this much. */
  hold(characters: number): void
  failed(error: unknown, channel: string): void
}

type Result = IteratorResult<ChannelMessage, undefined>

const END: Result = Object.freeze({ value: undefined, done: true })

/** A subscription whose messages wait until the reader requests them, one at a time. */
export class WaitingMessages implements MessageStream, Subscriber {
  readonly turnsOf: StreamHolder
  readonly #holder: StreamHolder
  readonly #isWanted: (message: ChannelMessage) => boolean
  #subscription: Subscription | null = null
  #messages: { readonly message: ChannelMessage; readonly characters: number }[] = []
  #readers: ((result: Result) => void)[] = []
  /** Writers that wait until everything is read. */
  #writers: (() => void)[] = []
  #hasEnded = false

  constructor(holder: StreamHolder, { isWanted = () => true }: Pick<StreamRequest, 'isWanted'>) {
    this.turnsOf = holder
    this.#holder = holder
    this.#isWanted = isWanted
  }

  /** Ties the subscription's end to the stream's. @throws TaskboardError when the stream has closed. */
  follow(subscription: Subscription): void {
    this.#subscription = subscription
    if (this.#holder.isOpen && !this.#hasEnded) return
    this.#end()
    throw new TaskboardError('CONFLICT', 'the connection is closed')
  }

  add(message: ChannelMessage, characters: number): void {
    if (!this.#holder.isOpen) this.#end()
    if (this.#hasEnded || !this.#isWanted(message)) return
    const reader = this.#readers.shift()
    if (reader !== undefined) return reader({ value: message, done: false })
    this.#messages.push({ message, characters })
    this.#holder.hold(characters)
  }

  broadcast({ texts, values }: EncodedFrames): void {
    for (const [index, message] of values.entries()) this.add(message, texts[index]?.length ?? 0)
  }

  sendAlone(messages: EncodedFrames): Promise<void> {
    this.broadcast(messages)
    if (this.#hasEnded || this.#messages.length === 0) return Promise.resolve()
    return new Promise((resolve) => this.#writers.push(resolve))
  }

  failed(error: unknown, channel: string): void {
    this.#holder.failed(error, channel)
  }

  next(): Promise<Result> {
    const first = this.#messages.shift()
    if (first !== undefined) {
      this.#holder.hold(-first.characters)
      if (this.#messages.length === 0) this.#releaseWriters()
      return Promise.resolve({ value: first.message, done: false })
    }
    if (this.#hasEnded) return Promise.resolve(END)
    return new Promise((resolve) => this.#readers.push(resolve))
  }

  return(): Promise<Result> {
    this.#end()
    return Promise.resolve(END)
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  #end(): void {
    this.#hasEnded = true
    this.#subscription?.end()
    this.#subscription = null
    for (const { characters } of this.#messages.splice(0)) this.#holder.hold(-characters)
    this.#releaseWriters()
    for (const reader of this.#readers.splice(0)) reader(END)
  }

  #releaseWriters(): void {
    for (const resolve of this.#writers.splice(0)) resolve()
  }
}
