/** The wait after a failed or expired attempt: `baseMs`, then `factor` times as long each time, up to `maxMs`. */
export interface Backoff {
  readonly baseMs: number
  readonly factor: number
  readonly maxMs: number
}

/** 10 s, 20 s, 40 s … up to 10 minutes. */
export const defaultBackoff: Backoff = { baseMs: 10_000, factor: 2, maxMs: 600_000 }

/**
 * The wait after the `attempts`th attempt (1 for the first), in whole milliseconds.
 * @example
 * ```ts
 * import { backoffDelayMs, defaultBackoff } from '@taskboard/core/storage'
 *
 * console.log(backoffDelayMs(defaultBackoff, 3)) // 40000
 * ```
 */
export function backoffDelayMs(backoff: Backoff, attempts: number): number {
  const raw = backoff.baseMs * backoff.factor ** Math.max(0, attempts - 1)
  return Math.round(Math.min(raw, backoff.maxMs))
}
