import type { RealtimeTimings, WebSocketConstructor } from '../client-options.js'
import { Channels } from './channels.js'
import { Connection, type ConnectionEnd } from './connection.js'
import type { ChannelPosition } from './messages.js'
import { TaskboardRealtimeError } from './realtime-error.js'
import { MessageBuffer, type RealtimeState, type Subscription } from './subscription.js'

export interface RealtimeOptions {
  /** Of the channel: `wss://app.example/v2/realtime`. */
  readonly url: string
  /** Returns the access token or key, without `Bearer`; null for the host's cookies. `rejected` is one that the server rejected, or that expires soon. */
  readonly token: (rejected: string | null) => Promise<string | null>
  /** Default: the global one. */
  readonly WebSocket?: WebSocketConstructor | undefined
  readonly timings?: Partial<RealtimeTimings> | undefined
  /** From 0 to 1. Default `Math.random`. */
  readonly random?: (() => number) | undefined
}

/** The options of `client.realtime.subscribe`. */
export interface SubscribeOptions {
  /** The last `seq` seen by channel (of `tasks`: by workspace id). Default: channels begin with the present. */
  readonly since?: Readonly<Record<string, ChannelPosition>> | undefined
  /** Closes the subscription without an error. */
  readonly signal?: AbortSignal | undefined
  /** Called with each change of the connection's state, and with what ended the last connection. The loop rejects with the error that it throws. */
  readonly onState?: ((state: RealtimeState, reason?: Error) => void) | undefined
  /**
   * How many messages may wait for a slow reader. Beyond that, messages are left out, and the server is asked for them again when half
   * of the buffer has been read. Messages that the server no longer has arrive as a gap. At least 1. Default 1,000.
   */
  readonly bufferLimit?: number | undefined
}

/** The realtime channel of one client. All subscriptions share one connection, from the first one's start to the last one's end. */
export interface Realtime {
  /**
   * The messages of `workspace.<workspace_id>`, or of `tasks`, or of several. It begins with the first `next()` and resumes after each lost
   * connection. It rejects only when another connection can't help: with `TaskboardRealtimeError`, or with the error of the token's
   * source.
   */
  subscribe(channels: string | readonly string[], options?: SubscribeOptions): Subscription
}

const DEFAULTS: RealtimeTimings = {
  firstDelayMs: 1_000,
  longestDelayMs: 30_000,
  pingMs: 25_000,
  answerMs: 10_000,
}

/** Faults of this client, which another connection would repeat: a binary or too long message, no credential as well many messages. */
const CLIENT_FAULTS = [1003, 1009, 4408, 4430]
const UNAUTHENTICATED = 4401
const FORBIDDEN = 4403
const TOO_MANY_CONNECTIONS = 4429

/** Opens nothing until a subscription is read. */
export function createRealtime(options: RealtimeOptions): Realtime {
  const follower = new BoardFollower(options)
  return {
    subscribe: (names, subscribing = {}) =>
      follower.subscribe(typeof names === 'string' ? [names] : names, subscribing),
  }
}

class BoardFollower {
  readonly #options: RealtimeOptions
  readonly #timings: RealtimeTimings
  readonly #random: () => number
  readonly #listeners = new Map<MessageBuffer, SubscribeOptions['onState']>()
  readonly #channels = new Channels(() => this.#connection?.close())
  #connection: Connection | null = null
  #state: RealtimeState = 'closed'
  #wake: (() => void) | undefined
  #attempts = 0
  /** Counts the times without any subscription, so that a loop notices that it is no longer wanted. */
  #epoch = 0

  constructor(options: RealtimeOptions) {
    this.#options = options
    this.#timings = { ...DEFAULTS, ...options.timings }
    this.#random = options.random ?? Math.random
  }

  subscribe(
    names: readonly string[],
    { since = {}, signal, onState, bufferLimit = 1_000 }: SubscribeOptions,
  ): Subscription {
    const stop = (): void => void buffer.return()
    const buffer = new MessageBuffer(Math.max(1, bufferLimit), {
      begin: () => {
        if (signal?.aborted === true) return stop()
        signal?.addEventListener('abort', stop)
        const isFirst = this.#listeners.size === 0
        this.#listeners.set(buffer, onState)
        this.#channels.add(buffer, names, since)
        if (isFirst) void this.#run(this.#epoch)
        else notify(buffer, onState, this.#state)
      },
      drained: () => this.#channels.drained(buffer),
      end: () => {
        signal?.removeEventListener('abort', stop)
        this.#leave(buffer, onState)
      },
    })
    return buffer
  }

  #leave(buffer: MessageBuffer, onState: SubscribeOptions['onState']): void {
    if (!this.#listeners.delete(buffer)) return
    this.#channels.remove(buffer)
    if (this.#listeners.size === 0) {
      this.#epoch += 1
      const last = this.#connection
      this.#connection = null
      this.#channels.disconnected()
      last?.close()
      this.#wake?.()
    }
    notify(buffer, onState, 'closed')
  }

  #enter(next: RealtimeState, reason?: Error): void {
    this.#state = next
    for (const [buffer, onState] of this.#listeners) notify(buffer, onState, next, reason)
  }

  async #run(epoch: number): Promise<void> {
    const isWanted = (): boolean => epoch === this.#epoch
    let rejected: string | null = null
    let wasRefused = false
    this.#attempts = 0
    while (isWanted()) {
      this.#enter('connecting')
      let reason: Error
      let isCrowded = false
      try {
        const token: string = (await this.#options.token(rejected)) ?? ''
        if (!isWanted()) return
        const end = await this.#converse(token)
        if (!isWanted()) return
        if (end.wasOpen) wasRefused = false
        reason = toError(end)
        const isRefused = end.code === UNAUTHENTICATED && !isPassing(end)
        if (isFinal(end) || (isRefused && wasRefused)) return this.#endAll(reason)
        // Once, and without a wait.
        rejected = isRefused ? token : null
        wasRefused = isRefused
        if (isRefused) continue
        isCrowded = end.code === TOO_MANY_CONNECTIONS
      } catch (error) {
        if (!isWanted()) return
        if (isRefusal(error)) return this.#endAll(error as Error)
        reason = error as Error
      }
      this.#enter('offline', reason)
      await this.#pause(isCrowded)
    }
  }

  async #converse(token: string): Promise<ConnectionEnd> {
    const { url, token: renew } = this.#options
    const { WebSocket = (globalThis as { WebSocket?: WebSocketConstructor }).WebSocket } = this.#options
    if (WebSocket === undefined) {
      const message = 'there is no global WebSocket: pass the WebSocket of the package ws to createClient'
      throw new TaskboardRealtimeError(message, { code: 'NO_WEBSOCKET' })
    }
    const connection = new Connection({
      WebSocket,
      url,
      token,
      timings: this.#timings,
      renew: (old) => renew(old),
      onOpen: () => {
        this.#enter('open')
        this.#channels.connected((message) => connection.say(message))
      },
      onMessage: (message) => {
        // The server can read its log.
        if (message.type === 'subscribed') this.#attempts = 0
        this.#channels.receive(message)
      },
    })
    this.#connection = connection
    const end = await connection.ended
    if (this.#connection === connection) {
      this.#connection = null
      this.#channels.disconnected()
    }
    return end
  }

  #pause(isCrowded: boolean): Promise<void> {
    const delayMs = reconnectDelayMs(this.#timings, isCrowded ? null : this.#attempts++, this.#random)
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#wake?.(), delayMs)
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  #endAll(error: Error): void {
    for (const buffer of this.#listeners.keys()) buffer.fail(error)
  }
}

/** What the callback throws closes its subscription, and no other one. */
function notify(
  buffer: MessageBuffer,
  onState: SubscribeOptions['onState'],
  state: RealtimeState,
  reason?: Error,
): void {
  try {
    onState?.(state, reason)
  } catch (error) {
    buffer.fail(error as Error)
  }
}

function isPassing({ error }: ConnectionEnd): boolean {
  return error?.code === 'RATE_LIMIT_EXCEEDED'
}

/** A missing scope; changed rights close a connection that was open, and the next one has the new ones. */
function isFinal({ code, wasOpen }: ConnectionEnd): boolean {
  return CLIENT_FAULTS.includes(code) || (code === FORBIDDEN && !wasOpen)
}

/** An error of the token's source that another attempt would repeat: a response with a status of 400 or more, except 408, 429 and 5xx. */
function isRefusal(error: unknown): boolean {
  if (error instanceof TaskboardRealtimeError) return true
  const { status } = Object(error) as { status?: unknown }
  return typeof status === 'number' && status >= 400 && status < 500 && status !== 408 && status !== 429
}

function toError({ code, reason, error }: ConnectionEnd): TaskboardRealtimeError {
  const message = error?.message ?? (reason || `the connection closed with ${code}`)
  return new TaskboardRealtimeError(message, {
    code: error?.code ?? 'CLOSED',
    closeCode: code,
    requestId: error?.request_id,
  })
}

/**
 * How long to wait before the next connection after so many failed ones. It is any part of a time that doubles, so that clients that were
 * cut off together don't reconnect together. Null at an account's limit of connections: at least half of the longest wait.
 */
export function reconnectDelayMs(
  { firstDelayMs, longestDelayMs }: Pick<RealtimeTimings, 'firstDelayMs' | 'longestDelayMs'>,
  attempts: number | null,
  random: () => number,
): number {
  if (attempts === null) return (longestDelayMs * (1 + random())) / 2
  return Math.min(longestDelayMs, firstDelayMs * 2 ** attempts) * random()
}
