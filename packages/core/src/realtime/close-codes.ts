import { TaskboardError } from '../errors/index.js'

/** Why the server ends a connection, as the code of its close frame. `docs/realtime-protocol.md` says what to do about each. */
export const closeCodes = {
  /** The process ends; another one, or the next, goes on. */
  goingAway: 1001,
  /** A binary message. */
  unsupportedData: 1003,
  /** A fault on this side. */
  internalError: 1011,
  /** No valid credential, or one that has ended. */
  unauthenticated: 4401,
  /** The credential lacks the scope, or its rights have changed since. */
  forbidden: 4403,
  /** None of the protocol's subprotocols was asked for. */
  unsupportedSubprotocol: 4406,
  /** No credential within the time. */
  authTimeout: 4408,
  /** The peer reads more slowly than it is told. */
  tooSlow: 4409,
  /** The account has as many connections as its tier allows. */
  tooManyConnections: 4429,
  /** More messages in a minute than are taken. */
  tooManyMessages: 4430,
} as const

/** A number for each reason. Protocols of others have their own. */
export type CloseCodes = Readonly<Record<keyof typeof closeCodes, number>>

/** Why a connection is not admitted, by the error that says so. */
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
