import type { TaskRun } from './task-run.js'

/** The runs of one runtime. A run takes a slot while it has its task, even if its code runs on afterwards. */
export interface RunSet {
  /** How many slots are in use. */
  readonly taken: number
  /** How many runs there are, including those that have lost their task while their code runs on. */
  readonly size: number
  /** The runs that have their task. */
  live(): readonly TaskRun[]
  add(run: TaskRun): void
  /** The run no longer has its task, and its slot is free. False when that was already so. */
  release(run: TaskRun): boolean
  /** The run's code has ended, too. */
  remove(run: TaskRun): void
  /** Resolves when no run has a task. */
  whenReleased(): Promise<void>
}

export function createRunSet(): RunSet {
  const all = new Set<TaskRun>()
  const live = new Set<TaskRun>()
  const waiting: (() => void)[] = []

  return {
    get taken() {
      return live.size
    },
    get size() {
      return all.size
    },
    live: () => [...live],
    add(run) {
      all.add(run)
      live.add(run)
    },
    release(run) {
      const isReleased = live.delete(run)
      if (live.size === 0) for (const resolve of waiting.splice(0)) resolve()
      return isReleased
    },
    remove(run) {
      all.delete(run)
    },
    whenReleased: () =>
      live.size === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve)),
  }
}
