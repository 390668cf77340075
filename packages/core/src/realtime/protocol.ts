import type { Principal, Scope } from '../access/index.js'
import { TaskboardError } from '../errors/index.js'
import type { MessageStream, StreamRequest } from './message-stream.js'
import type { EncodedFrames } from './encoded-frames.js'
import type { RealtimeSettings } from './realtime-options.js'
import type { RealtimeError } from './server-messages.js'

/** Why the server exits a connection, as the code of its close frame. `docs/realtime-protocol.md` says what to do about each. */
export const closeCodes = {
  /** The process shuts down. Reconnect: another process, or the next one, takes over. */
  goingAway: 1001,
  /** A binary message. */
  unsupportedData: 1003,
  /** An internal error. */
  internalError: 1011,
  /** No valid credential, or an expired or revoked one. */
  unauthenticated: 4401,
  /** The credential lacks the scope, or its rights have changed since. */
  forbidden: 4403,
  /** The client offered none of the protocol's subprotocols. */
  unsupportedSubprotocol: 4406,
  /** No credential in time. */
  authTimeout: 4408,
  /** The peer reads more slowly than messages arrive. */
  tooSlow: 4409,
  /** The account has as many connections as its tier allows. */
  tooManyConnections: 4429,
  /** More messages in a minute than the limit. */
  tooManyMessages: 4430,
} as const

/** A number for each reason. Other protocols have their own. */
export type CloseCodes = Readonly<Record<keyof typeof closeCodes, number>>

/** The reason why a connection isn't admitted, by error code. */
export function closeCodeOf(error: unknown, codes: CloseCodes): number {
  if (!(error instanceof TaskboardError)) return codes.internalError
  switch (error.code) {
    case 'UNAUTHORIZED':
    case 'RATE_LIMITED':
      return codes.unauthenticated
    case 'FORBIDDEN':
      return codes.forbidden
    case 'QUOTA_EXCEEDED':
      return codes.tooManyConnections
    default:
      return codes.internalError
  }
}

/**
 * A protocol on the WebSockets of one path. All protocols share the connection: ten seconds to authenticate, a slot of the account's tier,
 * and caps on messages and waiting bytes. They also share pings, checks of the credential, and the close.
 */
export interface RealtimeProtocol {
  /** Its path, with the task board's own prefix. */
  readonly path: string
  /** Its subprotocol names (RFC 6455, 1.9), the best first. When empty, clients need not name one. */
  readonly subprotocols: readonly string[]
  readonly closeCodes: CloseCodes
  /**
   * Its connections are opened for requests whose credential is valid, and call `admit` immediately. They don't count among connections
   * without a credential.
   */
  readonly isForCallers?: boolean | undefined
  /** Starts on a new connection that hasn't authenticated yet. */
  open(connection: RealtimeConnection): Conversation
}

/** One connection's end of a protocol. */
export interface Conversation {
  /** Handles a message; earlier ones may still be in progress. A rejection is logged and closes the connection. */
  received(text: string): Promise<void> | undefined
  /** Sends the reason for the coming end, if the protocol has a message for it. */
  explain?(error: unknown): void
  /** The connection has closed: no more messages can be sent, and everything opened on it must be closed. Called once. */
  ended(): Promise<void> | undefined
}

/** The upgrade request of a socket. */
export interface Origin {
  readonly clientAddress: string
  /** The origin that the client addressed, when more is known of it than the `host` header: `https://example.com`. */
  readonly targetOrigin?: string | undefined
  /** The upgrade request, or the one that opened a stream, as the framework has it: `CredentialRequest.raw` for the host's login. */
  readonly raw?: unknown
  header(name: string): string | undefined
}

/** A connection as its protocol sees it. */
export interface RealtimeConnection {
  readonly id: string
  readonly origin: Origin
  readonly settings: RealtimeSettings
  /** Whether messages can still be sent. */
  readonly isOpen: boolean
  /** The caller, as of the last check; null before `admit`. */
  readonly principal: Principal | null
  /**
   * Checks a credential. The first valid one assigns the connection to its caller and takes a slot of the account. A later one
   * replaces it.
   * @throws TaskboardError `UNAUTHORIZED`, `RATE_LIMITED`; `FORBIDDEN` without the scope; `QUOTA_EXCEEDED` when the account has as many
   * connections as it may. `CONFLICT` for another caller, or one with other rights; `SERVICE_UNAVAILABLE`.
   */
  admit(authorization: string, scope?: Scope): Promise<Principal>
  /** Checks the credential now; null when the connection has closed, by this check or before. A credential that can't be checked stays valid. */
  recheck(): Promise<Principal | null>
  /**
   * Sends messages, or closes the connection when too much waits already. Resolves when they have left the process's memory, or
   * can't be sent any more.
   */
  send(messages: EncodedFrames): Promise<void>
  /** As `send`, without waiting. */
  broadcast(messages: EncodedFrames): void
  /**
   * Subscribes to a channel. Messages that wait in a connection's streams count as waiting for its peer. Return a stream that you don't
   * read to its end.
   * @throws TaskboardError `FORBIDDEN`, `NOT_FOUND` and `INVALID_FIELD` (`channels`), `INVALID_FIELD` (`since`).
   */
  openStream(request: StreamRequest): Promise<MessageStream>
  /** The public part of an error, in the form of API v2. An internal error is logged and returned without detail. */
  describe(error: unknown, requestId?: string): RealtimeError
  /** Closes the connection for an error that `admit` threw, with the protocol's close code for it. */
  refuse(error: unknown, reason: string): void
  /** Closes the connection. Reasons of more than 123 bytes are left out. */
  end(code: number, reason: string): void
}
