import { AsyncLocalStorage } from 'node:async_hooks'
import type { Clock, Instant } from '@taskboard/core'
import { requireOptionNames, sleep, type Timer } from '@taskboard/core/storage'
import { durationMs, toInstant, type Duration } from './duration.js'
import { createTimerHeap, type HeapTimer } from './timer-heap.js'
import { createWorkRegistry, type ParkReason, type Work, type WorkRegistry } from './work-registry.js'

/** The timers and work that a virtual clock still waits for, to find out why a test hangs. */
export interface PendingWork {
  /** In the order in which they fall due. `label` is the label of the tracked work which set the timer. */
  readonly timers: readonly { readonly dueAt: Instant; readonly label: string | null }[]
  /** `parked` is null for work that holds time up. */
  readonly works: readonly { readonly label: string; readonly parked: ParkReason | null }[]
}

/**
 * A clock for tests that moves only when you advance it. Pass it to `createTaskboard({ clock })`, and fifteen hours of retries or
 * thirty days of aging pass in milliseconds.
 *
 * Before it moves to the next instant, everything at the present one settles. Background work of the library, and work that a test wraps in
 * `track`, holds time up until it finishes or *parks*. So real I/O can take the real time that it needs. Work parks
 * - when it waits for this clock: its `sleep` or timer is pending (a webhook send's timer is only its timeout, and parks nothing);
 * - when `park` is called for it, as `webhookReceiver` does for the deliveries that it leaves hanging;
 * - when it shows no sign of life for the clock's patience, in real time. The patience is spent once: silent work stays parked until
 *   it reads the clock, sets a timer or ends. So no `advance` waits forever.
 */
export interface VirtualClock extends Clock {
  track<T>(label: string, work: () => Promise<T>): Promise<T>
  /** Resolves after `delayMs` of this clock, or immediately when `signal` aborts; never rejects. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>
  /**
   * Moves time forward and runs the timers that fall due, in order of time, then of creation. Each runs with `now()` at its own
   * instant, and everything settles before the next instant. Resolves when all has settled. Concurrent calls queue up, each counting
   * from where the previous one ended.
   *
   * Rejects with the error that a timer's callback throws. Time then stays at that instant, and another call continues from there.
   * @throws RangeError for a negative or infinite duration.
   */
  advance(duration: Duration): Promise<void>
  /** Like `advance`, up to a given instant. @throws RangeError when that has passed. */
  advanceTo(instant: Date | number | string): Promise<void>
  /** Waits until everything at this instant has settled, and runs the timers that are due now. */
  settle(): Promise<void>
  /**
   * Declares that the running work with this label waits for something that only time ends. Returns a function that takes that back. A
   * timer of the work that fires takes it back too.
   */
  park(label: string): () => void
  pending(): PendingWork
}

export interface VirtualClockOptions {
  /** How long, in real time, a silent agent's run holds time up. Default 75 ms. */
  readonly patienceMs?: number
  /** The same for all other work, including webhook sends. Default 5 s. Only work that never gets an answer waits that long. */
  readonly ioPatienceMs?: number
  /**
   * Called with the label of work that was silent for its patience, so that time continues without it. For an agent's run it is the task's id.
   * Default: the first one of a process is a warning of the process.
   */
  readonly onSilent?: (label: string, patienceMs: number) => void
}

/** The default start of a virtual clock: 2026-01-01T00:00:00Z. */
const DEFAULT_START = Date.UTC(2026, 0, 1)
/** Timers that always set another one for the same instant would stop time forever. */
const ROUNDS_PER_INSTANT = 10_000
/**
 * The tracked work that runs the current code, by clock. One storage for all clocks. Before Node.js 24, each promise of the process takes
 * time and memory for every such storage that has run something, and tests create many clocks.
 */
const running = new AsyncLocalStorage<ReadonlyMap<object, Work | undefined>>()

let hasWarned = false

function warnOnce(label: string, patienceMs: number): void {
  if (hasWarned) return
  hasWarned = true
  process.emitWarning(
    `${label} did nothing for ${patienceMs} ms of real time, so virtualClock went on without it. If it waits for something real, such as an HTTP answer, raise patienceMs. Told once; onSilent hears of each.`,
    'TaskboardClockWarning',
  )
}

/**
 * Creates a clock that stands at `start`: a `Date`, milliseconds since the epoch, or an ISO 8601 text.
 * @throws TaskboardError `INVALID_CONFIG` for a name that isn't an option.
 * @example
 * ```ts
 * import { createTaskboard } from '@taskboard/core'
 * import { memoryStorage } from '@taskboard/memory'
 * import { virtualClock } from '@taskboard/testing'
 *
 * const clock = virtualClock('2026-01-01T00:00:00Z')
 * const taskboard = createTaskboard({ storage: memoryStorage(), clock })
 * const { workspace } = await taskboard.accounts.create({ name: 'Test', tier: 'professional' })
 * await clock.advance({ hours: 15 })
 * const task = await taskboard.board(workspace.id).add({ title: 'Hello' })
 * console.log(new Date(task.createdAt).toISOString()) // 2026-01-01T15:00:00.000Z
 * ```
 */
export function virtualClock(
  start: Date | number | string = DEFAULT_START,
  options: VirtualClockOptions = {},
): VirtualClock {
  requireOptionNames<VirtualClockOptions>(options, { patienceMs: true, ioPatienceMs: true, onSilent: true })
  const { patienceMs = 75, ioPatienceMs = 5_000, onSilent = warnOnce } = options
  const works = createWorkRegistry({
    runMs: patienceMs,
    workMs: ioPatienceMs,
    onSilent: (work) => onSilent(work.label, work.patienceMs),
  })
  const timers = createTimerHeap()
  const key = {}
  let present = toInstant(start)
  let created = 0
  let queue: Promise<void> = Promise.resolve()

  /** The tracked work that runs the current code. */
  function current(): Work | undefined {
    const work = running.getStore()?.get(key)
    return work?.ended ? undefined : work
  }

  function runAs<T>(work: Work | undefined, code: () => T): T {
    const ofClocks = running.getStore()
    return ofClocks?.get(key) === work ? code() : running.run(new Map(ofClocks).set(key, work), code)
  }

  function fire(timer: HeapTimer): void {
    const callback = timer.callback
    timer.callback = undefined
    if (timer.work) works.timerFired(timer.work)
    if (callback) runAs(timer.work, callback)
  }

  async function runDue(): Promise<void> {
    await settleWorks(works)
    for (let round = 0; isDue(timers.peek()); round++) {
      if (round === ROUNDS_PER_INSTANT) throw new Error('timers without delay keep this instant from ending')
      const nextRound = created
      for (let next = timers.peek(); isDue(next) && next.order < nextRound; next = timers.peek()) {
        timers.take()
        fire(next)
        await Promise.resolve()
      }
      await settleWorks(works)
    }
  }

  function isDue(timer: HeapTimer | undefined): timer is HeapTimer {
    return timer !== undefined && timer.dueAt <= present
  }

  async function moveTo(target: Instant): Promise<void> {
    await runDue()
    for (let next = timers.peek(); next !== undefined && next.dueAt <= target; next = timers.peek()) {
      present = next.dueAt
      await runDue()
    }
    present = Math.max(present, target)
  }

  function inTurn(operation: () => Promise<void>): Promise<void> {
    const result = queue.then(operation)
    queue = result.catch(() => undefined)
    return result
  }

  const clock: VirtualClock = {
    now() {
      const work = current()
      if (work) works.looked(work)
      return present
    },
    setTimer(callback, delayMs): Timer {
      const work = current()
      const dueAt = present + (delayMs > 0 ? Math.ceil(delayMs) : 0)
      const timer: HeapTimer = { dueAt, order: created++, work, callback }
      timers.add(timer)
      if (work) works.timerSet(work)
      return {
        cancel() {
          if (timer.callback === undefined) return
          timers.cancel(timer)
          if (work) works.timerCancelled(work)
        },
      }
    },
    async track(label, work) {
      const entry = works.begin(label)
      try {
        return await runAs(entry, work)
      } finally {
        works.end(entry)
      }
    },
    sleep: (delayMs, signal) => sleep(clock, delayMs, signal),
    async advance(duration) {
      const ms = durationMs(duration)
      return inTurn(() => moveTo(present + ms))
    },
    async advanceTo(instant) {
      const target = toInstant(instant)
      return inTurn(async () => {
        if (target < present) throw new RangeError('that instant has passed')
        return moveTo(target)
      })
    },
    settle: () => inTurn(runDue),
    park: (label) => works.park(label),
    pending: () => ({
      timers: timers
        .list()
        .sort((a, b) => a.dueAt - b.dueAt || a.order - b.order)
        .map((timer) => ({ dueAt: timer.dueAt, label: timer.work?.label ?? null })),
      works: works.list(),
    }),
  }
  return clock
}

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
 * Resolves when all works are finished or parked, and stay so for a few turns of the event loop. It always resolves, because silent
 * work is parked eventually.
 */
async function settleWorks(works: WorkRegistry): Promise<void> {
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
