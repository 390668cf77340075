import { setTimeout as sleep } from 'node:timers/promises'
import type { Randomness } from '../simulation/randomness.js'
import { lasting, type DatabaseUnderTest, type PlannedFault } from './database-under-test.js'
import type { ProcessUnderTest } from './process-under-test.js'

/** A fault that happened, with when it began. */
export interface DoneFault {
  readonly atMs: number
  readonly label: string
}

type Kind = (of: ProcessUnderTest, draw: Randomness) => PlannedFault

const HOUR_MS = 3_600_000

const kinds: readonly Kind[] = [
  (process, draw) => {
    const ms = lasting(draw, 50, 1_500)
    return {
      label: `kills ${process.name}, starts it after ${ms} ms`,
      async run() {
        await process.kill()
        await sleep(ms)
        process.start()
      },
    }
  },
  (process, draw) => {
    const ms = lasting(draw, 1_000, 4_000)
    return {
      label: `pauses ${process.name} for ${ms} ms`,
      async run() {
        process.pause()
        await sleep(ms)
        process.resume()
      },
    }
  },
  (process, draw) => {
    const hours = draw.pick([-25, -1, 1, 25])
    const ms = lasting(draw, 500, 2_000)
    return {
      label: `sets the clock of ${process.name} ${hours} h ahead for ${ms} ms`,
      async run() {
        process.jump(hours * HOUR_MS)
        await sleep(ms)
        process.jump(0)
      },
    }
  },
]

export const processFaults =
  (processes: readonly ProcessUnderTest[]) =>
  (draw: Randomness): PlannedFault =>
    draw.pick(kinds)(draw.pick(processes), draw)

export const databaseFaults =
  ({ faults }: DatabaseUnderTest) =>
  (draw: Randomness): PlannedFault =>
    draw.pick(faults)(draw)

export interface Lane {
  readonly draw: Randomness
  next(draw: Randomness): PlannedFault
  /** The waits between two faults. */
  readonly pauseMs: readonly [number, number]
}

/** One fault after another until the signal aborts; resolves when the last one is over. */
export async function runLane(
  { draw, next, pauseMs }: Lane,
  signal: AbortSignal,
  begun: (label: string) => void,
): Promise<void> {
  for (;;) {
    await sleep(lasting(draw, ...pauseMs), undefined, { signal }).catch(() => undefined)
    if (signal.aborted) return
    const { label, run } = next(draw)
    begun(label)
    await run()
  }
}
