import {
  emptyWindow,
  newestAdmission,
  remainingInWindow,
  takeFromWindow,
  type Instant,
  type LimitStore,
  type RollingWindow,
} from '@taskboard/core'

/** Limits take no part in transactions: what was admitted stays counted whatever becomes of the request. */
export function createLimitStore(present: () => Instant): LimitStore {
  const windows = new Map<string, { readonly window: RollingWindow; windowMs: number }>()

  return {
    async take({ key, limit, windowMs }, now) {
      let kept = windows.get(key)
      if (kept === undefined) windows.set(key, (kept = { window: emptyWindow(), windowMs }))
      kept.windowMs = windowMs
      const retryAfterMs = takeFromWindow(kept.window, limit, windowMs, now ?? present())
      const allowed = retryAfterMs === 0
      return { allowed, remaining: allowed ? remainingInWindow(kept.window, limit) : 0, retryAfterMs }
    },
    async pruneLimits(limit, now) {
      const at = now ?? present()
      let count = 0
      for (const [key, { window, windowMs }] of windows) {
        if (count >= limit) break
        if (newestAdmission(window) > at - windowMs) continue
        windows.delete(key)
        count += 1
      }
      return count
    },
  }
}
