import { TaskboardError } from '../errors/index.js'

/** Options of the realtime channel. The tier of an account limits its number of connections. */
export interface RealtimeOptions {
  /** How soon a connection must authenticate. Default 10,000. */
  readonly authTimeoutMs?: number | undefined
  /** How often the peer is pinged. It is closed when it sends nothing until the next ping. Default 30,000. */
  readonly heartbeatIntervalMs?: number | undefined
  /** How often the credential of an open connection is checked again. Default 1,000. */
  readonly recheckIntervalMs?: number | undefined
  /**
   * How often the host's login, `authenticate`, is called again for each open connection that it admitted. A session that ends there
   * keeps its connections at most this long. API keys are still checked every `recheckIntervalMs`. Default: `recheckIntervalMs`.
   */
  readonly authenticateIntervalMs?: number | undefined
  /** The largest message of a client, in bytes. Default 64 KiB. */
  readonly messageLimitBytes?: number | undefined
  /** How many messages a client may send in a minute. Default 120. */
  readonly messagesPerMinute?: number | undefined
  /** How many bytes can wait in memory for a slow peer before it is closed. Default 1 MiB. */
  readonly bufferLimitBytes?: number | undefined
  /** How many channels a connection can subscribe to. Default 100. */
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

/** @throws TaskboardError `INVALID_CONFIG` naming the first invalid option. */
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
