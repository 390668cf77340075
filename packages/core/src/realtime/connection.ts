import { type Principal, requireScope, type Scope } from '../access/index.js'
import { type Environment, type Instant, type Timer, tracked } from '../environment/index.js'
import { TaskboardError } from '../errors/index.js'
import type { Tiers } from '../limits/index.js'
import { parseTopic } from './topics.js'
import { authTimeoutMs, type Newcomer } from './newcomers.js'
import {
  type MessageStream,
  type StreamHolder,
  type StreamRequest,
  WaitingMessages,
} from './message-stream.js'
import { commonTime, hasSamePermissions, type Recheck, tokenExpiry } from './credential-checks.js'
import type { EncodedFrames } from './encoded-frames.js'
import {
  closeCodeOf,
  type Conversation,
  type Origin,
  type RealtimeConnection,
  type RealtimeProtocol,
} from './protocol.js'
import type { RealtimeSettings } from './realtime-options.js'
import type { RealtimeError } from './server-messages.js'
import type { SlotOwner, Slots } from './slots.js'
import type { Socket, SocketListener } from './socket.js'
import { subscribe } from './subscribe.js'
import type { SubscriptionDeps } from './subscription.js'

/** Checks the credentials of a connection. */
export interface ConnectionAuthenticator {
  /** @throws TaskboardError `SERVICE_UNAVAILABLE`. */
  authenticate(authorization: string, origin: Origin): Principal | null | Promise<Principal | null>
  /** How to check a valid credential again. */
  recheck(authorization: string): Recheck
  /** The error for a credential that isn't valid. */
  refuse(authorization: string, origin: Origin): TaskboardError
  /** Any thrown value, as clients may see it. */
  describeError(error: unknown, requestId: string): RealtimeError
}

interface ConnectionDeps {
  readonly environment: Environment
  readonly settings: RealtimeSettings
  readonly tiers: Tiers
  readonly slots: Slots
  readonly subscriptions: SubscriptionDeps
  /** Called when a credential must be checked before the interval is over. */
  readonly onEarlyCheck: () => void
  /** Called when the socket has closed. */
  readonly onGone: (connection: Connection) => void
}

interface ConnectionTerms {
  readonly door: ConnectionAuthenticator
  readonly protocol: RealtimeProtocol
  /** Its place among those without a credential; null without one. */
  readonly newcomer: Newcomer | null
  readonly deps: ConnectionDeps
}

const MINUTE_MS = 60_000
/** How long the closing handshake may take. */
const CLOSE_GRACE_MS = 5_000
/** The most bytes of a reason in a close frame (RFC 6455, 5.5 and 5.5.1). */
const LONGEST_REASON_BYTES = 123

/** One client of any protocol, from its upgrade to its end. Many are idle, so each one holds little. */
export class Connection implements RealtimeConnection, SocketListener, SlotOwner, StreamHolder {
  readonly id: string
  readonly origin: Origin
  /** When the credential is next checked. */
  nextCheckAt: Instant = Infinity
  /** How long after the previous check that is, at most. */
  checkIntervalMs = 0
  readonly #socket: Socket
  readonly #door: ConnectionAuthenticator
  readonly #protocol: RealtimeProtocol
  readonly #deps: ConnectionDeps
  readonly #conversation: Conversation
  /** Null once it is admitted. */
  #newcomer: Newcomer | null
  #state: 'open' | 'closing' | 'gone' = 'open'
  #principal: Principal | null = null
  #authorization = ''
  #readsOrigin = true
  #timer: Timer | null
  #isAlive = true
  #minute = 0
  #receivedInMinute = 0
  #heldCharacters = 0

  constructor(socket: Socket, origin: Origin, { door, protocol, newcomer, deps }: ConnectionTerms) {
    const { clock, newId } = deps.environment
    this.id = newId('conn')
    this.origin = origin
    this.#socket = socket
    this.#door = door
    this.#protocol = protocol
    this.#deps = deps
    this.#newcomer = newcomer
    this.#timer = clock.setTimer(
      () => this.end(protocol.closeCodes.authTimeout, 'timed out waiting for a credential'),
      authTimeoutMs,
    )
    this.#conversation = protocol.open(this)
  }

  get accountId(): string {
    return this.#principal?.accountId ?? ''
  }

  get limit(): number | null {
    return this.#principal === null ? 0 : this.#deps.tiers[this.#principal.tier].webSocketConnections
  }

  get isOpen(): boolean {
    return this.#state === 'open'
  }

  get principal(): Principal | null {
    return this.#principal
  }

  get settings(): RealtimeSettings {
    return this.#deps.settings
  }

  received(text: string | null): void {
    if (!this.isOpen) return
    const { closeCodes } = this.#protocol
    this.#isAlive = true
    if (text === null) return this.end(closeCodes.unsupportedData, 'messages must be JSON text')
    if (!this.#isWithinRate()) {
      const reason = 'too many messages in a minute'
      return this.#endFor(new TaskboardError('RATE_LIMITED', reason), closeCodes.tooManyMessages)
    }
    const handled = this.#conversation.received(text)
    handled?.catch((error: unknown) => this.#fail(error))
  }

  ponged(): void {
    this.#isAlive = true
  }

  gone(): void {
    if (this.#state === 'gone') return
    this.#leave('gone')
    this.#timer?.cancel()
    this.#timer = null
    this.#newcomer?.gone()
    this.#deps.onGone(this)
  }

  broadcast(messages: EncodedFrames): void {
    if (this.#canTake()) this.#socket.send(messages)
  }

  send(messages: EncodedFrames): Promise<void> {
    if (!this.#canTake()) return Promise.resolve()
    return new Promise((resolve) => this.#socket.send(messages, resolve))
  }

  hold(characters: number): void {
    this.#heldCharacters += characters
    this.#canTake()
  }

  /** Closes the connection because the server closes. */
  leave(reason = 'the server closes'): void {
    this.end(this.#protocol.closeCodes.goingAway, reason)
  }

  cameBy(door: ConnectionAuthenticator): boolean {
    return this.#door === door
  }

  evicted(): void {
    this.end(this.#protocol.closeCodes.tooManyConnections, 'the account has too many connections')
  }

  refuse(error: unknown, reason: string): void {
    this.end(closeCodeOf(error, this.#protocol.closeCodes), reason)
  }

  /** Starts the close: no more messages are sent, and the peer has a few seconds to respond. */
  end(code: number, reason: string): void {
    if (!this.isOpen) return
    this.#leave('closing')
    this.#timer?.cancel()
    this.#timer = this.#deps.environment.clock.setTimer(() => this.#socket.terminate(), CLOSE_GRACE_MS)
    this.#socket.close(code, Buffer.byteLength(reason) > LONGEST_REASON_BYTES ? '' : reason)
  }

  terminate(): void {
    this.#socket.terminate()
  }

  /** Closes a peer that has sent nothing since the last beat. */
  beat(): void {
    if (!this.isOpen) return
    if (!this.#isAlive) return this.#socket.terminate()
    this.#isAlive = false
    this.#socket.ping()
  }

  /** The credential, when its check is one for all connections with it. */
  get sharedCredential(): string | null {
    return this.#readsOrigin ? null : this.#authorization
  }

  /** Checks `alike` as well, connections with the same `sharedCredential`. */
  async recheck(alike: readonly Connection[] = []): Promise<Principal | null> {
    this.#planCheck()
    for (const other of alike) other.#planCheck()
    const authorization = this.#authorization
    let after: Principal | null
    try {
      after = await this.#door.authenticate(authorization, this.origin)
    } catch (error) {
      this.#deps.environment.logger.warn({ err: error }, 'could not recheck a credential')
      return this.isOpen ? this.#principal : null
    }
    for (const other of alike) other.#checked(authorization, after)
    return this.#checked(authorization, after)
  }

  #checked(authorization: string, after: Principal | null): Principal | null {
    const before = this.#principal
    if (!this.isOpen || before === null) return null
    // A newer credential arrived meanwhile, so the end of the older one does not matter.
    if (authorization !== this.#authorization) return before
    const { closeCodes } = this.#protocol
    if (after === null) {
      const reason = 'the credential expired or was revoked'
      this.#endFor(new TaskboardError('UNAUTHORIZED', reason), closeCodes.unauthenticated)
    } else if (hasSamePermissions(before, after)) this.#principal = after
    else this.end(closeCodes.forbidden, 'the credential’s rights have changed')
    return this.isOpen ? this.#principal : null
  }

  admit(authorization: string, scope?: Scope): Promise<Principal> {
    return tracked(this.#deps.environment.clock, 'realtime', () => this.#admit(authorization, scope))
  }

  async openStream(request: StreamRequest): Promise<MessageStream> {
    const topic = parseTopic(request.channel)
    const principal = this.#principal
    if (principal === null) throw new TaskboardError('UNAUTHORIZED', 'the connection has no caller')
    const stream = new WaitingMessages(this, request)
    const subscription = await subscribe(
      {
        topic,
        principal,
        subscriber: stream,
        since: request.since,
        confirm: (seq) => stream.add({ type: 'subscribed', channel: topic.name, seq }, 0),
      },
      this.#deps.subscriptions,
    )
    stream.follow(subscription)
    return stream
  }

  /** The log can't be read: the client reconnects where it was and misses nothing. */
  failed(error: unknown): void {
    this.describe(error)
    this.end(this.#protocol.closeCodes.internalError, 'the log could not be read')
  }

  describe(error: unknown, requestId?: string): RealtimeError {
    const { logger, newId } = this.#deps.environment
    const described = this.#door.describeError(error, requestId ?? newId('req'))
    if (described.code === 'INTERNAL_ERROR') {
      logger.error({ connection: this.id, err: error }, 'a realtime message failed')
    }
    return described
  }

  /** Whole minutes of the clock are exact enough to stop a runaway client. */
  #isWithinRate(): boolean {
    const { environment, settings } = this.#deps
    const now = environment.clock.now()
    const minute = Math.floor(now / MINUTE_MS)
    if (minute !== this.#minute) {
      this.#minute = minute
      this.#receivedInMinute = 0
    }
    this.#receivedInMinute += 1
    return this.#receivedInMinute <= settings.messagesPerMinute
  }

  /** False when too much waits for the peer; the connection then closes. */
  #canTake(): boolean {
    if (!this.isOpen) return false
    const waiting = this.#socket.bufferedBytes + this.#heldCharacters
    if (waiting <= this.#deps.settings.bufferLimitBytes) return true
    this.end(this.#protocol.closeCodes.tooSlow, 'messages are read too slowly')
    return false
  }

  async #admit(authorization: string, scope: Scope | undefined): Promise<Principal> {
    const before = this.#principal
    const principal = await this.#door.authenticate(authorization, this.origin)
    this.#requireOpen()
    if (principal === null) throw this.#door.refuse(authorization, this.origin)
    if (scope !== undefined) requireScope(principal, scope)
    if (before === null) await this.#takeSlot(principal)
    else requireSame(before, principal)
    this.#requireOpen()
    this.#principal = principal
    this.#authorization = authorization
    this.#newcomer?.admitted()
    this.#newcomer = null
    this.#planCheck()
    return principal
  }

  #requireOpen(): void {
    if (!this.isOpen) throw new TaskboardError('CONFLICT', 'the connection is closed')
  }

  async #takeSlot(principal: Principal): Promise<void> {
    const { slots } = this.#deps
    this.#timer?.cancel()
    this.#timer = null
    this.#principal = principal
    let isTaken = false
    try {
      isTaken = await slots.take(this.id, this)
    } finally {
      if (!isTaken) this.#principal = null
    }
    if (!isTaken) {
      this.#deps.environment.telemetry?.measure({ kind: 'refusal', limit: 'connections' })
      throw new TaskboardError('QUOTA_EXCEEDED', 'the account has as many connections as its tier allows')
    }
    if (!this.isOpen) slots.release(this.id)
  }

  /** Closes for an error that the protocol may describe first. */
  #endFor(error: TaskboardError, code: number): void {
    this.#conversation.explain?.(error)
    this.end(code, error.message)
  }

  #fail(error: unknown): void {
    this.describe(error)
    this.end(this.#protocol.closeCodes.internalError, 'failed to handle a message')
  }

  #planCheck(): void {
    const now = this.#deps.environment.clock.now()
    const expiresAt = tokenExpiry(this.#authorization) ?? Infinity
    const { intervalMs, readsOrigin } = this.#door.recheck(this.#authorization)
    this.checkIntervalMs = intervalMs
    this.#readsOrigin = readsOrigin
    const nextAt = commonTime(now + intervalMs, intervalMs)
    this.nextCheckAt = expiresAt > now ? Math.min(nextAt, expiresAt) : nextAt
    if (this.nextCheckAt < nextAt) this.#deps.onEarlyCheck()
  }

  #leave(to: 'closing' | 'gone'): void {
    const wasOpen = this.isOpen
    this.#state = to
    if (!wasOpen) return
    this.nextCheckAt = Infinity
    const ended = this.#conversation.ended()
    ended?.catch((error: unknown) => this.describe(error))
    if (this.#principal !== null) this.#deps.slots.release(this.id)
  }
}

/** A newer credential of the same caller replaces the older one. Open subscriptions stay. */
function requireSame(before: Principal, after: Principal): void {
  if (before.id === after.id && hasSamePermissions(before, after)) return
  throw new TaskboardError(
    'CONFLICT',
    'the connection belongs to another caller, or to one with other rights; open a new connection',
  )
}
