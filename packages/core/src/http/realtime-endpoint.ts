import type { Doorkeeper, Origin, RealtimeProtocol, Socket, SocketListener } from '../realtime/index.js'
import type { CredentialRequest, Surface } from '../surface.js'
import { enterpriseErrorEnvelope } from './enterprise-envelope.js'

/** Where WebSocket adapters bring their sockets. */
export interface RealtimeEndpoint {
  /** The documented channel. */
  readonly channel: RealtimeProtocol
  /** The largest message that a client may send, in bytes. */
  readonly messageLimitBytes: number
  /** Whether the headers of an origin are asked for on the channel. Where they are not, there is no need to keep them. */
  readonly readsHeaders: boolean
  /** Whether sockets are taken now: between `start` and `close` of the task board. */
  readonly isOpen: boolean
  /**
   * Takes a socket that was upgraded for a request, which is kept as long, to speak a protocol on it. What comes from it is to be
   * told to the listener.
   * @throws TaskboardError `SERVICE_UNAVAILABLE` while `isOpen` is false.
   */
  connect(socket: Socket, origin: Origin, protocol: RealtimeProtocol): SocketListener
  /** Ends (1001) the connections that came by this endpoint. */
  leave(reason: string): void
}

/** The realtime channel of a task board as a transport sees it, with the errors of the enterprise API. */
export function realtimeEndpoint({ surface }: { readonly surface: Surface }): RealtimeEndpoint {
  const { realtime, paths } = surface
  const doors = new Map<RealtimeProtocol, Doorkeeper>()

  function doorOf(protocol: RealtimeProtocol): Doorkeeper {
    const door = doors.get(protocol) ?? createDoor(surface, protocol.path)
    doors.set(protocol, door)
    return door
  }

  return {
    channel: realtime.channel(`${paths.enterprise}/realtime`),
    messageLimitBytes: realtime.settings.messageLimitBytes,
    readsHeaders: surface.readsHeaders,
    get isOpen() {
      return realtime.isOpen
    },
    connect: (socket, origin, protocol) =>
      realtime.connect(socket, origin, { protocol, door: doorOf(protocol) }),
    leave(reason) {
      for (const door of doors.values()) realtime.leave(door, reason)
    },
  }
}

function createDoor(surface: Surface, path: string): Doorkeeper {
  /** The upgrade's request, as if it had shown the credential that came afterwards. */
  function withCredential(origin: Origin, authorization: string): CredentialRequest {
    return {
      method: 'GET',
      path,
      clientAddress: origin.clientAddress,
      header: (name) => (name === 'authorization' ? authorization : origin.header(name)),
    }
  }

  return {
    authenticate: (authorization, origin) => surface.authenticate(withCredential(origin, authorization)),
    refuse: (authorization, origin) => surface.refuseCredential(withCredential(origin, authorization)),
    describeError: (error, requestId) =>
      enterpriseErrorEnvelope(error, { requestId, now: surface.environment.clock.now() }).body.error,
  }
}
