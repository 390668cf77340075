import type { BoundSettings } from '@taskboard/core/storage'

/** Work that is requested more often than it needs to run. */
export interface Throttle {
  /** Runs the work at the same time. If it ran a moment ago or still runs, one later run serves all requests. */
  request(): void
  /** Runs the pending request, and resolves at its end. Leaves no timer until the next request. */
  flush(): Promise<void>
}

/** `work` runs at most once in `leastGapMs` of the bound clock, begins immediately after a quiet time, and never overlaps. */
export function createThrottle(
  settings: Pick<BoundSettings, 'current'>,
  leastGapMs: number,
  work: () => Promise<void>,
): Throttle {
  let isAsked = false
  let gap: { cancel(): void } | undefined
  let underWay: Promise<void> | undefined

  function begin(): void {
    isAsked = false
    gap = settings.current.clock.setTimer(() => {
      gap = undefined
      goOn()
    }, leastGapMs)
    underWay = runOnce()
  }

  async function runOnce(): Promise<void> {
    try {
      await work()
    } catch {
      // Nothing waits for it, and the next request starts a new run.
    }
    underWay = undefined
    goOn()
  }

  function goOn(): void {
    if (isAsked && gap === undefined && underWay === undefined) begin()
  }

  function endGap(): void {
    gap?.cancel()
    gap = undefined
  }

  async function flush(): Promise<void> {
    endGap()
    goOn()
    endGap()
    if (underWay === undefined) return
    await underWay
    return flush()
  }

  return {
    request() {
      isAsked = true
      goOn()
    },
    flush,
  }
}
