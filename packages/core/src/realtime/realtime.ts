import type { AccessStore } from '../access/index.js'
import { atMost, createBackgroundLoop, type Environment, type Instant } from '../environment/index.js'
import { TaskboardError } from '../errors/index.js'
import type { EventStore, LoggedEvent } from '../events/index.js'
import type { Tiers } from '../limits/index.js'
import { channelProtocol } from './channel-protocol.js'
import { Connection, type ConnectionAuthenticator } from './connection.js'
import { createHub, type Hub } from './hub.js'
import { createWorkspaceDiscovery } from './workspace-discovery.js'
import { createNewcomers } from './newcomers.js'
import type { Origin, RealtimeProtocol } from './protocol.js'
import type { RealtimeSettings } from './realtime-options.js'
import type { RealtimeStore } from './realtime-store.js'
import { createSlots } from './slots.js'
import type { Socket, SocketListener } from './socket.js'

export interface RealtimeDeps {
  readonly environment: Environment
  readonly store: RealtimeStore
  readonly events: Pick<EventStore, 'readEvents' | 'onTaskLog'>
  readonly workspaces: Pick<AccessStore, 'listWorkspaces'>
  readonly settings: RealtimeSettings
  readonly tiers: Tiers
}

/** The realtime channel of this process: its connections and their messages. */
export interface Realtime {
  readonly settings: RealtimeSettings
  /** Whether it accepts connections: from `start` to `stop`. */
  readonly isOpen: boolean
  /** The documented channel, at its path. */
  channel(path: string): RealtimeProtocol
  /** Why no socket may come from a client address: too many have no credential yet. Null when one may. */
  refuse(clientAddress: string): TaskboardError | null
  /**
   * Accepts a new socket for a protocol. Pass what it receives to the returned listener.
   * @throws TaskboardError `SERVICE_UNAVAILABLE`, and what `refuse` returns.
   */
  connect(
    socket: Socket,
    origin: Origin,
    terms: { readonly door: ConnectionAuthenticator; readonly protocol: RealtimeProtocol },
  ): SocketListener
  /** Ends (1001) the connections of a door. */
  leave(door: ConnectionAuthenticator, reason: string): void
  /** Registers how to stop accepting connections on a server. Returns a function that removes this again. */
  attached(server: object, detach: Detach): () => void
  /** Stops accepting connections on a server and ends (1001) its connections, because its close would wait for them. */
  detachFrom(server: object): void
  /** Whether there are connections. Without any, events aren't sent. */
  readonly isHeard: boolean
  /** How many connections this process has. */
  countConnections(): number
  /** Accepts an event of the log, in each workspace's order. */
  publish(event: LoggedEvent): void
  start(): void
  /** Sends what waits, closes every connection (1001) and frees their slots. Leaves no timer. */
  stop(): Promise<void>
}

/** Stops accepting connections on a server, and ends those that it has. */
type Detach = (reason: string) => void

const CLOSE_WITHIN_MS = 1_000
const CHECKS_AT_ONCE = 500

export function createRealtime(deps: RealtimeDeps): Realtime {
  const { environment, settings } = deps
  const hub = createHub()
  const discovery = createWorkspaceDiscovery(environment, deps.workspaces)
  const slots = createSlots(environment, deps.store)
  const lines = createLineFeed(deps.events, hub)
  const connections = new Set<Connection>()
  const newcomers = createNewcomers(environment, settings)
  const subscriptions = { ...deps, hub, discovery, replayLimit: settings.replayLimit }
  let isStarted = false
  let onEmpty: (() => void) | undefined
  const heartbeat = createHeartbeat(environment, connections, settings.heartbeatIntervalMs)
  const { recheckIntervalMs, authenticateIntervalMs } = settings
  const checks = createChecks(environment, connections, Math.min(recheckIntervalMs, authenticateIntervalMs))

  function onGone(connection: Connection): void {
    connections.delete(connection)
    if (connections.size === 0) onEmpty?.()
  }

  const ofConnections = { ...deps, slots, subscriptions, onGone, onEarlyCheck: () => checks.wake() }

  async function closeAll(): Promise<void> {
    for (const connection of connections) connection.leave()
    const emptied = new Promise<void>((resolve) => (onEmpty = resolve))
    if (connections.size > 0) await atMost(environment.clock, CLOSE_WITHIN_MS, emptied)
    for (const connection of connections) connection.terminate()
    if (connections.size > 0) await atMost(environment.clock, CLOSE_WITHIN_MS, emptied)
  }

  return {
    settings,
    get isOpen() {
      return isStarted
    },
    channel: (path) => channelProtocol(path, subscriptions),
    refuse: (clientAddress) => newcomers.refuse(clientAddress),
    connect(socket, origin, { door, protocol }) {
      if (!isStarted) throw new TaskboardError('SERVICE_UNAVAILABLE', 'the realtime channel is not open')
      const newcomer = protocol.isForCallers === true ? null : newcomers.enter(origin.clientAddress)
      const connection = new Connection(socket, origin, { door, protocol, newcomer, deps: ofConnections })
      connections.add(connection)
      if (connections.size === 1) {
        heartbeat.wake()
        checks.wake()
      }
      return connection
    },
    leave(door, reason) {
      for (const connection of connections) if (connection.cameBy(door)) connection.leave(reason)
    },
    ...createAttachments(),
    get isHeard() {
      return connections.size > 0
    },
    countConnections: () => connections.size,
    publish(event) {
      discovery.seen(event.workspaceId)
      hub.publish(event)
    },
    start() {
      isStarted = true
      for (const part of [heartbeat, checks, discovery, slots, lines]) part.start()
    },
    async stop() {
      isStarted = false
      lines.stop()
      await Promise.all([heartbeat.stop(), checks.stop(), discovery.stop()])
      hub.flush()
      await closeAll()
      await slots.stop()
    },
  }
}

/** How to detach the channel from each server. */
function createAttachments(): Pick<Realtime, 'attached' | 'detachFrom'> {
  const attachments = new WeakMap<object, Set<Detach>>()
  return {
    attached(server, detach) {
      const others = attachments.get(server)
      if (others === undefined) attachments.set(server, new Set([detach]))
      else others.add(detach)
      return () => void attachments.get(server)?.delete(detach)
    },
    detachFrom(server) {
      for (const detach of attachments.get(server) ?? []) detach('the server closes')
    },
  }
}

/** Passes lines of tasks' logs on to the hub. */
function createLineFeed(events: RealtimeDeps['events'], hub: Hub) {
  let unsubscribe: (() => void) | undefined
  return {
    start(): void {
      unsubscribe = events.onTaskLog((line) => hub.publishLine(line))
    },
    stop: () => unsubscribe?.(),
  }
}

/** One timer for all connections. Each has a beat within one interval of its last. */
function createHeartbeat(environment: Environment, connections: ReadonlySet<Connection>, intervalMs: number) {
  const { clock } = environment
  let nextAt: Instant = Infinity
  return createBackgroundLoop({
    name: 'realtime:heartbeat',
    environment,
    pollIntervalMs: null,
    async pass() {
      const now = clock.now()
      // Also true when the clock has stepped back.
      nextAt = Math.min(nextAt, now + intervalMs)
      if (now >= nextAt) {
        for (const connection of connections) connection.beat()
        nextAt = now + intervalMs
      }
      if (connections.size > 0) return nextAt - now
      nextAt = Infinity
      return null
    },
  })
}

/**
 * Rechecks credentials when due. Those that wait for the storage share its statements. None is due sooner than `intervalMs` after a
 * check, except credentials with an earlier expiry, which wake it.
 */
function createChecks(environment: Environment, connections: ReadonlySet<Connection>, intervalMs: number) {
  const { clock } = environment
  return createBackgroundLoop({
    name: 'realtime:credentials',
    environment,
    pollIntervalMs: null,
    async pass() {
      const now = clock.now()
      const { due, nextAt } = checksAt(connections, now)
      const alike = byCheck(due)
      for (let first = 0; first < alike.length; first += CHECKS_AT_ONCE) {
        await Promise.all(
          alike.slice(first, first + CHECKS_AT_ONCE).map(([one, ...others]) => one.recheck(others)),
        )
      }
      if (connections.size === 0) return null
      const next = due.reduce((at, connection) => Math.min(at, connection.nextCheckAt), nextAt)
      return Math.min(intervalMs, next - clock.now())
    },
  })
}

/** The connections to check now, and when the next one is due. Leaves no garbage: an idle process has thousands of connections. */
function checksAt(connections: ReadonlySet<Connection>, now: Instant) {
  const due: Connection[] = []
  let nextAt = Infinity
  connections.forEach((connection) => {
    if (isDue(connection, now)) due.push(connection)
    else nextAt = Math.min(nextAt, connection.nextCheckAt)
  })
  return { due, nextAt }
}

/** Also due when further away than its interval: it was planned before the clock stepped back. */
function isDue(connection: Connection, now: Instant): boolean {
  const at = connection.nextCheckAt
  return at <= now || (at > now + connection.checkIntervalMs && at !== Infinity)
}

type Alike = [Connection, ...Connection[]]

/** Connections that one check is for. */
function byCheck(connections: readonly Connection[]): readonly Alike[] {
  const groups: Alike[] = []
  const byCredential = new Map<string, Alike>()
  for (const connection of connections) {
    const { sharedCredential } = connection
    const group = sharedCredential === null ? undefined : byCredential.get(sharedCredential)
    if (group !== undefined) {
      group.push(connection)
      continue
    }
    const begun: Alike = [connection]
    groups.push(begun)
    if (sharedCredential !== null) byCredential.set(sharedCredential, begun)
  }
  return groups
}
