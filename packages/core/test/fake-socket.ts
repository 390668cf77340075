import type { EncodedFrames, Socket, SocketListener } from '../src/entries/transport.js'

/** A socket without a network that behaves like an adapter's. */
export interface FakeSocket extends Socket {
  readonly heard: Record<string, unknown>[]
  readonly closes: number[]
  bufferedBytes: number
  pings: number
  isTerminated: boolean
  listener: SocketListener
  say(message: unknown): void
}

export function fakeSocket(connect: (socket: Socket) => SocketListener): FakeSocket {
  const socket: FakeSocket = {
    heard: [],
    closes: [],
    pings: 0,
    isTerminated: false,
    bufferedBytes: 0,
    listener: { received: () => undefined, ponged: () => undefined, gone: () => undefined },
    send({ texts }: EncodedFrames, written) {
      socket.heard.push(...texts.map((text) => JSON.parse(text) as Record<string, unknown>))
      written?.()
    },
    ping: () => void (socket.pings += 1),
    close: (code) => void socket.closes.push(code),
    terminate() {
      socket.isTerminated = true
      socket.listener.gone()
    },
    say: (message) => socket.listener.received(JSON.stringify(message)),
  }
  socket.listener = connect(socket)
  return socket
}
