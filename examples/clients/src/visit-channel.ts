import { WebSocket } from 'ws'
import type { RealtimeError, RealtimeMessage } from './realtime-message.js'
import type { ServerAccess } from './server-access.js'

export interface ChannelVisit {
  readonly access: ServerAccess
  readonly channel: string
  /** The message after which to resume; null for the end of the log. */
  readonly since: number | null
  /** Called with each message from `subscribed` on. */
  readonly onMessage: (message: RealtimeMessage) => void
  /** Ends the visit. */
  readonly signal: AbortSignal
}

/** How a connection ended. */
export interface VisitEnd {
  /** Of the close frame; 1006 without one. */
  readonly code: number
  readonly reason: string
  /** The last error of the server, or null. */
  readonly error: RealtimeError | null
}

const HANDSHAKE_TIMEOUT_MS = 10_000
/** The server pings every 30 s. A client that received nothing for two of these is cut off without a close frame. */
const SILENCE_MS = 75_000
const NORMAL = 1000

/** One connection: authenticates, subscribes, and passes messages on. Resolves when the connection has ended in any way. */
export function visitChannel({ access, channel, since, onMessage, signal }: ChannelVisit): Promise<VisitEnd> {
  return new Promise((resolve) => {
    const socket = new WebSocket(`${access.url.replace(/^http/, 'ws')}/v2/realtime`, {
      handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
      perMessageDeflate: false,
    })
    const silence = setTimeout(() => socket.terminate(), SILENCE_MS)
    const leave = (): void => socket.close(NORMAL)
    signal.addEventListener('abort', leave)
    let error: RealtimeError | null = null
    let fault = ''

    const say = (message: object): void => socket.send(JSON.stringify(message))
    socket.on('open', () => say({ type: 'auth', token: `Bearer ${access.key}` }))
    socket.on('ping', () => silence.refresh())
    socket.on('message', (bytes: Buffer) => {
      silence.refresh()
      const message = JSON.parse(bytes.toString()) as RealtimeMessage
      if (message.type === 'auth.ok') {
        say({
          type: 'subscribe',
          channels: [channel],
          ...(since !== null && { since: { [channel]: since } }),
        })
      } else if (message.type === 'error') {
        error = message.error ?? null
        // Without its only channel the connection is useless.
        if (message.channel === channel) leave()
      } else onMessage(message)
    })
    socket.on('error', ({ message }) => (fault = message))
    socket.on('close', (code, reason) => {
      clearTimeout(silence)
      signal.removeEventListener('abort', leave)
      resolve({ code, reason: error?.message ?? (reason.toString() || fault), error })
    })
  })
}
