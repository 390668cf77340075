import type pg from 'pg'
import { createTestPool } from '@taskboard/kit/postgres/test-database'
import { asksAs, type ServerPair, startServerPair } from '@taskboard/kit/postgres/standby'
import { migrate } from '../../src/migrations/migrate.js'
import type { PgPool } from '../../src/connection/pool.js'

/** A migrated database with a standby for its reads. */
export interface ReadReplica {
  readonly pair: ServerPair
  readonly pool: pg.Pool
  readonly readPool: PgPool
  /** How many reads of verbs the standby has answered. */
  answers(): number
  /** Lets the standby follow so much later. */
  delay(ms: number): Promise<void>
  close(): Promise<void>
}

export async function openReadReplica(schema?: string): Promise<ReadReplica> {
  const pair = await startServerPair(['fsync=off'], ['hot_standby_feedback=on'])
  const pool = createTestPool({ connectionString: pair.primary.url, max: 8 })
  const standbyPool = createTestPool({ connectionString: pair.standby.url, max: 8 })
  await migrate(pool, { schema })
  const counting = countingReads(standbyPool)
  return {
    pair,
    pool,
    readPool: counting.pool,
    answers: () => counting.answers(),
    async delay(ms) {
      await asksAs(pair.standby.url, `alter system set recovery_min_apply_delay = ${ms}`)
      await asksAs(pair.standby.url, 'select pg_reload_conf()')
    },
    async close() {
      await Promise.all([pool.end(), standbyPool.end()])
      await pair.stop()
    },
  }
}

/** Counts the statements of verbs, not those that ask for the server's state. */
export function countingReads(counted: pg.Pool): { readonly pool: PgPool; answers(): number } {
  let answers = 0
  const pool: PgPool = {
    query: (query) => counted.query(query),
    async connect() {
      const client = await counted.connect()
      return {
        async query(query) {
          const answer = await client.query(query)
          if (/from (taskboard|")/.test(query.text)) answers += 1
          return answer
        },
        release: (broken) => client.release(broken),
        on: (event, listener) => client.on(event, listener),
        removeListener: (event, listener) => client.removeListener(event, listener),
      }
    },
  }
  return { pool, answers: () => answers }
}
