import type { Background } from './background.js'
import { TaskboardError } from './errors/index.js'

const DEFAULT_DRAIN_TIMEOUT_MS = 10_000

/** `start` and `close` of a task board, each of which takes effect once. `closed` aborts at the end. */
export function createLifecycle(
  background: Background,
  closed: AbortController,
): {
  start(): Promise<void>
  close(options?: { readonly drainTimeoutMs?: number | undefined }): Promise<void>
} {
  let starting: Promise<void> | undefined
  let closing: Promise<void> | undefined
  return {
    start() {
      if (closing) return Promise.reject(new TaskboardError('CONFLICT', 'the task board is closed'))
      starting ??= background.start().catch((error: unknown) => {
        starting = undefined
        throw error
      })
      return starting
    },
    close({ drainTimeoutMs = DEFAULT_DRAIN_TIMEOUT_MS } = {}) {
      closing ??= Promise.resolve(starting)
        .catch(() => undefined)
        .then(() => background.stop(drainTimeoutMs))
        .finally(() => closed.abort())
      return closing
    },
  }
}
