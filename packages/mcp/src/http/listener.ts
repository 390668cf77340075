import {
  closeCodes,
  realtimeEndpoint,
  type ChannelMessage,
  type MessageStream,
  type Origin,
  type RealtimeConnection,
  type RealtimeProtocol,
  type Socket,
  type SocketListener,
  type TransportServices,
} from '@taskboard/core/transport'
import type { HttpRequest } from '@taskboard/core/transport'

/** A caller's events, on a connection of the realtime channel: with its limits, its reach and the checks of its credential. */
export interface Listening {
  readonly events: MessageStream
  close(): void
}

/** Opens the events of a request's caller. `onEnd` is called once the connection has closed, for any reason. */
export type Listen = (request: HttpRequest, onEnd: () => void) => Promise<Listening>

/** @throws what the realtime channel throws: `QUOTA_EXCEEDED`, `FORBIDDEN`, `SERVICE_UNAVAILABLE`, `UNAUTHORIZED`. */
export function createListen(taskboard: { readonly services: TransportServices }, path: string): Listen {
  const opened = new WeakMap<Origin, RealtimeConnection>()
  const protocol: RealtimeProtocol = {
    path,
    subprotocols: [],
    closeCodes,
    isForCallers: true,
    open(connection) {
      opened.set(connection.origin, connection)
      return { received: () => undefined, ended: () => undefined }
    },
  }
  const endpoint = realtimeEndpoint(taskboard)

  return async (request, onEnd) => {
    const { clientAddress, targetOrigin, raw } = request
    const origin: Origin = { clientAddress, targetOrigin, raw, header: (name) => request.header(name) }
    const socket = silentSocket(onEnd)
    socket.listener = endpoint.connect(socket, origin, protocol)
    const connection = opened.get(origin)
    if (connection === undefined) throw new TypeError('the connection has not opened')
    const close = () => connection.end(closeCodes.goingAway, 'the client has left')
    try {
      await connection.admit(request.header('authorization') ?? '', 'tasks:read')
      const events = await connection.openStream({ channel: 'tasks', isWanted: isChange })
      return { events, close }
    } catch (error) {
      close()
      throw error
    }
  }
}

function isChange({ type }: ChannelMessage): boolean {
  return type !== 'subscribed' && type !== 'task.log'
}

/** A socket whose peer is the process itself: events are read as a stream, and nothing else is sent. */
function silentSocket(onEnd: () => void): Socket & { listener: SocketListener | null } {
  let isClosed = false
  const socket = {
    listener: null as SocketListener | null,
    bufferedBytes: 0,
    send: (_: unknown, written?: () => void) => written?.(),
    ping: () => queueMicrotask(() => socket.listener?.ponged()),
    close: () => socket.terminate(),
    terminate() {
      if (isClosed) return
      isClosed = true
      queueMicrotask(() => {
        socket.listener?.gone()
        onEnd()
      })
    },
  }
  return socket
}
