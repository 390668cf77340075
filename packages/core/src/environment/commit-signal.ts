/** Tells listeners that something was committed: after the commit, once for all commits of a turn. */
export interface CommitSignal {
  readonly raise: () => void
  listen(listener: () => void): () => void
}

export function createCommitSignal(): CommitSignal {
  const listeners = new Set<{ readonly call: () => void }>()
  let raised = false

  function tell(): void {
    raised = false
    for (const { call } of listeners) {
      try {
        call()
      } catch {
        // A listener is told, not asked: what it throws concerns neither the writer nor the other listeners.
      }
    }
  }

  return {
    raise() {
      if (raised || listeners.size === 0) return
      raised = true
      queueMicrotask(tell)
    },
    listen(call) {
      const entry = { call }
      listeners.add(entry)
      return () => void listeners.delete(entry)
    },
  }
}
