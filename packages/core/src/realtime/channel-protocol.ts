import { tracked, type Clock } from '../environment/index.js'
import { TaskboardError } from '../errors/index.js'
import { parseTopic } from './topics.js'
import { parseClientMessage, requestIdOf, type ClientMessage } from './client-messages.js'
import { closeCodes, type Conversation, type RealtimeConnection, type RealtimeProtocol } from './protocol.js'
import { encodeFrames, type EncodedFrames } from './encoded-frames.js'
import { encodeAnswer, type ServerMessage } from './server-messages.js'
import { subscribe } from './subscribe.js'
import type { Subscriber, Subscription, SubscriptionDeps } from './subscription.js'

const NO_SUBSCRIPTIONS: readonly Subscription[] = []
const DONE = Promise.resolve()

/** The documented channel: JSON messages, handled one at a time. See `docs/realtime-protocol.md`. */
export function channelProtocol(path: string, deps: SubscriptionDeps): RealtimeProtocol {
  return {
    path,
    subprotocols: [],
    closeCodes,
    open: (connection) => new ChannelConversation(connection, deps),
  }
}

/** Many of these are idle, so each one holds little. */
class ChannelConversation implements Conversation, Subscriber {
  readonly #connection: RealtimeConnection
  readonly #deps: SubscriptionDeps
  #subscriptions = NO_SUBSCRIPTIONS
  #inbox = DONE

  constructor(connection: RealtimeConnection, deps: SubscriptionDeps) {
    this.#connection = connection
    this.#deps = deps
  }

  received(text: string): Promise<void> {
    const { clock } = this.#deps.environment
    const handled = this.#inbox.then(() => this.#handleTracked(text, clock))
    this.#inbox = handled
    return handled.finally(() => {
      if (this.#inbox === handled) this.#inbox = DONE
    })
  }

  explain(error: unknown): void {
    this.#reportError(error)
  }

  ended(): undefined {
    for (const subscription of this.#subscriptions) subscription.end()
    this.#subscriptions = NO_SUBSCRIPTIONS
  }

  broadcast(messages: EncodedFrames): void {
    this.#connection.broadcast(messages)
  }

  sendAlone(messages: EncodedFrames): Promise<void> {
    return this.#connection.send(messages)
  }

  /** The log can't be read: the client reconnects with its `since` and misses nothing. */
  failed(error: unknown, channel: string): void {
    this.#reportError(error, undefined, channel)
    this.#connection.end(closeCodes.internalError, 'the log could not be read')
  }

  #handleTracked(text: string, clock: Clock): Promise<void> {
    return tracked(clock, 'realtime', () => this.#handle(text))
  }

  async #handle(text: string): Promise<void> {
    const connection = this.#connection
    if (!connection.isOpen) return
    let message: ClientMessage
    try {
      message = parseClientMessage(text)
      if (connection.principal === null && message.type !== 'auth') {
        throw new TaskboardError('UNAUTHORIZED', 'the first message must be auth')
      }
    } catch (error) {
      this.#reportError(error, requestIdOf(text) ?? undefined)
      if (connection.principal === null) {
        connection.end(closeCodes.unauthenticated, 'the first message must be auth')
      }
      return
    }
    try {
      await this.#carryOut(message)
    } catch (error) {
      this.#reportError(error, message.request_id)
    }
  }

  async #carryOut(message: ClientMessage): Promise<void> {
    switch (message.type) {
      case 'auth':
        return this.#authenticate(message.token, message.request_id)
      case 'subscribe':
        for (const name of message.channels) await this.#subscribe(name, message)
        return
      case 'unsubscribe':
        for (const name of message.channels) this.#unsubscribe(name, message.request_id)
        return
      case 'ping':
        return this.#answer({ type: 'pong' }, message.request_id)
    }
  }

  async #authenticate(authorization: string, requestId: string | undefined): Promise<void> {
    const connection = this.#connection
    try {
      const { scopes } = await connection.admit(authorization, 'tasks:read')
      this.#answer({ type: 'auth.ok', connection_id: connection.id, scopes }, requestId)
    } catch (error) {
      this.#reportError(error, requestId)
      const isConflict = error instanceof TaskboardError && error.code === 'CONFLICT'
      if (!isConflict) connection.refuse(error, 'the connection is not admitted')
    }
  }

  async #subscribe(name: string, message: Extract<ClientMessage, { type: 'subscribe' }>): Promise<void> {
    const connection = this.#connection
    const { principal, settings } = connection
    if (!connection.isOpen || principal === null) return
    try {
      const topic = parseTopic(name)
      if (this.#subscriptions.some(({ topicName }) => topicName === name))
        throw new TaskboardError('CONFLICT', 'the connection already subscribes to this channel')
      if (this.#subscriptions.length >= settings.subscriptionsPerConnection) {
        throw new TaskboardError(
          'QUOTA_EXCEEDED',
          `a connection can subscribe to at most ${settings.subscriptionsPerConnection} channels`,
        )
      }
      const { since = {} } = message
      const subscription = await subscribe(
        {
          topic,
          principal,
          subscriber: this,
          since: Object.hasOwn(since, name) ? since[name] : undefined,
          confirm: (seq) => this.#answer({ type: 'subscribed', channel: name, seq }, message.request_id),
        },
        this.#deps,
      )
      if (connection.isOpen) this.#subscriptions = this.#subscriptions.concat(subscription)
      else subscription.end()
    } catch (error) {
      this.#reportError(error, message.request_id, name)
    }
  }

  #unsubscribe(name: string, requestId: string | undefined): void {
    for (const subscription of this.#subscriptions) if (subscription.topicName === name) subscription.end()
    this.#subscriptions = this.#subscriptions.filter(({ topicName }) => topicName !== name)
    this.#answer({ type: 'unsubscribed', channel: name }, requestId)
  }

  #answer(message: ServerMessage, requestId: string | undefined): void {
    this.#connection.broadcast(encodeFrames([encodeAnswer(message, requestId)]))
  }

  #reportError(error: unknown, requestId?: string, channel?: string): void {
    const described = this.#connection.describe(error, requestId)
    this.#answer(
      { type: 'error', error: described, ...(channel === undefined ? {} : { channel }) },
      requestId,
    )
  }
}
