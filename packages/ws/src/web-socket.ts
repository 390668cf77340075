import type { Duplex } from 'node:stream'
import type { Outgoing, Socket } from '@taskboard/core'
import type { WebSocket } from 'ws'

/**
 * The port over a `ws` socket that was upgraded without extensions. Messages go to the connection below it, `stream`, as the
 * frames that were made once for everybody; `ws` itself writes its pings, pongs and close frames to the same stream, each in one
 * piece and at once, so frames never mix. Where extensions were agreed on, messages go through `ws`, one frame each.
 */
export function toSocket(webSocket: WebSocket, stream: Duplex): Socket {
  return new StreamSocket(webSocket, stream)
}

class StreamSocket implements Socket {
  readonly #webSocket: WebSocket
  readonly #stream: Duplex

  constructor(webSocket: WebSocket, stream: Duplex) {
    this.#webSocket = webSocket
    this.#stream = stream
  }

  get bufferedBytes(): number {
    return this.#stream.writableLength
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
