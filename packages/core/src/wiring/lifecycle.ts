import type { Background } from './background.js'
import { TaskboardError } from '../errors/index.js'

const DEFAULT_DRAIN_TIMEOUT_MS = 10_000

/** `draining`: `close` was called and hasn't finished. */
export type Phase = 'created' | 'starting' | 'started' | 'draining' | 'closed'

/** Where in its life a task board is. */
export interface LifecyclePhase {
  current: Phase
}

interface LifecycleDeps {
  readonly background: Background
  /** Aborts at the end. */
  readonly closed: AbortController
  readonly phase: LifecyclePhase
}

/** `start` and `close` of a task board, each of which takes effect once. */
export function createLifecycle({ background, closed, phase }: LifecycleDeps): {
  start(): Promise<void>
  close(options?: { readonly drainTimeoutMs?: number | undefined }): Promise<void>
} {
  let starting: Promise<void> | undefined
  let closing: Promise<void> | undefined

  async function begin(): Promise<void> {
    phase.current = 'starting'
    try {
      await background.start()
      move('started')
    } catch (error) {
      starting = undefined
      move('created')
      throw error
    }
  }

  /** A task board that closes during that stays closed. */
  function move(next: Phase): void {
    if (phase.current === 'starting') phase.current = next
  }

  return {
    start() {
      if (closing) return Promise.reject(new TaskboardError('CONFLICT', 'the task board is closed'))
      starting ??= begin()
      return starting
    },
    close({ drainTimeoutMs = DEFAULT_DRAIN_TIMEOUT_MS } = {}) {
      if (closing === undefined) phase.current = 'draining'
      closing ??= Promise.resolve(starting)
        .catch(() => undefined)
        .then(() => background.stop(drainTimeoutMs))
        .finally(() => {
          phase.current = 'closed'
          closed.abort()
        })
      return closing
    },
  }
}
