import type { RealtimeTimings } from '../client-options.js'

/**
 * How long to wait before the next connection after so many failed ones: any part of a time that doubles, so that clients that were cut
 * off together do not reconnect together. Null at an account's limit of connections: at least half of the longest wait.
 */
export function reconnectDelayMs(
  { firstDelayMs, longestDelayMs }: Pick<RealtimeTimings, 'firstDelayMs' | 'longestDelayMs'>,
  attempts: number | null,
  random: () => number,
): number {
  if (attempts === null) return (longestDelayMs * (1 + random())) / 2
  return Math.min(longestDelayMs, firstDelayMs * 2 ** attempts) * random()
}
