import { TaskboardError } from '../errors/index.js'

/** How the realtime channel behaves. How many connections an account may have is a matter of its tier. */
export interface RealtimeOptions {
  /** How soon a connection must authenticate. Default 10,000. */
  readonly authTimeoutMs?: number | undefined
  /** How often the peer is pinged; it is given up when it says nothing until the next time. Default 30,000. */
  readonly heartbeatIntervalMs?: number | undefined
  /** How often the credential of an open connection is looked at again. Default 1,000. */
  readonly recheckIntervalMs?: number | undefined
  /**
   * How often a host's own login, `authenticate`, is asked again about each open connection that it admitted. A session that ends there
   * keeps its connections for as long at most. API keys are looked at every `recheckIntervalMs` all the same. Default:
   * `recheckIntervalMs`.
   */
  readonly authenticateIntervalMs?: number | undefined
  /** The largest message of a client, in bytes. Default 64 KiB. */
  readonly messageLimitBytes?: number | undefined
  /** How many messages a client may send in a minute. Default 120. */
  readonly messagesPerMinute?: number | undefined
  /** What may wait in memory for a peer that reads slowly, before it is closed, in bytes. Default 1 MiB. */
  readonly bufferLimitBytes?: number | undefined
  /** How many channels a connection may be subscribed to. Default 100. */
  readonly subscriptionsPerConnection?: number | undefined
  /** How many events back `since` reaches, for each subscribed channel. Default 1,000. */
  readonly replayLimit?: number | undefined
}

/** The options with every default filled in. */
export type RealtimeSettings = Required<{ readonly [K in keyof RealtimeOptions]: number }>

const MOST = 2 ** 30
const DEFAULTS: Omit<RealtimeSettings, 'authenticateIntervalMs'> = {
  authTimeoutMs: 10_000,
  heartbeatIntervalMs: 30_000,
  recheckIntervalMs: 1_000,
  messageLimitBytes: 65_536,
  messagesPerMinute: 120,
  bufferLimitBytes: 1_048_576,
  subscriptionsPerConnection: 100,
  replayLimit: 1_000,
}

/** @throws TaskboardError `INVALID_CONFIG` naming the first option that cannot work. */
export function resolveRealtimeOptions(options: RealtimeOptions = {}): RealtimeSettings {
  const given = Object.entries(options).filter(([, value]) => value !== undefined)
  const { recheckIntervalMs = DEFAULTS.recheckIntervalMs } = options
  const settings: RealtimeSettings = {
    ...DEFAULTS,
    authenticateIntervalMs: recheckIntervalMs,
    ...Object.fromEntries(given),
  }
  for (const [name, value] of Object.entries(settings)) requireWhole(name, value)
  return settings
}

function requireWhole(name: string, value: number): void {
  if (Number.isInteger(value) && value >= 1 && value <= MOST) return
  const field = `realtime.${name}`
  throw new TaskboardError('INVALID_CONFIG', `${field} must be a whole number from 1 to ${MOST}`, { field })
}
