/**
 * Lets a chain of quick steps make way for everything else now and then: a chain of promises alone keeps sockets and
 * timers waiting until its end. Each `steps`th call resolves in a later turn of the event loop, the others at once.
 */
export function createTurns(steps: number): () => Promise<void> | undefined {
  let taken = 0
  return () => {
    taken = (taken + 1) % steps
    return taken === 0 ? new Promise((resolve) => setImmediate(resolve)) : undefined
  }
}

/** As it was when this was loaded: a host's test may put a clock of its own in its place later, and answers do not wait for that. */
const immediately = setImmediate
let coming: Promise<void> | null = null

/**
 * Resolves in the next turn of the event loop, for all that ask in this one together: once what has arrived by now is worked on,
 * and before anything is waited for. What they write then is written one right after the other. A peer that is woken for each
 * write alone costs this process the waking, which can be more than the write; woken once, it finds the others on their way.
 */
export function nextTurn(): Promise<void> {
  coming ??= new Promise((resolve) => {
    immediately(() => {
      coming = null
      resolve()
    })
  })
  return coming
}

/** Calls `callback` in the next turn of the event loop: what is to be done until then meets in one. */
export function inNextTurn(callback: () => void): void {
  setImmediate(callback)
}
