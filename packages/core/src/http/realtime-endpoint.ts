import { showsApiKey, type BrowserRequest } from '../access/index.js'
import type { TaskboardError } from '../errors/index.js'
import type { Doorkeeper, Origin, RealtimeProtocol, Socket, SocketListener } from '../realtime/index.js'
import type { CredentialRequest, Surface } from '../surface.js'
import { enterpriseErrorEnvelope } from './enterprise-envelope.js'
import type { HttpResponse } from './http.js'

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
   * The answer to an upgrade that must not be accepted: a page of another origin asks for it with the user's cookies. Null for all
   * others.
   */
  refuse(origin: Origin): HttpResponse | null
  /**
   * Takes a socket that was upgraded for a request, which is kept as long, to speak a protocol on it. What comes from it is to be
   * told to the listener.
   * @throws TaskboardError `SERVICE_UNAVAILABLE` while `isOpen` is false; `FORBIDDEN` for what `refuse` refuses.
   */
  connect(socket: Socket, origin: Origin, protocol: RealtimeProtocol): SocketListener
  /** Ends (1001) the connections that came by this endpoint. */
  leave(reason: string): void
  /**
   * Notes that upgrades of a server come to this endpoint, so that its host can end them when it closes (`detachRealtime`): `detach` is to
   * stop that, and to `leave`. Returns how to forget it.
   */
  attached(server: object, detach: (reason: string) => void): () => void
}

/**
 * Stops taking connections on a server, and ends (1001) those that came by it. For adapters whose framework tells when it is about to
 * close a server, which would wait for them.
 */
export function detachRealtime({ surface }: { readonly surface: Surface }, server: object): void {
  surface.realtime.detachFrom(server)
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
    refuse(origin) {
      const refusal = surface.refuseUpgrade(upgradeOf(origin))
      return refusal === null ? null : toResponse(surface, refusal)
    },
    connect(socket, origin, protocol) {
      const refusal = surface.refuseUpgrade(upgradeOf(origin))
      if (refusal !== null) throw refusal
      return realtime.connect(socket, origin, { protocol, door: doorOf(protocol) })
    },
    leave(reason) {
      for (const door of doors.values()) realtime.leave(door, reason)
    },
    attached: (server, detach) => realtime.attached(server, detach),
  }
}

function upgradeOf(origin: Origin): BrowserRequest {
  return { method: 'GET', targetOrigin: origin.targetOrigin, header: (name) => origin.header(name) }
}

function toResponse({ environment }: Surface, error: TaskboardError): HttpResponse {
  const requestId = environment.newId('req')
  const { status, headers, body } = enterpriseErrorEnvelope(error, {
    requestId,
    now: environment.clock.now(),
  })
  const type = { 'content-type': 'application/json; charset=utf-8' }
  return { status, headers: { ...type, ...headers }, body: JSON.stringify(body) }
}

function createDoor(surface: Surface, path: string): Doorkeeper {
  /** The upgrade's request, as if it had shown the credential that came afterwards. */
  function withCredential(origin: Origin, authorization: string): CredentialRequest {
    return {
      method: 'GET',
      path,
      clientAddress: origin.clientAddress,
      targetOrigin: origin.targetOrigin,
      header: (name) => (name === 'authorization' ? authorization : origin.header(name)),
    }
  }

  const { recheckIntervalMs, authenticateIntervalMs } = surface.realtime.settings
  return {
    recheckIntervalMs: (authorization) =>
      surface.readsHeaders && !showsApiKey(authorization) ? authenticateIntervalMs : recheckIntervalMs,
    authenticate: (authorization, origin) => surface.authenticate(withCredential(origin, authorization)),
    refuse: (authorization, origin) => surface.refuseCredential(withCredential(origin, authorization)),
    describeError: (error, requestId) =>
      enterpriseErrorEnvelope(error, { requestId, now: surface.environment.clock.now() }).body.error,
  }
}
