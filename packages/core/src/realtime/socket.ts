import type { Outgoing } from './outgoing.js'

/** What the realtime channel needs of one WebSocket. Nothing of it throws, also when the socket has gone. */
export interface Socket {
  /**
   * Sends messages in order, each whole, or none of them any more once the socket is closing. `written` is called when they
   * have left the process's memory, or never will.
   */
  send(messages: Outgoing, written?: () => void): void
  /** Sends a ping. Its pong, or anything else from the peer, is told to `SocketListener`. */
  ping(): void
  /** Begins the closing handshake. */
  close(code: number, reason: string): void
  /** Ends it at once, without a word. */
  terminate(): void
  /** How many bytes wait in this process because the peer does not read. */
  readonly bufferedBytes: number
}

/** Whom the adapter tells what comes from a socket. */
export interface SocketListener {
  /** A message: its text, or null for a binary one. */
  received(text: string | null): void
  ponged(): void
  /** The socket has gone, for whatever reason. Called once. */
  gone(): void
}
