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

/** Calls `callback` in the next turn of the event loop: what is to be done until then meets in one. */
export function inNextTurn(callback: () => void): void {
  setImmediate(callback)
}
