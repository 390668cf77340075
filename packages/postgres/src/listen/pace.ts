import type { BoundSettings } from '@taskboard/core/storage'

/** Work that is asked for more often than it need be done. */
export interface Pace {
  /** Runs the work at once, or, when it ran a moment ago or still runs, once for all who ask until it may run again. */
  ask(): void
  /** Runs what was asked for and not yet done, and resolves at its end. No timer is left, until somebody asks again. */
  flush(): Promise<void>
}

/** `work` runs at most once in `leastGapMs` of the bound clock, begins at once after a quiet time, and never overlaps. */
export function createPace(
  settings: Pick<BoundSettings, 'current'>,
  leastGapMs: number,
  work: () => Promise<void>,
): Pace {
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
      // Nobody waits for it, and whoever asks next is served anew.
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
    ask() {
      isAsked = true
      goOn()
    },
    flush,
  }
}
