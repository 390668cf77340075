const FIRST_MS = 1_000
const LONGEST_MS = 30_000

/**
 * How long to wait before the next connection after so many failed ones: up to 1 s, then twice as long each time, up to 30 s. Half
 * of it is random, so that clients that were cut off together do not reconnect together.
 */
export function reconnectDelayMs(attempts: number, random: () => number = Math.random): number {
  const mostMs = Math.min(LONGEST_MS, FIRST_MS * 2 ** attempts)
  return Math.round((mostMs / 2) * (1 + random()))
}
