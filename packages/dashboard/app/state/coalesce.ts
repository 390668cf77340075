/** So many runs may follow each other at the same time. After that there is one in each such time: callers have so many requests per hour. */
const MOST_AT_ONCE = 8
const STEADY_MS = 3_000

/**
 * Calls `run` a moment after the first of several calls, and again after later ones: many changes at the same time cost one request. Under
 * changes that don't end, the moments become longer.
 */
export function coalesce(run: () => void, delayMs = 400): (() => void) & { cancel(): void } {
  let timer: ReturnType<typeof setTimeout> | undefined
  /** When the last of the runs that were allowed at the same time is paid for. */
  let paidAt = 0
  const call = (): void => {
    if (timer !== undefined) return
    const aheadMs = paidAt - performance.now() - (MOST_AT_ONCE - 1) * STEADY_MS
    timer = setTimeout(
      () => {
        timer = undefined
        paidAt = Math.max(paidAt, performance.now()) + STEADY_MS
        run()
      },
      Math.max(delayMs, aheadMs),
    )
  }
  return Object.assign(call, {
    cancel() {
      clearTimeout(timer)
      timer = undefined
    },
  })
}
