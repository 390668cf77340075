import type { Storage } from '@taskboard/core'
import { memoryStorage } from '@taskboard/memory'
import { endHistory } from './final-checks.js'
import type { Counts } from './observer.js'
import { performStep } from './perform-step.js'
import { setScene } from './scene.js'
import { describeStep, type History, type Step } from './steps.js'
import { Violation } from './violation.js'
import { worldStart, type Trace } from './world.js'

export interface RunOptions {
  readonly trace?: Trace
  /** An empty storage that may need real time for its answers. Default: the reference storage, in memory. */
  readonly storage?: Storage
}

export interface Outcome {
  /** The promise that did not hold; null when all did. */
  readonly violation: Violation | null
  readonly counts: Counts | null
}

/** Runs a history to its end, or to the first promise that does not hold. The same history always has the same outcome. */
export async function runHistory(history: History, options: RunOptions = {}): Promise<Outcome> {
  const { trace = null, storage } = options
  let counts: Counts | null = null
  try {
    const scene = await setScene({
      setup: history.setup,
      inner: storage ?? memoryStorage(),
      interleavesTransactions: storage === undefined,
      trace: null,
    })
    counts = scene.observer.counts
    const traced = trace === null ? null : indented(trace)
    scene.world.traceWith(traced)
    for (const [index, step] of history.steps.entries()) {
      scene.world.reseed(step.chaos)
      trace?.(`${index + 1}. ${describeStep(step)}, at ${(scene.world.now - worldStart) / 1_000} s`)
      await performStep(scene, step)
      await scene.world.happen(step.happenings)
    }
    scene.world.reseed(history.seed)
    trace?.('the end: everything is mended, and time passes')
    await endHistory(scene)
    return { violation: null, counts }
  } catch (error) {
    const violation =
      error instanceof Violation
        ? error
        : new Violation('nothing fails unexpectedly', String((error as Error).stack))
    return { violation, counts }
  }
}

function indented(trace: NonNullable<Trace>): NonNullable<Trace> {
  return (line) => trace(`     ${line}`)
}

/** Whether a history fails as the first one did. */
export type FailsAlike = (history: History) => Promise<boolean>

/** Without the steps that the failure does not need: first large parts, then one at a time, until none can go. */
export async function shrinkHistory(history: History, failsAlike: FailsAlike): Promise<History> {
  let steps = history.steps
  const fails = (candidate: readonly Step[]): Promise<boolean> => failsAlike({ ...history, steps: candidate })
  let isSmaller = true
  while (isSmaller) {
    const before = steps.length
    for (let size = Math.max(1, steps.length >> 1); size >= 1; size >>= 1) {
      for (let from = steps.length - size; from >= 0; from -= size) {
        const candidate = steps.toSpliced(from, size)
        if (await fails(candidate)) steps = candidate
        from = Math.min(from, steps.length)
      }
    }
    isSmaller = steps.length < before
  }
  for (const [index, step] of steps.entries()) {
    if (step.happenings === 0) continue
    const candidate = steps.with(index, { ...step, happenings: 0 })
    if (await fails(candidate)) steps = candidate
  }
  return { ...history, steps }
}
