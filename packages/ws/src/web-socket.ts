import type { Duplex } from 'node:stream'
import type { Outgoing, Socket, SocketListener } from '@taskboard/core'
import { WebSocket } from 'ws'

/** What a `WebSocketServer` is to make its sockets of: one that knows its port, so that all of them share their event listeners. */
export class PortedWebSocket extends WebSocket {
  port: StreamSocket | null = null
}

/**
 * The port over a `ws` socket that was upgraded without extensions. Messages go to the connection below it, `stream`, as the
 * frames that were made once for everybody; `ws` itself writes its pings, pongs and close frames to the same stream, each in one
 * piece and at once, so frames never mix. Where extensions were agreed on, messages go through `ws`, one frame each.
 */
export class StreamSocket implements Socket {
  readonly #webSocket: PortedWebSocket
  readonly #stream: Duplex
  readonly #all: Set<StreamSocket>
  #listener: SocketListener | null = null

  /** `all` has this one until it closes. */
  constructor(webSocket: PortedWebSocket, stream: Duplex, all: Set<StreamSocket>) {
    this.#webSocket = webSocket
    this.#stream = stream
    this.#all = all
    webSocket.port = this
    all.add(this)
  }

  get bufferedBytes(): number {
    return this.#stream.writableLength
  }

  /** Tells what comes from the socket from now on; to be called once. */
  tell(listener: SocketListener): void {
    this.#listener = listener
    this.#webSocket.on('message', onMessage).on('pong', onPong).on('close', onClose).on('error', onError)
  }

  received(text: string | null): void {
    this.#listener?.received(text)
  }

  ponged(): void {
    this.#listener?.ponged()
  }

  closed(): void {
    this.#all.delete(this)
    this.#listener?.gone()
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

function onMessage(this: WebSocket, data: Data, isBinary: boolean): void {
  portOf(this)?.received(isBinary ? null : textOf(data))
}

function onPong(this: WebSocket): void {
  portOf(this)?.ponged()
}

function onClose(this: WebSocket): void {
  portOf(this)?.closed()
}

/** Whatever is wrong with it, it closes next. */
function onError(): void {}

function portOf(webSocket: WebSocket): StreamSocket | null {
  return webSocket instanceof PortedWebSocket ? webSocket.port : null
}

/** What `ws` hands on as text is valid UTF-8 in one piece, or in several when it came so. */
function textOf(data: Data): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString()
  return data instanceof ArrayBuffer ? Buffer.from(data).toString() : data.toString()
}
