import type { RealtimeMessage } from './messages.js'

/**
 * `connecting`; `open`: the server accepted the credential; `offline`: there is no connection, and the next one follows after a wait;
 * `closed`: the subscription has closed.
 */
export type RealtimeState = 'connecting' | 'open' | 'offline' | 'closed'

/** The messages of some channels, in order, without gaps and duplicates over all connections. Read it once. */
export interface Subscription extends AsyncIterableIterator<RealtimeMessage, undefined, undefined> {
  /** Stops it. `break` in a loop does it as well. */
  return(): Promise<IteratorResult<RealtimeMessage, undefined>>
}

const END = { done: true, value: undefined } as const

/** The buffer of one subscription between its channels and its reader. */
export class MessageBuffer implements Subscription {
  readonly #messages: RealtimeMessage[] = []
  readonly #waiting: {
    resolve: (result: IteratorResult<RealtimeMessage, undefined>) => void
    reject: (error: unknown) => void
  }[] = []
  readonly #limit: number
  readonly #hooks: { readonly begin: () => void; readonly drained: () => void; readonly end: () => void }
  #state: 'new' | 'on' | 'over' = 'new'
  #error: { readonly thrown: Error } | null = null

  constructor(
    limit: number,
    hooks: { readonly begin: () => void; readonly drained: () => void; readonly end: () => void },
  ) {
    this.#limit = limit
    this.#hooks = hooks
  }

  get isFull(): boolean {
    return this.#messages.length >= this.#limit
  }

  push(message: RealtimeMessage): void {
    const reader = this.#waiting.shift()
    if (reader === undefined) this.#messages.push(message)
    else reader.resolve({ done: false, value: message })
  }

  /** What waits is read before the error. */
  fail(thrown: Error): void {
    this.#error = { thrown }
    this.#finish()
  }

  next(): Promise<IteratorResult<RealtimeMessage, undefined>> {
    if (this.#state === 'new') {
      this.#state = 'on'
      this.#hooks.begin()
    }
    const message = this.#messages.shift()
    if (message !== undefined) {
      if (this.#messages.length === this.#limit >> 1) this.#hooks.drained()
      return Promise.resolve({ done: false, value: message })
    }
    const error = this.#error
    if (error !== null) {
      this.#error = null
      return Promise.reject(error.thrown)
    }
    if (this.#state === 'over') return Promise.resolve(END)
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }))
  }

  return(): Promise<IteratorResult<RealtimeMessage, undefined>> {
    this.#messages.length = 0
    this.#finish()
    return Promise.resolve(END)
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  #finish(): void {
    const wasOn = this.#state === 'on'
    this.#state = 'over'
    for (const { resolve, reject } of this.#waiting.splice(0)) {
      if (this.#error === null) resolve(END)
      else {
        reject(this.#error.thrown)
        this.#error = null
      }
    }
    if (wasOn) this.#hooks.end()
  }
}
