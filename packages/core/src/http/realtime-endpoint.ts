import type { Doorkeeper, Origin, Socket, SocketListener } from '../realtime/index.js'
import type { CredentialRequest, Surface } from '../surface.js'
import { enterpriseErrorEnvelope } from './enterprise-envelope.js'

/** Where WebSocket adapters bring their sockets. */
export interface RealtimeEndpoint {
  /** The path of the realtime channel. */
  readonly path: string
  /** The largest message that a client may send, in bytes. */
  readonly messageLimitBytes: number
  /** Whether sockets are taken now: between `start` and `close` of the task board. */
  readonly isOpen: boolean
  /**
   * Takes a socket that was upgraded for a request, which is kept as long. What comes from it is to be told to the listener.
   * @throws TaskboardError `SERVICE_UNAVAILABLE` while `isOpen` is false.
   */
  connect(socket: Socket, origin: Origin): SocketListener
}

/** The realtime channel of a task board as a transport sees it, with the errors of the enterprise API. */
export function realtimeEndpoint({ surface }: { readonly surface: Surface }): RealtimeEndpoint {
  const { realtime, environment, paths } = surface
  const path = `${paths.enterprise}/realtime`

  /** The upgrade's request, as if it had shown the credential that came by `auth`. */
  function withCredential(origin: Origin, authorization: string): CredentialRequest {
    return {
      method: 'GET',
      path,
      clientAddress: origin.clientAddress,
      header: (name) => (name === 'authorization' ? authorization : origin.header(name)),
    }
  }

  const door: Doorkeeper = {
    authenticate: (authorization, origin) => surface.authenticate(withCredential(origin, authorization)),
    refuse: (authorization, origin) => surface.refuseCredential(withCredential(origin, authorization)),
    describeError: (error, requestId) =>
      enterpriseErrorEnvelope(error, { requestId, now: environment.clock.now() }).body.error,
  }

  return {
    path,
    messageLimitBytes: realtime.settings.messageLimitBytes,
    get isOpen() {
      return realtime.isOpen
    },
    connect: (socket, origin) => realtime.connect(socket, origin, door),
  }
}
