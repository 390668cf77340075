import type { Clock, Instant } from '@taskboard/core'
import { randomness, type Randomness } from './randomness.js'

/** Something that can happen now, in any order with the others: a call arrives at the storage, an answer at a process, and so on. */
export interface Pending {
  /** Whose it is; null for what does not depend on a process. */
  readonly process: ProcessState | null
  readonly label: string
  readonly run: () => void
  /** Called instead of `run` when the process dies: a call that is under way may still arrive. */
  readonly orphaned?: () => void
}

/** What the world knows of a process. Each start of a process is another one. */
export interface ProcessState {
  readonly name: string
  state: 'up' | 'paused' | 'down'
  /** How far its clock is from the world's. */
  offsetMs: number
  /** Until when it may wait before it retries a call that failed. */
  faultedUntil: Instant
  /** Whether it was paused or its clock jumped: it may not know what others did with its claims. */
  wasDisturbed: boolean
}

interface WorldTimer {
  readonly dueAt: Instant
  readonly process: ProcessState | null
  callback: (() => void) | null
}

/** Time, and the order of what happens. The only source of both in a history. */
export interface World {
  readonly now: Instant
  /** Draws everything that the current step leaves open. */
  readonly random: Randomness
  readonly trace: Trace
  traceWith(trace: Trace): void
  /** Draws from another seed from now on. */
  reseed(seed: number): void
  push(pending: Pending): void
  clockOf(process: ProcessState | null): Clock
  /** Pushes the timers of a process that fell due while it was paused. */
  resume(process: ProcessState): void
  /** Drops what is left of a process. */
  bury(process: ProcessState): void
  /** Lets up to `limit` pending things happen. Resolves to whether all have. */
  happen(limit: number): Promise<boolean>
  /** Lets everything happen that does at this instant and within the next `ms`. */
  advance(ms: number): Promise<void>
}

/** Notes what happens, for people who read a replay. */
export type Trace = ((line: string) => void) | null

export interface WorldOptions {
  readonly trace: Trace
  /** Called after each thing that happened, when all code that waited for it has run. */
  readonly settled: () => Promise<void>
}

/** 2026-01-01T00:00:00Z. */
export const worldStart: Instant = Date.UTC(2026, 0, 1)

/** More would be a loop that never rests. */
const MOST_HAPPENINGS = 60_000
const immediately = setImmediate

/** Lets all code run that waits for promises. */
function turn(): Promise<void> {
  return new Promise((resolve) => immediately(resolve))
}

export function createWorld({ settled, ...options }: WorldOptions): World {
  let { trace } = options
  const pending: Pending[] = []
  const timers = createTimers()
  let now = worldStart
  let random = randomness(0)
  let happened = 0

  /** Takes a random one of those whose process is not paused. */
  function take(): Pending | null {
    let eligible = 0
    for (const { process } of pending) if (process?.state !== 'paused') eligible += 1
    if (eligible === 0) return null
    let chosen = random.below(eligible)
    const index = pending.findIndex(({ process }) => process?.state !== 'paused' && chosen-- === 0)
    return pending.splice(index, 1)[0] as Pending
  }

  async function happen(limit: number): Promise<boolean> {
    for (let count = 0; count < limit; count++) {
      let next = take()
      if (next === null) {
        // Code that yields to the event loop is not pending here.
        await turn()
        next = take()
        if (next === null) return true
      }
      if (++happened > MOST_HAPPENINGS) throw new Error(`the history never rests: ${next.label}`)
      trace?.(next.label)
      next.run()
      await turn()
      await settled()
    }
    return pending.every(({ process }) => process?.state === 'paused')
  }

  function push(thing: Pending): void {
    if (thing.process?.state === 'down') thing.orphaned?.()
    else pending.push(thing)
  }

  function fire(timer: WorldTimer): void {
    const { callback } = timer
    if (callback === null) return
    timer.callback = null
    callback()
  }

  const world: World = {
    get now() {
      return now
    },
    get random() {
      return random
    },
    get trace() {
      return trace
    },
    traceWith: (other) => void (trace = other),
    reseed(seed) {
      random = randomness(seed)
    },
    push,
    clockOf: (process) => ({
      now: () => now + (process?.offsetMs ?? 0),
      setTimer(callback, delayMs) {
        const timer: WorldTimer = { dueAt: now + Math.max(0, Math.ceil(delayMs)), process, callback }
        if (process?.state !== 'down') timers.add(timer)
        return { cancel: () => void (timer.callback = null) }
      },
    }),
    resume(process) {
      process.state = 'up'
      process.faultedUntil = now + 1
    },
    bury(process) {
      process.state = 'down'
      for (let index = pending.length - 1; index >= 0; index--) {
        const thing = pending[index] as Pending
        if (thing.process !== process) continue
        pending.splice(index, 1)
        thing.orphaned?.()
      }
      timers.drop(process)
    },
    happen,
    async advance(ms) {
      const end = now + ms
      for (;;) {
        await happen(Infinity)
        const due = timers.takeDue(end)
        if (due === null) break
        now = Math.max(now, due.dueAt)
        // All that fall due at this instant, in one turn.
        for (let timer: WorldTimer | null = due; timer !== null; timer = timers.takeDue(now)) fire(timer)
        await turn()
        await settled()
      }
      now = end
    },
  }
  return world
}

/** The timers of all processes, in the order in which they fall due, then of their creation. */
function createTimers() {
  let timers: WorldTimer[] = []
  return {
    add(timer: WorldTimer): void {
      let index = timers.length
      while (index > 0 && (timers[index - 1] as WorldTimer).dueAt > timer.dueAt) index -= 1
      timers.splice(index, 0, timer)
    },
    /** The next one until `end` that is not of a paused process. */
    takeDue(end: Instant): WorldTimer | null {
      for (let index = 0; index < timers.length; index++) {
        const timer = timers[index] as WorldTimer
        if (timer.dueAt > end) return null
        if (timer.callback !== null && timer.process?.state === 'paused') continue
        timers.splice(index--, 1)
        if (timer.callback !== null) return timer
      }
      return null
    },
    drop(process: ProcessState): void {
      timers = timers.filter((timer) => timer.process !== process)
    },
  }
}
