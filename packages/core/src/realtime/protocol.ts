import type { Principal, Scope } from '../access/index.js'
import type { CloseCodes } from './close-codes.js'
import type { MessageStream, StreamRequest } from './message-stream.js'
import type { Outgoing } from './outgoing.js'
import type { RealtimeSettings } from './realtime-options.js'
import type { RealtimeError } from './server-messages.js'

/**
 * What is spoken on WebSockets of one path. All share what a connection is: ten seconds to authenticate, a slot of the account's
 * tier, caps on what is said and what waits, pings, looks at the credential, and the end.
 */
export interface RealtimeProtocol {
  /** Where it is spoken, with the task board's own prefix. */
  readonly path: string
  /** Names by which clients ask for it (RFC 6455, 1.9), the best first; with none they need not. */
  readonly subprotocols: readonly string[]
  readonly closeCodes: CloseCodes
  /** Begins on a new connection, of which nothing is known yet. */
  open(connection: RealtimeConnection): Conversation
}

/** One connection's end of a protocol. */
export interface Conversation {
  /** Takes a message, while others may still be under way. What it rejects with is logged, and ends the connection. */
  received(text: string): Promise<void> | undefined
  /** Says why the connection is about to be ended, where the protocol has words for it. */
  explain?(error: unknown): void
  /** The connection has ended: nothing can be said any more, and what was opened on it is to be closed. Called once. */
  ended(): Promise<void> | undefined
}

/** What is known of the request that a socket came by. */
export interface Origin {
  readonly clientAddress: string
  /** The origin that the client addressed, when more is known of it than the `host` header: `https://example.com`. */
  readonly targetOrigin?: string | undefined
  header(name: string): string | undefined
}

/** A connection as its protocol sees it. */
export interface RealtimeConnection {
  readonly id: string
  readonly origin: Origin
  readonly settings: RealtimeSettings
  /** Whether anything can still be said. */
  readonly isOpen: boolean
  /** Whose it is, as of the last look; null before `admit`. */
  readonly principal: Principal | null
  /**
   * Judges a credential. The first that holds makes the connection the caller's, and takes a slot of the account; a later one takes
   * its place.
   * @throws TaskboardError `UNAUTHORIZED`, `RATE_LIMITED`; `FORBIDDEN` without the scope; `QUOTA_EXCEEDED` when the account has as
   * many connections as it may; `CONFLICT` for another caller's, or one with other rights; `SERVICE_UNAVAILABLE`.
   */
  admit(authorization: string, scope?: Scope): Promise<Principal>
  /** Looks at the credential now; null when the connection has ended, by that or before. While it cannot be looked at, it holds. */
  recheck(): Promise<Principal | null>
  /**
   * Sends messages, or ends the connection when too much waits already. Resolves when they have left the process's memory, or never
   * will.
   */
  send(messages: Outgoing): Promise<void>
  /** As `send`, where nobody waits. */
  broadcast(messages: Outgoing): void
  /**
   * Subscribes to a channel. What waits in all of a connection's streams counts as what waits for its peer. A stream that is not
   * read to its end is to be returned.
   * @throws TaskboardError `FORBIDDEN`, `NOT_FOUND` and `INVALID_FIELD` (`channels`), `INVALID_FIELD` (`since`).
   */
  openStream(request: StreamRequest): Promise<MessageStream>
  /** What may be told of an error, in the form of the enterprise API. A fault of this side is logged, and told without detail. */
  describe(error: unknown, requestId?: string): RealtimeError
  /** Ends the connection for an error that `admit` threw, with the number that the protocol has for that. */
  refuse(error: unknown, reason: string): void
  /** Ends the connection. Reasons of more than 123 bytes are left out. */
  end(code: number, reason: string): void
}
