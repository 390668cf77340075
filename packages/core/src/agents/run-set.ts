import type { TaskRun } from './task-run.js'

/** The runs of one runtime. A run takes its slot until its code ends, even when it has lost its task before. */
export interface RunSet {
  /** How many slots are taken. */
  readonly size: number
  /** Those that still hold their task. */
  live(): readonly TaskRun[]
  add(run: TaskRun): void
  /** The run holds its task no more. */
  release(run: TaskRun): void
  /** Frees the slot; false when that has been done. */
  remove(run: TaskRun): boolean
  /** Resolves when no run holds a task. */
  whenReleased(): Promise<void>
}

export function createRunSet(): RunSet {
  const all = new Set<TaskRun>()
  const live = new Set<TaskRun>()
  const waiting: (() => void)[] = []

  function release(run: TaskRun): void {
    live.delete(run)
    if (live.size > 0) return
    for (const resolve of waiting.splice(0)) resolve()
  }

  return {
    get size() {
      return all.size
    },
    live: () => [...live],
    add(run) {
      all.add(run)
      live.add(run)
    },
    release,
    remove(run) {
      release(run)
      return all.delete(run)
    },
    whenReleased: () =>
      live.size === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve)),
  }
}
