/** A commit, as listeners see it. */
export interface Commit {
  /** Whether it took a task away from the agent that works on it: a person moved, held, reassigned or deleted the task. */
  readonly revokes: boolean
}

/** Notifies listeners after a commit, once for all commits of a turn. */
export interface CommitSignal {
  readonly raise: (commit?: Commit) => void
  listen(listener: (commit: Commit) => void): () => void
}

/**
 * Creates a signal. Errors of a listener affect neither the writer nor the other listeners.
 * @example
 * ```ts
 * import { createCommitSignal } from '@taskboard/core/storage'
 *
 * const commits = createCommitSignal()
 * const stop = commits.listen(({ revokes }) => console.log(revokes)) // true
 * commits.raise()
 * commits.raise({ revokes: true })
 * await Promise.resolve()
 * stop()
 * ```
 */
export function createCommitSignal(): CommitSignal {
  const listeners = new Set<{ readonly call: (commit: Commit) => void }>()
  let raised = false
  let revokes = false

  function notify(): void {
    const commit: Commit = { revokes }
    raised = false
    revokes = false
    for (const { call } of listeners) {
      try {
        call(commit)
      } catch {
        // What a listener throws affects neither the writer nor the other listeners.
      }
    }
  }

  return {
    raise(commit) {
      if (listeners.size === 0) return
      revokes ||= commit?.revokes === true
      if (raised) return
      raised = true
      queueMicrotask(notify)
    },
    listen(call) {
      const entry = { call }
      listeners.add(entry)
      return () => void listeners.delete(entry)
    },
  }
}
