import type { TaskRun } from './task-run.js'

/** The runs of one runtime. A run takes its slot while it holds its task, however long its code goes on after that. */
export interface RunSet {
  /** How many slots are taken. */
  readonly taken: number
  /** How many runs there are, with those that have lost their task while their code goes on. */
  readonly size: number
  /** Those that hold their task. */
  live(): readonly TaskRun[]
  add(run: TaskRun): void
  /** The run holds its task no more, and its slot is free; false when it was so before. */
  release(run: TaskRun): boolean
  /** The run's code has ended, too. */
  remove(run: TaskRun): void
  /** Resolves when no run holds a task. */
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
