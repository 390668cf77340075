import { TaskboardError } from '../errors/index.js'
import { resolveBounds, type Bounds } from '../limits/index.js'

/** Options of the realtime channel. The tier of an account limits its number of connections. */
export interface RealtimeOptions {
  /** How often the peer is pinged. It is closed when it is silent until the next ping. Default 30,000. */
  readonly heartbeatIntervalMs?: number | undefined
  /** How often the credential of an open connection is checked again. Default 1,000. */
  readonly recheckIntervalMs?: number | undefined
  /**
   * How often the host's login, `authenticate`, is called again for each open connection that it admitted. A session that is revoked there
   * keeps its connections at most this long. API keys are still checked every `recheckIntervalMs`. Default: `recheckIntervalMs`.
   */
  readonly authenticateIntervalMs?: number | undefined
}

/** The options with every default filled in, and the bounds of connections. */
export interface RealtimeSettings
  extends
    Required<{ readonly [K in keyof RealtimeOptions]: number }>,
    Pick<
      Bounds,
      | 'messageLimitBytes'
      | 'messagesPerMinute'
      | 'bufferLimitBytes'
      | 'unauthenticatedPerAddress'
      | 'unauthenticated'
      | 'subscriptionsPerConnection'
      | 'replayLimit'
    > {}

const MOST_MS = 2 ** 30

/** @throws TaskboardError `INVALID_CONFIG` naming the first invalid option. */
export function resolveRealtimeOptions(
  {
    heartbeatIntervalMs = 30_000,
    recheckIntervalMs = 1_000,
    authenticateIntervalMs = recheckIntervalMs,
  }: RealtimeOptions = {},
  bounds = resolveBounds(),
): RealtimeSettings {
  const intervals = { heartbeatIntervalMs, recheckIntervalMs, authenticateIntervalMs }
  for (const [name, value] of Object.entries(intervals)) requireWhole(name, value)
  return { ...bounds, ...intervals }
}

function requireWhole(name: string, value: number): void {
  if (Number.isInteger(value) && value >= 1 && value <= MOST_MS) return
  const field = `realtime.${name}`
  throw new TaskboardError('INVALID_CONFIG', `${field} must be a whole number from 1 to ${MOST_MS}`, {
    field,
  })
}
