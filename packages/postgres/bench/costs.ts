import { readFile } from 'node:fs/promises'
import type pg from 'pg'

/** What the operations of a round cost in all. They see a difference of 5 % where rates see one of 15 %. */
export interface Costs {
  readonly walBytes: number
  /** Time on the processor: of the connections' backends, and of this process. */
  readonly serverMs: number
  readonly clientMs: number
}

/**
 * Measures what runs until the returned function is called. The log is the server's, so nothing else may write. The time of backends is 0
 * where the system does not tell it, as beside Linux or with a server elsewhere.
 */
export async function meter(pool: pg.Pool): Promise<() => Promise<Costs>> {
  const before = await read(pool)
  return async () => {
    const after = await read(pool)
    return {
      walBytes: after.walBytes - before.walBytes,
      serverMs: after.serverMs - before.serverMs,
      clientMs: after.clientMs - before.clientMs,
    }
  }
}

/** Of one of the operations. */
export function costsOfEach({ walBytes, serverMs, clientMs }: Costs, operations: number): Costs {
  return { walBytes: walBytes / operations, serverMs: serverMs / operations, clientMs: clientMs / operations }
}

async function read(pool: pg.Pool): Promise<Costs> {
  const { user, system } = process.cpuUsage()
  const { rows } = await pool.query<{ wal: number; pids: readonly number[] }>(
    `select (pg_current_wal_insert_lsn() - '0/0')::float8 as wal, array_agg(pid) as pids
    from pg_stat_activity where datname = current_database() and backend_type = 'client backend'`,
  )
  const { wal = 0, pids = [] } = rows[0] ?? {}
  const times = await Promise.all(pids.map(processorMs))
  return { walBytes: wal, serverMs: times.reduce((a, b) => a + b, 0), clientMs: (user + system) / 1_000 }
}

async function processorMs(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/schedstat`, 'utf8').catch(() => '0')
  return Number.parseInt(stat, 10) / 1_000_000
}
