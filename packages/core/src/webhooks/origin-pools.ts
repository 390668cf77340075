import { Pool } from './undici.js'
import type { Connect } from './guarded-connector.js'

/** The connections to one origin. */
export interface OriginPool {
  readonly pool: Pool
  /** How many use it now. It stays open while in use. */
  uses: number
}

/** A pool per origin. Beyond `most`, the least recently used idle pools are closed. */
export interface OriginPools {
  /** The origin's pool. It stays open at least until it is returned. */
  take(origin: string): OriginPool
  giveBack(taken: OriginPool): void
  /** Closes all connections, including those in use. A later use opens a new pool. */
  close(): Promise<void>
}

/** Less than the 5 s after which Node's servers close, so that a request rarely meets a connection that just ended. */
const KEEP_ALIVE_MS = 4_000

export function createOriginPools(most: number, connect: Connect): OriginPools {
  const pools = new Map<string, OriginPool>()
  let newest: string | undefined

  function open(origin: string): Pool {
    const timers = { headersTimeout: 0, bodyTimeout: 0, keepAliveTimeout: KEEP_ALIVE_MS }
    return new Pool(origin, { connect, pipelining: 1, ...timers })
  }

  function closeIdle(): void {
    for (const [origin, { pool, uses }] of pools) {
      if (pools.size <= most) return
      if (uses > 0) continue
      pools.delete(origin)
      void pool.destroy()
    }
  }

  return {
    take(origin) {
      const found = pools.get(origin)
      const entry = found ?? { pool: open(origin), uses: 0 }
      if (found === undefined || origin !== newest) {
        pools.delete(origin)
        pools.set(origin, entry)
        newest = origin
      }
      entry.uses += 1
      return entry
    },
    giveBack(taken) {
      taken.uses -= 1
      if (pools.size > most) closeIdle()
    },
    async close() {
      const all = [...pools.values()]
      pools.clear()
      newest = undefined
      await Promise.all(all.map(({ pool }) => pool.destroy()))
    },
  }
}
