import type { Socket, SocketListener } from '../realtime/index.js'
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
   * Takes a socket that was upgraded for `request`. What comes from it is to be told to the listener.
   * @throws TaskboardError `SERVICE_UNAVAILABLE` while `isOpen` is false.
   */
  connect(socket: Socket, request: Omit<CredentialRequest, 'path' | 'method'>): SocketListener
}

/** The realtime channel of a task board as a transport sees it, with the errors of the enterprise API. */
export function realtimeEndpoint({ surface }: { readonly surface: Surface }): RealtimeEndpoint {
  const { realtime, environment, paths } = surface
  const path = `${paths.enterprise}/realtime`

  /** The upgrade's request, as if it had shown the credential that came by `auth`. */
  function withCredential(
    request: Omit<CredentialRequest, 'path' | 'method'>,
    authorization: string,
  ): CredentialRequest {
    return {
      method: 'GET',
      path,
      clientAddress: request.clientAddress,
      header: (name) => (name === 'authorization' ? authorization : request.header(name)),
    }
  }

  return {
    path,
    messageLimitBytes: realtime.settings.messageLimitBytes,
    get isOpen() {
      return realtime.isOpen
    },
    connect: (socket, request) =>
      realtime.connect(socket, {
        authenticate: (authorization) => surface.authenticate(withCredential(request, authorization)),
        refuse: (authorization) => surface.refuseCredential(withCredential(request, authorization)),
        describeError: (error, requestId) =>
          enterpriseErrorEnvelope(error, { requestId, now: environment.clock.now() }).body.error,
      }),
  }
}
