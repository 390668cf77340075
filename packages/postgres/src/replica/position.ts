import { createBatcher } from '../connection/batcher.js'
import type { BoundedPool } from '../connection/bounded-pool.js'
import type { PgQuery } from '../connection/pool.js'
import { statement, type Statement } from '../connection/statement.js'

/** How far the primary has come, and the requirement for a server that is as far. */
export interface Position {
  /** The end of the log: everything that was acknowledged before is in it. */
  readonly lsn: string
  /** The number of the log's branch, in hexadecimal: a promotion begins a new one. */
  readonly timeline: string
  /** The cluster and the database. */
  readonly origin: string
  /** The primary's clock. */
  readonly now: number
}

const ORIGIN = /* sql */ `(select system_identifier::text from pg_control_system()) || '/' || current_database()`

/**
 * A commit with `synchronous_commit` is in the flushed part of the log before it is acknowledged. One without may be in the part that isn't
 * yet written.
 */
const currentPosition = statement<Position>(
  'read_position',
  /* sql */ `
  select (case when current_setting('synchronous_commit') = 'off' then pg_current_wal_insert_lsn()
      else pg_current_wal_flush_lsn() end)::text as lsn,
    lower(substr(pg_walfile_name(pg_current_wal_flush_lsn()), 1, 8)) as timeline,
    ${ORIGIN} as origin, taskboard.now_ms()::float8 as now`,
)

/**
 * Origin, timeline, end of the log. True: all up to there can be seen. False: not yet. Null: this server never can, because it isn't a replica
 * , or one of something else. The timeline comes from its last restart point, which follows a promotion by minutes.
 */
export const hasReached = statement<{ readonly hasReached: boolean | null }>(
  'reached_position',
  /* sql */ `
  select case when pg_is_in_recovery() and ${ORIGIN} = $1::text
      and lpad(to_hex((select timeline_id from pg_control_checkpoint())), 8, '0') = $2::text
    then pg_last_wal_replay_lsn() >= $3::pg_lsn end as "hasReached"`,
)

/**
 * Asks the primary for its position. Concurrent callers share a query that begins after their calls; at most one is in progress, so that
 * their number doesn't matter to the primary.
 */
export function createPositions(
  primary: BoundedPool,
  toQuery: (asked: Statement<unknown>, values: readonly unknown[]) => PgQuery,
): () => Promise<Position> {
  const join = createBatcher<void, Position>(
    async (callers) => {
      const { rows } = await primary.query(toQuery(currentPosition, []))
      const [position] = rows as Position[]
      if (position === undefined) throw new Error('the primary has no position')
      return callers.map(() => position)
    },
    { most: Number.MAX_SAFE_INTEGER, groupOf: () => 0 },
  )
  return () => join(undefined)
}
