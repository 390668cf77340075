import type { WorkRegistry } from './work-registry.js'

// Captured when the module is loaded, so that a test runner's fake timers do not replace them.
const { setImmediate: yieldToEventLoop, setTimeout: afterMs } = globalThis
const realNow = performance.now.bind(performance)

/** How many turns of the event loop must pass without any sign of life. */
const QUIET_TURNS = 3
/** Turns to check without a pause before it checks only every millisecond. */
const EAGER_TURNS = 200
/** The most that one check adds to silence, because the whole process may have been held up. */
const LONGEST_LOOK_MS = 5

/**
 * Resolves when all works have ended or are parked, and stay so for a few turns of the event loop. It always resolves, because silent
 * work is parked eventually.
 */
export async function settleWorks(works: WorkRegistry): Promise<void> {
  let quietTurns = 0
  let busyTurns = 0
  let seenVersion = works.version
  let lookedAt = realNow()
  while (quietTurns < QUIET_TURNS) {
    await (busyTurns < EAGER_TURNS ? turn() : millisecond())
    const lastLookAt = lookedAt
    lookedAt = realNow()
    const changed = works.version !== seenVersion
    seenVersion = works.version
    if (works.awake === 0) {
      quietTurns = changed ? 0 : quietTurns + 1
      continue
    }
    quietTurns = 0
    busyTurns = changed ? 0 : busyTurns + 1
    works.addSilence(Math.min(lookedAt - lastLookAt, LONGEST_LOOK_MS))
  }
}

function turn(): Promise<void> {
  return new Promise((resolve) => yieldToEventLoop(resolve))
}

function millisecond(): Promise<void> {
  return new Promise((resolve) => afterMs(resolve, 1))
}
