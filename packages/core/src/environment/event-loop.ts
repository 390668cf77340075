/**
 * Makes a chain of quick steps give way to other work now and then. A chain of promises alone keeps sockets and timers waiting until its
 * end. Each `steps`th call resolves in a later turn of the event loop, the others immediately.
 */
export function yieldEvery(steps: number): () => Promise<void> | undefined {
  let taken = 0
  return () => {
    taken = (taken + 1) % steps
    return taken === 0 ? new Promise((resolve) => setImmediate(resolve)) : undefined
  }
}

/** Captured at load time: if a host's test installs a fake clock later, answers don't wait for it. */
const immediately = setImmediate
let coming: Promise<void> | null = null

/**
 * Resolves in the next turn of the event loop, together for all callers of this turn. That is after the input that has already arrived is
 * handled, and before any wait. Their writes then follow one another directly. Waking a peer for each write alone can cost this process
 * more than the write. A peer that is woken once finds the others on their way.
 * @example
 * ```ts
 * import { yieldToEventLoop } from '@taskboard/core/transport'
 *
 * let written = 0
 * const write = () => yieldToEventLoop().then(() => (written += 1))
 * await Promise.all([write(), write()])
 * console.log(written) // 2
 * ```
 */
export function yieldToEventLoop(): Promise<void> {
  coming ??= new Promise((resolve) => {
    immediately(() => {
      coming = null
      resolve()
    })
  })
  return coming
}

/** Calls `callback` in the next turn of the event loop, so that the work of this turn is batched. */
export function deferToEventLoop(callback: () => void): void {
  setImmediate(callback)
}
