import type { WorkRegistry } from './work-registry.js'

// Taken when the module is loaded, so that a test runner's fake timers do not reach them.
const { setImmediate: nextTurn, setTimeout: afterMs } = globalThis
const realNow = performance.now.bind(performance)

/** How many turns of the event loop must pass without any sign of life. */
const QUIET_TURNS = 3
/** Turns to look at once in a row before it looks only every millisecond. */
const EAGER_TURNS = 200
/** What one look may add to silence: the process may have been held up, and the work with it. */
const LONGEST_LOOK_MS = 5

/**
 * Resolves when all works have ended or are parked, and stay so for a few turns of the event loop. Ends in any case: work
 * that shows no sign of life is parked in time.
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
  return new Promise((resolve) => nextTurn(resolve))
}

function millisecond(): Promise<void> {
  return new Promise((resolve) => afterMs(resolve, 1))
}
