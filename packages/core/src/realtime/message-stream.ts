import { TaskboardError } from '../errors/index.js'
import type { Since } from './client-messages.js'
import type { Outgoing } from './outgoing.js'
import type { ChannelMessage } from './server-messages.js'
import type { Subscriber, Subscription } from './subscription.js'

export interface StreamRequest {
  /** As in the channel's protocol: `workspace.<id>` or `tasks`. */
  readonly channel: string
  /** Where to go on: of `workspace.…` the last `seq` that is known, of `tasks` one for each workspace. */
  readonly since?: Since[string] | undefined
  /** Says what is kept for the reader, of what the channel tells; must not throw. */
  readonly isWanted?: ((message: ChannelMessage) => boolean) | undefined
}

/** What a channel tells, from `subscribed` on, in its order. Ends when it is returned, or its connection ends. */
export interface MessageStream extends AsyncIterableIterator<ChannelMessage> {
  next(): Promise<IteratorResult<ChannelMessage, undefined>>
  return(): Promise<IteratorResult<ChannelMessage, undefined>>
}

/** For whom a stream holds messages that were not read yet. */
export interface StreamHolder {
  readonly isOpen: boolean
  /** So many characters more, or fewer, wait. */
  hold(characters: number): void
  failed(error: unknown, channel: string): void
}

type Result = IteratorResult<ChannelMessage, undefined>

const END: Result = Object.freeze({ value: undefined, done: true })

/** A subscription whose messages wait until they are asked for, one at a time. */
export class WaitingMessages implements MessageStream, Subscriber {
  readonly turnsOf: StreamHolder
  readonly #holder: StreamHolder
  readonly #isWanted: (message: ChannelMessage) => boolean
  #subscription: Subscription | null = null
  #messages: { readonly message: ChannelMessage; readonly characters: number }[] = []
  /** Readers that wait for messages. */
  #readers: ((result: Result) => void)[] = []
  /** Those that wait until all is read. */
  #writers: (() => void)[] = []
  #hasEnded = false

  constructor(holder: StreamHolder, { isWanted = () => true }: Pick<StreamRequest, 'isWanted'>) {
    this.turnsOf = holder
    this.#holder = holder
    this.#isWanted = isWanted
  }

  /** Ends the subscription with the stream. @throws TaskboardError when that has ended. */
  follow(subscription: Subscription): void {
    this.#subscription = subscription
    if (this.#holder.isOpen && !this.#hasEnded) return
    this.#end()
    throw new TaskboardError('CONFLICT', 'the connection has ended')
  }

  add(message: ChannelMessage, characters: number): void {
    if (!this.#holder.isOpen) this.#end()
    if (this.#hasEnded || !this.#isWanted(message)) return
    const reader = this.#readers.shift()
    if (reader !== undefined) return reader({ value: message, done: false })
    this.#messages.push({ message, characters })
    this.#holder.hold(characters)
  }

  broadcast({ texts, values }: Outgoing): void {
    for (const [index, message] of values.entries()) this.add(message, texts[index]?.length ?? 0)
  }

  sendAlone(messages: Outgoing): Promise<void> {
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
