import type { EncodedFrames } from './encoded-frames.js'

/** What the realtime channel needs of one WebSocket. No method throws, even when the socket has closed. */
export interface Socket {
  /**
   * Sends messages in order, each whole, and none once the socket is closing. `written` is called when they have left the
   * process's memory, or can't be sent any more.
   */
  send(messages: EncodedFrames, written?: () => void): void
  /** Sends a ping. `SocketListener` receives its pong, and anything else from the peer. */
  ping(): void
  /** Starts the closing handshake. */
  close(code: number, reason: string): void
  /** Stops it immediately, without a handshake. */
  terminate(): void
  /** How many bytes wait in this process because the peer doesn't read. */
  readonly bufferedBytes: number
}

/** Receives from the adapter what comes from a socket. */
export interface SocketListener {
  /** A message: its text, or null for a binary one. */
  received(text: string | null): void
  ponged(): void
  /** The socket has closed, for any reason. Called once. */
  gone(): void
}
