import { TaskboardError } from '@taskboard/core'
import { AsyncLocalStorage } from 'node:async_hooks'
import type { PgPool } from './pool.js'

/**
 * Knows who runs inside the transaction that holds a pool's only connection: whoever asks for that connection in there would
 * wait for itself.
 */
export interface SoleConnection {
  /** Runs the work of a transaction that has the connection. */
  hold<T>(work: () => Promise<T>): Promise<T>
  /** @throws TaskboardError `MISSING_FIELD` (`tx`) when the caller runs inside `hold`, and that is not over. */
  refuseInside(): void
}

const known = new WeakMap<PgPool, SoleConnection>()

/** That of a pool with one connection, the same one for each call; null for any other pool. */
export function soleConnectionOf(pool: PgPool): SoleConnection | null {
  if (mostConnections(pool) !== 1) return null
  const sole = known.get(pool) ?? createSoleConnection()
  known.set(pool, sole)
  return sole
}

/** How many connections a pool lends at once, where it says so. */
export function mostConnections({ options }: PgPool): number | undefined {
  return typeof options?.max === 'number' ? options.max : undefined
}

function createSoleConnection(): SoleConnection {
  const inside = new AsyncLocalStorage<{ isOver: boolean }>()
  return {
    async hold(work) {
      const transaction = { isOver: false }
      try {
        return await inside.run(transaction, work)
      } finally {
        transaction.isOver = true
      }
    },
    refuseInside() {
      if (inside.getStore()?.isOver !== false) return
      throw new TaskboardError(
        'MISSING_FIELD',
        'tx is required: the call runs inside a transaction that holds the only connection to the database, and without { tx } would wait for the end of that transaction',
        { field: 'tx' },
      )
    },
  }
}
