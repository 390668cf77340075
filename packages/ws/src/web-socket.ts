import type { Duplex } from 'node:stream'
import type { Outgoing, Socket, SocketListener } from '@taskboard/core/transport'
import { WebSocket } from 'ws'

/**
 * What a `WebSocketServer` is to make its sockets of: it tells its port what happens instead of having listeners of its own, which
 * would be a tenth of what an idle connection holds.
 */
export class PortedWebSocket extends WebSocket {
  port: StreamSocket | null = null

  override emit(event: string | symbol, ...values: unknown[]): boolean {
    const isHeard = this.port?.heard(event, values) ?? false
    // An error that nobody listens for would be thrown.
    if (event === 'error' && isHeard && this.listenerCount('error') === 0) return true
    return super.emit(event, ...values) || isHeard
  }
}

/**
 * The port over a `ws` socket that was upgraded without extensions. Messages go to the connection below it, `stream`, as the
 * frames that were made once for everybody; `ws` itself writes its pings, pongs and close frames to the same stream, each in one
 * piece and at once, so frames never mix. Where extensions were agreed on, messages go through `ws`, one frame each.
 */
export class StreamSocket implements Socket {
  readonly #webSocket: PortedWebSocket
  readonly #stream: Duplex
  #listener: SocketListener | null = null

  constructor(webSocket: PortedWebSocket, stream: Duplex) {
    this.#webSocket = webSocket
    this.#stream = stream
    webSocket.port = this
  }

  get bufferedBytes(): number {
    return this.#stream.writableLength
  }

  /** Tells what comes from the socket from now on; to be called once. */
  tell(listener: SocketListener): void {
    this.#listener = listener
  }

  /** Takes an event of the WebSocket; false for one that is nobody's here. */
  heard(event: string | symbol, [data, isBinary]: readonly unknown[]): boolean {
    const listener = this.#listener
    if (listener === null) return false
    if (event === 'message') listener.received(isBinary === true ? null : textOf(data as Data))
    else if (event === 'pong') listener.ponged()
    else if (event === 'close') listener.gone()
    // Whatever is wrong with it, it closes next.
    else return event === 'error'
    return true
  }

  send(messages: Outgoing, written?: () => void): void {
    const webSocket = this.#webSocket
    if (webSocket.readyState !== webSocket.OPEN || !this.#stream.writable) written?.()
    else if (webSocket.extensions === '') this.#stream.write(messages.frames, written)
    else sendEach(webSocket, messages.texts, written)
  }

  ping(): void {
    if (this.#webSocket.readyState === this.#webSocket.OPEN) this.#webSocket.ping()
  }

  close(code: number, reason: string): void {
    this.#webSocket.close(code, reason)
  }

  terminate(): void {
    this.#webSocket.terminate()
  }
}

function sendEach(webSocket: WebSocket, texts: readonly string[], written?: () => void): void {
  const last = texts.length - 1
  for (const [index, text] of texts.entries()) webSocket.send(text, () => index === last && written?.())
}

type Data = Buffer | ArrayBuffer | Buffer[]

/** What `ws` hands on as text is valid UTF-8 in one piece, or in several when it came so. */
function textOf(data: Data): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString()
  return data instanceof ArrayBuffer ? Buffer.from(data).toString() : data.toString()
}
