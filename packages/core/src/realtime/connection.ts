import { requireScope, type Principal } from '../access/index.js'
import { tracked, type Environment, type Instant, type Timer } from '../environment/index.js'
import { TaskboardError } from '../errors/index.js'
import { errorText } from '../events/index.js'
import type { Tiers } from '../limits/index.js'
import { parseClientMessage, requestIdOf, type ClientMessage } from './client-messages.js'
import { closeCodes } from './close-codes.js'
import { parseChannel } from './channels.js'
import { outgoing, type Outgoing } from './outgoing.js'
import type { RealtimeSettings } from './realtime-options.js'
import { encodeAnswer, type RealtimeError, type ServerMessage } from './server-messages.js'
import type { SlotOwner, Slots } from './slots.js'
import type { Socket, SocketListener } from './socket.js'
import { subscribe } from './subscribe.js'
import type { Subscriber, Subscription, SubscriptionParts } from './subscription.js'
import { tokenExpiry } from './token-expiry.js'

/** What is known of the request that a socket came by. */
export interface Origin {
  readonly clientAddress: string
  header(name: string): string | undefined
}

/** Judges what a connection shows. */
export interface Doorkeeper {
  /** @throws TaskboardError `SERVICE_UNAVAILABLE`. */
  authenticate(authorization: string, origin: Origin): Principal | null | Promise<Principal | null>
  /** What to say to a credential that does not hold. */
  refuse(authorization: string, origin: Origin): TaskboardError
  /** Any thrown value as the outside may see it. */
  describeError(error: unknown, requestId: string): RealtimeError
}

export interface ConnectionParts {
  readonly environment: Environment
  readonly settings: RealtimeSettings
  readonly tiers: Tiers
  readonly slots: Slots
  readonly subscriptions: SubscriptionParts
  /** Told when a credential is to be looked at before the interval is over. */
  readonly onEarlyCheck: () => void
  /** Told when the socket has gone. */
  readonly onGone: (connection: Connection) => void
}

const MINUTE_MS = 60_000
/** How long the closing handshake may take. */
const CLOSE_GRACE_MS = 5_000
const NO_SUBSCRIPTIONS: readonly Subscription[] = []
const DONE = Promise.resolve()

/** One client, from its upgrade to its end. What it says is dealt with one message after the other. */
export class Connection implements SocketListener, Subscriber, SlotOwner {
  readonly id: string
  /** When the credential is next looked at. */
  nextCheckAt: Instant = Infinity
  readonly #socket: Socket
  readonly #origin: Origin
  readonly #door: Doorkeeper
  readonly #parts: ConnectionParts
  #state: 'open' | 'closing' | 'gone' = 'open'
  #principal: Principal | null = null
  #authorization = ''
  #subscriptions: readonly Subscription[] = NO_SUBSCRIPTIONS
  #timer: Timer | null
  #inbox = DONE
  #isAlive = true
  #minuteStart = 0
  #receivedInMinute = 0

  constructor(socket: Socket, origin: Origin, door: Doorkeeper, parts: ConnectionParts) {
    const { clock, newId } = parts.environment
    this.id = newId('conn')
    this.#socket = socket
    this.#origin = origin
    this.#door = door
    this.#parts = parts
    this.#timer = clock.setTimer(
      () => this.end(closeCodes.authTimeout, 'no auth in time'),
      parts.settings.authTimeoutMs,
    )
  }

  get accountId(): string {
    return this.#principal?.accountId ?? ''
  }

  get limit(): number | null {
    return this.#principal === null ? 0 : this.#parts.tiers[this.#principal.tier].webSocketConnections
  }

  get isOpen(): boolean {
    return this.#state === 'open'
  }

  received(text: string | null): void {
    if (!this.isOpen) return
    this.#isAlive = true
    if (text === null) return this.end(closeCodes.unsupportedData, 'messages are JSON text')
    if (!this.#isWithinRate()) {
      this.#tellError(new TaskboardError('RATE_LIMITED', 'too many messages in a minute'))
      return this.end(closeCodes.tooManyMessages, 'too many messages in a minute')
    }
    const handled = this.#inbox.then(() =>
      tracked(this.#parts.environment.clock, 'realtime', () => this.#handle(text)),
    )
    this.#inbox = handled
    void handled.finally(() => {
      if (this.#inbox === handled) this.#inbox = DONE
    })
  }

  ponged(): void {
    this.#isAlive = true
  }

  gone(): void {
    if (this.#state === 'gone') return
    this.#leave()
    this.#state = 'gone'
    this.#timer?.cancel()
    this.#timer = null
    this.#parts.onGone(this)
  }

  broadcast(messages: Outgoing): void {
    if (!this.isOpen) return
    if (this.#socket.bufferedBytes > this.#parts.settings.bufferLimitBytes) {
      return this.end(closeCodes.tooSlow, 'messages are read too slowly')
    }
    this.#socket.send(messages)
  }

  evicted(): void {
    this.end(closeCodes.tooManyConnections, 'the account has too many connections')
  }

  /** Begins the end: nothing more is told, and the peer has a few seconds to agree. */
  end(code: number, reason: string): void {
    if (!this.isOpen) return
    this.#leave()
    this.#state = 'closing'
    this.#timer?.cancel()
    this.#timer = this.#parts.environment.clock.setTimer(() => this.#socket.terminate(), CLOSE_GRACE_MS)
    this.#socket.close(code, reason)
  }

  terminate(): void {
    this.#socket.terminate()
  }

  /** Gives up a peer that has said nothing since the last beat. */
  beat(): void {
    if (!this.isOpen) return
    if (!this.#isAlive) return this.#socket.terminate()
    this.#isAlive = false
    this.#socket.ping()
  }

  /** Looks at the credential again. While that cannot be done, the connection stays. */
  async recheck(): Promise<void> {
    this.#planCheck()
    let principal: Principal | null
    try {
      principal = await this.#door.authenticate(this.#authorization, this.#origin)
    } catch (error) {
      this.#parts.environment.logger.warn(
        { error: errorText(error) },
        'a credential could not be looked at again',
      )
      return
    }
    const before = this.#principal
    if (!this.isOpen || before === null) return
    if (principal === null) {
      this.#tellError(new TaskboardError('UNAUTHORIZED', 'the credential has ended'))
      this.end(closeCodes.unauthenticated, 'the credential has ended')
    } else if (hasSameRights(before, principal)) this.#principal = principal
    else this.end(closeCodes.forbidden, 'the credential’s rights have changed')
  }

  /** A fixed window is enough here: it is for clients that run wild. */
  #isWithinRate(): boolean {
    const { environment, settings } = this.#parts
    const now = environment.clock.now()
    if (Math.abs(now - this.#minuteStart) >= MINUTE_MS) {
      this.#minuteStart = now
      this.#receivedInMinute = 0
    }
    this.#receivedInMinute += 1
    return this.#receivedInMinute <= settings.messagesPerMinute
  }

  async #handle(text: string): Promise<void> {
    if (!this.isOpen) return
    let message: ClientMessage
    try {
      message = parseClientMessage(text)
      if (this.#principal === null && message.type !== 'auth') {
        throw new TaskboardError('UNAUTHORIZED', 'the first message must be auth')
      }
    } catch (error) {
      this.#tellError(error, requestIdOf(text) ?? undefined)
      if (this.#principal === null) this.end(closeCodes.unauthenticated, 'the first message must be auth')
      return
    }
    try {
      await this.#carryOut(message)
    } catch (error) {
      this.#tellError(error, message.request_id)
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
    const isFirst = this.#principal === null
    try {
      const principal = await this.#door.authenticate(authorization, this.#origin)
      if (!this.isOpen) return
      if (principal === null) throw this.#door.refuse(authorization, this.#origin)
      requireScope(principal, 'tasks:read')
      if (isFirst) await this.#admit(principal)
      else this.#requireSame(principal)
      if (!this.isOpen) return
      this.#principal = principal
      this.#authorization = authorization
      this.#planCheck()
      this.#answer({ type: 'auth.ok', connection_id: this.id, scopes: principal.scopes }, requestId)
    } catch (error) {
      this.#tellError(error, requestId)
      const isConflict = error instanceof TaskboardError && error.code === 'CONFLICT'
      if (!isConflict) this.end(closeCodeOf(error), 'the connection is not admitted')
    }
  }

  async #admit(principal: Principal): Promise<void> {
    const { slots } = this.#parts
    this.#timer?.cancel()
    this.#timer = null
    this.#principal = principal
    let isTaken = false
    try {
      isTaken = await slots.take(this.id, this)
    } finally {
      if (!isTaken) this.#principal = null
    }
    if (!isTaken)
      throw new TaskboardError('QUOTA_EXCEEDED', 'the account has as many connections as its tier allows')
    if (!this.isOpen) slots.release(this.id)
  }

  /** A newer credential of the same caller takes the place of the older, and the subscriptions stay. */
  #requireSame(principal: Principal): void {
    const before = this.#principal
    if (before?.id === principal.id && hasSameRights(before, principal)) return
    throw new TaskboardError('CONFLICT', 'the connection belongs to another caller, or one with other rights')
  }

  async #subscribe(name: string, message: Extract<ClientMessage, { type: 'subscribe' }>): Promise<void> {
    const { settings, subscriptions } = this.#parts
    const principal = this.#principal
    if (!this.isOpen || principal === null) return
    try {
      const channel = parseChannel(name)
      if (this.#subscriptions.some(({ channelName }) => channelName === name))
        throw new TaskboardError('CONFLICT', 'the channel is subscribed to already')
      if (this.#subscriptions.length >= settings.subscriptionsPerConnection) {
        throw new TaskboardError('QUOTA_EXCEEDED', `at most ${settings.subscriptionsPerConnection} channels`)
      }
      const { since = {} } = message
      const subscription = await subscribe(
        {
          channel,
          principal,
          subscriber: this,
          since: Object.hasOwn(since, name) ? since[name] : undefined,
          confirm: (seq) => this.#answer({ type: 'subscribed', channel: name, seq }, message.request_id),
        },
        subscriptions,
      )
      if (this.isOpen) this.#subscriptions = this.#subscriptions.concat(subscription)
      else subscription.end()
    } catch (error) {
      this.#tellError(error, message.request_id, name)
    }
  }

  #unsubscribe(name: string, requestId: string | undefined): void {
    for (const subscription of this.#subscriptions) if (subscription.channelName === name) subscription.end()
    this.#subscriptions = this.#subscriptions.filter(({ channelName }) => channelName !== name)
    this.#answer({ type: 'unsubscribed', channel: name }, requestId)
  }

  /** The log cannot be read: the client comes back with its `since`, and loses nothing. */
  failed(error: unknown, channel: string): void {
    this.#tellError(error, undefined, channel)
    this.end(closeCodes.internalError, 'the log could not be read')
  }

  sendAlone(messages: Outgoing): Promise<void> {
    return new Promise((resolve) => {
      if (this.isOpen) this.#socket.send(messages, resolve)
      else resolve()
    })
  }

  #answer(message: ServerMessage, requestId: string | undefined): void {
    if (this.isOpen) this.#socket.send(outgoing([encodeAnswer(message, requestId)]))
  }

  #tellError(error: unknown, requestId?: string, channel?: string): void {
    const { logger, newId } = this.#parts.environment
    const described = this.#door.describeError(error, requestId ?? newId('req'))
    if (described.code === 'INTERNAL_ERROR') {
      logger.error({ connection: this.id, error: errorText(error) }, 'a realtime message failed')
    }
    this.#answer(
      { type: 'error', error: described, ...(channel === undefined ? {} : { channel }) },
      requestId,
    )
  }

  #planCheck(): void {
    const now = this.#parts.environment.clock.now()
    const expiresAt = tokenExpiry(this.#authorization) ?? Infinity
    const nextAt = now + this.#parts.settings.recheckIntervalMs
    this.nextCheckAt = expiresAt > now ? Math.min(nextAt, expiresAt) : nextAt
    if (this.nextCheckAt < nextAt) this.#parts.onEarlyCheck()
  }

  #leave(): void {
    if (!this.isOpen) return
    this.nextCheckAt = Infinity
    for (const subscription of this.#subscriptions) subscription.end()
    this.#subscriptions = NO_SUBSCRIPTIONS
    if (this.#principal !== null) this.#parts.slots.release(this.id)
  }
}

function hasSameRights(before: Principal, after: Principal): boolean {
  return before === after || rightsOf(before) === rightsOf(after)
}

function rightsOf({ accountId, scopes, workspaceIds }: Principal): string {
  return JSON.stringify([
    accountId,
    scopes.toSorted(),
    workspaceIds === 'all' ? null : workspaceIds.toSorted(),
  ])
}

function closeCodeOf(error: unknown): number {
  if (!(error instanceof TaskboardError)) return closeCodes.internalError
  switch (error.code) {
    case 'UNAUTHORIZED':
    case 'RATE_LIMITED':
      return closeCodes.unauthenticated
    case 'FORBIDDEN':
      return closeCodes.forbidden
    case 'QUOTA_EXCEEDED':
      return closeCodes.tooManyConnections
    default:
      return closeCodes.internalError
  }
}
