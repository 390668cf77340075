import type { Duplex } from 'node:stream'
import type { EncodedFrames, Socket, SocketListener } from '@taskboard/core/transport'
import { WebSocket } from 'ws'

/**
 * The socket class for a `WebSocketServer`. It passes events to its port instead of having listeners, which would be a tenth of the
 * memory of an idle connection.
 */
export class PortedWebSocket extends WebSocket {
  port: StreamSocket | null = null

  override emit(event: string | symbol, ...values: unknown[]): boolean {
    const isHeard = this.port?.heard(event, values) ?? false
    // An error without a listener would be thrown.
    if (event === 'error' && isHeard && this.listenerCount('error') === 0) return true
    return super.emit(event, ...values) || isHeard
  }
}

/**
 * The port over a `ws` socket. Without extensions, messages go to the connection below it, `stream`, as frames that were built once
 * for all clients. `ws` writes its pings, pongs and close frames to the same stream, each whole and immediately, so frames never mix.
 * With extensions, messages go through `ws`, one frame each.
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

  /** Starts to report what comes from the socket. Call it once. */
  setListener(listener: SocketListener): void {
    this.#listener = listener
  }

  /** Handles an event of the WebSocket; false for one that the port doesn't use. */
  heard(event: string | symbol, [data, isBinary]: readonly unknown[]): boolean {
    const listener = this.#listener
    if (listener === null) return false
    if (event === 'message') listener.received(isBinary === true ? null : textOf(data as Data))
    else if (event === 'pong') listener.ponged()
    else if (event === 'close') listener.gone()
    // After any error it closes next.
    else return event === 'error'
    return true
  }

  send(messages: EncodedFrames, written?: () => void): void {
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

/** `ws` delivers text as valid UTF-8, in one piece or in several. */
function textOf(data: Data): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString()
  return data instanceof ArrayBuffer ? Buffer.from(data).toString() : data.toString()
}
