const FIRST_MS = 1_000
const LONGEST_MS = 30_000

/**
 * How long to wait before the next connection after so many that came to nothing: up to a second, then twice as long each time,
 * up to half a minute. A random half of it keeps clients that were cut off together from coming back together.
 */
export function reconnectDelayMs(attempts: number, random: () => number = Math.random): number {
  const mostMs = Math.min(LONGEST_MS, FIRST_MS * 2 ** attempts)
  return Math.round((mostMs / 2) * (1 + random()))
}
