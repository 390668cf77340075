import type { RealtimeTimings, WebSocketConstructor, WebSocketLike } from '../client-options.js'
import type { ServerMessage } from './messages.js'

/** How a connection closed. */
export interface ConnectionEnd {
  /** Of the close frame; 1006 without one. */
  readonly code: number
  readonly reason: string
  /** The last error of the server that wasn't about a channel. */
  readonly error: ServerMessage['error']
  /** Whether the server accepted the credential. */
  readonly wasOpen: boolean
}

export interface ConnectionOptions {
  readonly WebSocket: WebSocketConstructor
  readonly url: string
  /** Without `Bearer`. */
  readonly token: string
  readonly timings: RealtimeTimings
  /** Returns a token that is valid for longer. */
  readonly renew: (token: string) => Promise<string | null>
  readonly onOpen: () => void
  readonly onMessage: (message: ServerMessage) => void
}

const NORMAL = 1000
const ABNORMAL = 1006
/** When a token is renewed before it expires: after four fifths of its remaining time, or this long before the end. */
const RENEW_BEFORE_MS = 30_000
const LONGEST_TIMER_MS = 2 ** 31 - 1

type Timer = ReturnType<typeof setTimeout>

/** One connection, from its handshake to its end. */
export class Connection {
  readonly ended: Promise<ConnectionEnd>
  readonly #options: ConnectionOptions
  readonly #socket: WebSocketLike & { terminate?: () => void }
  #finish: (end: ConnectionEnd) => void = () => undefined
  #token: string
  #isOpen = false
  #isOver = false
  #error: ServerMessage['error']
  #silence: Timer | undefined
  #renewal: Timer | undefined

  constructor(options: ConnectionOptions) {
    this.#options = options
    this.#token = options.token
    this.ended = new Promise((resolve) => (this.#finish = resolve))
    const socket = new options.WebSocket(options.url)
    this.#socket = socket
    socket.addEventListener('open', () => this.#authenticate())
    socket.addEventListener('message', (event) => this.#receive((event as { data?: unknown }).data))
    socket.addEventListener('close', (event) => {
      const { code, reason } = event as { readonly code: number; readonly reason: string }
      this.#end(code, reason)
    })
    // `ws` says here why a handshake failed, and throws without a listener.
    socket.addEventListener('error', (event) => {
      const { message } = event as { readonly message?: string }
      if (message) this.#end(ABNORMAL, message)
    })
    this.#expectMessage()
  }

  say(message: object): void {
    if (!this.#isOver) this.#socket.send(JSON.stringify(message))
  }

  /** Stops it immediately, whether or not the server responds. */
  close(): void {
    this.#end(NORMAL, '')
  }

  #end(code: number, reason: string): void {
    if (this.#isOver) return
    this.#isOver = true
    clearTimeout(this.#silence)
    clearTimeout(this.#renewal)
    const socket = this.#socket
    // `ws` keeps a connection that does not answer for half a minute.
    if (code === ABNORMAL && socket.terminate !== undefined) socket.terminate()
    else socket.close(NORMAL)
    this.#finish({ code, reason, error: this.#error, wasOpen: this.#isOpen })
  }

  #authenticate(): void {
    this.#expectMessage()
    this.say({ type: 'auth', token: this.#token && `Bearer ${this.#token}` })
  }

  #expectMessage(): void {
    clearTimeout(this.#silence)
    if (this.#isOver) return
    const { answerMs } = this.#options.timings
    this.#silence = setTimeout(() => this.#end(ABNORMAL, 'the server does not respond'), answerMs)
  }

  #receive(text: unknown): void {
    if (this.#isOver) return
    clearTimeout(this.#silence)
    // A half-open connection receives nothing, without an error.
    this.#silence = setTimeout(() => {
      this.#expectMessage()
      this.say({ type: 'ping' })
    }, this.#options.timings.pingMs)
    try {
      this.#handle(JSON.parse(String(text)) as ServerMessage)
    } catch (fault) {
      this.#end(ABNORMAL, String(fault))
    }
  }

  #handle(message: ServerMessage): void {
    const { type, channel, error } = message
    if (type === 'auth.ok') {
      this.#planRenewal()
      if (this.#isOpen) return
      this.#isOpen = true
      this.#options.onOpen()
    } else if (type === 'error' && channel === undefined) {
      this.#error = error
      // The newer credential is another caller's, or has other rights: it needs another connection.
      if (error?.code === 'CONFLICT') this.#end(ABNORMAL, error.message)
    } else this.#options.onMessage(message)
  }

  #planRenewal(): void {
    clearTimeout(this.#renewal)
    const leftMs = expiryOf(this.#token) - Date.now()
    if (!(leftMs > 0)) return
    const waitMs = leftMs - Math.min(RENEW_BEFORE_MS, leftMs / 5)
    this.#renewal = setTimeout(() => void this.#renew(), Math.min(waitMs, LONGEST_TIMER_MS))
  }

  /** When there is no newer token, the server closes the connection in time, and the next one asks again. */
  async #renew(): Promise<void> {
    const newer = await this.#options.renew(this.#token).catch(() => null)
    if (this.#isOver || newer === null || newer === this.#token) return
    this.#token = newer
    this.#authenticate()
  }
}

/** The `exp` of a JWT as an instant of the machine's clock; NaN for anything else. */
function expiryOf(token: string): number {
  try {
    const payload = (token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/')
    return 1_000 * Number((JSON.parse(atob(payload)) as { exp?: unknown }).exp)
  } catch {
    return NaN
  }
}
