import type { Instant, LimitDecision } from '@taskboard/core'
import {
  emptyTierWindow,
  emptyWindow,
  newestAdmission,
  remainingInWindow,
  takeFromTierWindow,
  takeFromWindow,
  tierWindowIdleAt,
  type CallContext,
  type DecisionOf,
  type LimitRequest,
  type LimitStore,
  type RollingWindow,
  type TierDecision,
  type TierRequest,
  type TierWindow,
} from '@taskboard/core/storage'
import type { Database } from '../tables/database.js'
import type { Pruned } from '../tables/prune.js'

/** Limits take no part in transactions: an admitted request stays counted, even when it fails. */
export function createLimitStore({
  settings: { now: present },
  onDeletion,
}: Pick<Database, 'settings' | 'onDeletion'>): LimitStore & Pruned<'pruneLimits'> {
  const windows = new Map<string, { readonly window: RollingWindow; windowMs: number }>()
  const tierWindows = new Map<string, TierWindow>()
  onDeletion(({ accountId, callerIds }) => {
    if (accountId !== null) tierWindows.delete(`account:${accountId}`)
    for (const id of callerIds) windows.delete(`board:${id}`)
  })

  function takeRolling({ key, limit, windowMs }: LimitRequest, now: Instant): LimitDecision {
    let kept = windows.get(key)
    if (kept === undefined) windows.set(key, (kept = { window: emptyWindow(), windowMs }))
    kept.windowMs = windowMs
    const retryAfterMs = takeFromWindow(kept.window, limit, windowMs, now)
    const allowed = retryAfterMs === 0
    return { allowed, remaining: allowed ? remainingInWindow(kept.window, limit) : 0, retryAfterMs }
  }

  function takeTier(request: TierRequest, now: Instant): TierDecision {
    let window = tierWindows.get(request.key)
    if (window === undefined) tierWindows.set(request.key, (window = emptyTierWindow()))
    return takeFromTierWindow(window, request, now)
  }

  return {
    async take<Request extends LimitRequest | TierRequest>(request: Request, call: CallContext) {
      const now = call.now ?? present()
      const decision = 'windowMs' in request ? takeRolling(request, now) : takeTier(request, now)
      return decision as DecisionOf<Request>
    },
    async pruneLimits({ limit }, { now }) {
      const at = now ?? present()
      const count = drop(windows, limit, ({ window, windowMs }) => newestAdmission(window) + windowMs <= at)
      return count + drop(tierWindows, limit - count, (window) => tierWindowIdleAt(window) <= at)
    },
  }
}

function drop<T>(windows: Map<string, T>, limit: number, isIdle: (window: T) => boolean): number {
  let count = 0
  for (const [key, window] of windows) {
    if (count >= limit) break
    if (!isIdle(window)) continue
    windows.delete(key)
    count += 1
  }
  return count
}
