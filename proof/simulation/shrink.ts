import type { History, Step } from './steps.js'

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
