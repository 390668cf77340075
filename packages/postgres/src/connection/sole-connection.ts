import { AsyncLocalStorage } from 'node:async_hooks'
import { TaskboardError } from '@taskboard/core'
import type { PgPool } from './pool.js'

/**
 * Knows which callers run inside the transaction that holds a pool's only connection: a request for that connection inside it
 * would wait for itself.
 */
export interface SoleConnection {
  /** Runs the work of the transaction that holds the connection. */
  hold<T>(work: () => Promise<T>): Promise<T>
  /** @throws TaskboardError `MISSING_FIELD` (`tx`) when the caller runs inside a `hold` that hasn't ended. */
  refuseInside(): void
}

const known = new WeakMap<PgPool, SoleConnection>()

/** The sole connection of a pool that has only one, the same for each call; null for any other pool. */
export function soleConnectionOf(pool: PgPool): SoleConnection | null {
  if (mostConnections(pool) !== 1) return null
  const sole = known.get(pool) ?? createSoleConnection()
  known.set(pool, sole)
  return sole
}

/** The maximum of connections in a pool, if it reports one. */
export function mostConnections({ options }: PgPool): number | undefined {
  return typeof options?.max === 'number' ? options.max : undefined
}

/**
 * The transaction of each sole connection that the caller runs in. One for all of them: before Node.js 24, each promise of the process
 * takes time and memory for every `AsyncLocalStorage` that has run something.
 */
const inside = new AsyncLocalStorage<ReadonlyMap<object, { isOver: boolean }>>()

function createSoleConnection(): SoleConnection {
  const key = {}
  return {
    async hold(work) {
      const transaction = { isOver: false }
      try {
        return await inside.run(new Map(inside.getStore()).set(key, transaction), work)
      } finally {
        transaction.isOver = true
      }
    },
    refuseInside() {
      if (inside.getStore()?.get(key)?.isOver !== false) return
      throw new TaskboardError(
        'MISSING_FIELD',
        'tx is required: the call runs inside a transaction that holds the only database connection. Without { tx }, it would wait for that transaction forever',
        { field: 'tx' },
      )
    },
  }
}
