import { TaskboardError } from '../errors/index.js'

/** Why the server ends a connection, as the code of its close frame. `docs/realtime-protocol.md` says what to do about each. */
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

/** The reason why a connection is not admitted, by error code. */
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
