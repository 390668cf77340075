import { showsApiKey, type BrowserRequest } from '../access/index.js'
import type { TaskboardError } from '../errors/index.js'
import type {
  ConnectionAuthenticator,
  Origin,
  RealtimeProtocol,
  Socket,
  SocketListener,
} from '../realtime/index.js'
import type { CredentialRequest, TransportServices } from '../wiring/transport-services.js'
import { v2ErrorEnvelope } from './v2/envelope.js'
import type { HttpResponse } from './http.js'
import { servicesOf } from './services-of.js'

/** Accepts the sockets of WebSocket adapters. */
export interface RealtimeEndpoint {
  /** The documented channel. */
  readonly channel: RealtimeProtocol
  /** The largest message of a client, in bytes. */
  readonly messageLimitBytes: number
  /** Whether the channel reads the headers of an origin. If not, you need not keep them. */
  readonly readsHeaders: boolean
  /** Whether it accepts sockets: between `start` and `close` of the task board. */
  readonly isOpen: boolean
  /**
   * The response to an upgrade that must be rejected. A page of another origin requests it with the user's cookies (403). Or too many
   * connections of its address (429) or of all (503) have no credential yet. Null for all others.
   */
  refuse(origin: Origin): HttpResponse | null
  /**
   * Accepts an upgraded socket for a protocol, and keeps its request as long. Pass what the socket receives to the returned
   * listener.
   * @throws TaskboardError `SERVICE_UNAVAILABLE` while `isOpen` is false; `FORBIDDEN`, `RATE_LIMITED` or `SERVICE_UNAVAILABLE` if `refuse` rejects the upgrade.
   */
  connect(socket: Socket, origin: Origin, protocol: RealtimeProtocol): SocketListener
  /** Ends (1001) the connections of this endpoint. */
  leave(reason: string): void
  /**
   * Registers that upgrades of a server come to this endpoint, so that its host can stop them on close (`detachRealtime`). `detach` must
   * stop the upgrades and call `leave`. Returns a function that removes the registration.
   */
  attached(server: object, detach: (reason: string) => void): () => void
}

/**
 * Stops accepting connections on a server, and ends (1001) its connections. For adapters whose framework has a hook before it closes
 * a server, because the close would wait for them.
 * @example
 * ```ts
 * import { createTaskboard } from '@taskboard/core'
 * import { detachRealtime, realtimeEndpoint } from '@taskboard/core/transport'
 * import { memoryStorage } from '@taskboard/memory'
 *
 * const taskboard = createTaskboard({ storage: memoryStorage() })
 * const server = {}
 * realtimeEndpoint(taskboard).attached(server, (reason) => console.log(reason)) // the server closes
 * detachRealtime(taskboard, server)
 * ```
 */
export function detachRealtime({ services }: { readonly services: TransportServices }, server: object): void {
  services.realtime.detachFrom(server)
}

/**
 * The realtime channel of a task board for a transport, with the errors of API v2.
 * @example
 * ```ts
 * import { createTaskboard } from '@taskboard/core'
 * import { realtimeEndpoint } from '@taskboard/core/transport'
 * import { memoryStorage } from '@taskboard/memory'
 *
 * const taskboard = createTaskboard({ storage: memoryStorage() })
 * const realtime = realtimeEndpoint(taskboard)
 * console.log(realtime.channel.path, realtime.isOpen) // /v2/realtime false
 * ```
 */
export function realtimeEndpoint(taskboard: { readonly services: TransportServices }): RealtimeEndpoint {
  const services = servicesOf(taskboard)
  const { realtime, paths } = services
  const doors = new Map<RealtimeProtocol, ConnectionAuthenticator>()

  function doorOf(protocol: RealtimeProtocol): ConnectionAuthenticator {
    const door = doors.get(protocol) ?? createDoor(services, protocol.path)
    doors.set(protocol, door)
    return door
  }

  return {
    channel: realtime.channel(`${paths.v2}/realtime`),
    messageLimitBytes: realtime.settings.messageLimitBytes,
    readsHeaders: services.readsHeaders,
    get isOpen() {
      return realtime.isOpen
    },
    refuse(origin) {
      const refusal = services.refuseUpgrade(upgradeOf(origin)) ?? realtime.refuse(origin.clientAddress)
      return refusal === null ? null : toResponse(services, refusal)
    },
    connect(socket, origin, protocol) {
      const refusal = services.refuseUpgrade(upgradeOf(origin))
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

function toResponse({ environment }: TransportServices, error: TaskboardError): HttpResponse {
  const requestId = environment.newId('req')
  const { status, headers, body } = v2ErrorEnvelope(error, {
    requestId,
    now: environment.clock.now(),
  })
  const type = { 'content-type': 'application/json; charset=utf-8' }
  return { status, headers: { ...type, ...headers }, body: JSON.stringify(body) }
}

function createDoor(services: TransportServices, path: string): ConnectionAuthenticator {
  /** The upgrade's request, as if it carried the credential that came afterward. */
  function withCredential(origin: Origin, authorization: string): CredentialRequest {
    return {
      method: 'GET',
      path,
      clientAddress: origin.clientAddress,
      targetOrigin: origin.targetOrigin,
      raw: origin.raw,
      isConnection: true,
      header: (name) => (name === 'authorization' ? authorization : origin.header(name)),
    }
  }

  const { recheckIntervalMs, authenticateIntervalMs } = services.realtime.settings
  const byCredential = { intervalMs: recheckIntervalMs, readsOrigin: false }
  const byRequest = { intervalMs: authenticateIntervalMs, readsOrigin: true }
  return {
    recheck: (authorization) =>
      services.readsHeaders && !showsApiKey(authorization) ? byRequest : byCredential,
    authenticate: (authorization, origin) => services.authenticate(withCredential(origin, authorization)),
    refuse: (authorization, origin) => services.refuseCredential(withCredential(origin, authorization)),
    describeError: (error, requestId) =>
      v2ErrorEnvelope(error, { requestId, now: services.environment.clock.now() }).body.error,
  }
}
