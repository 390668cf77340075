import { run, runMigrations, makeWorkerUtils, Logger, type Runner, type WorkerUtils } from 'graphile-worker'
import PgBoss from 'pg-boss'
import type { BenchDatabase } from './board.js'

/** The names under which peers are reported, with the releases that run on Node 20. */
export const GRAPHILE = 'graphile-worker 0.17.3'
export const PG_BOSS = 'pg-boss 10.4.2'

const quiet = new Logger(() => () => undefined)
/** The number of connections of graphile-worker and pg-boss. */
export const PEER_CONNECTIONS = 10

/** Creates graphile-worker's schema in a database. */
export async function prepareGraphile({ pool }: BenchDatabase): Promise<void> {
  await runMigrations({ pgPool: pool, logger: quiet })
}

export function graphileClient({ pool }: BenchDatabase): Promise<WorkerUtils> {
  return makeWorkerUtils({ pgPool: pool, logger: quiet })
}

/** Adds no-op jobs in bulk, as its own `addJobs` does. */
export async function fillGraphile({ pool }: BenchDatabase, jobs: number): Promise<void> {
  const CHUNK = 20_000
  for (let left = jobs; left > 0; left -= CHUNK) {
    await pool.query(
      `select from graphile_worker.add_jobs(array(
         select ('noop', '{}'::json, null, null, null, null, null, null)::graphile_worker.job_spec
         from generate_series(1, $1::integer)))`,
      [Math.min(CHUNK, left)],
    )
  }
  await pool.query('vacuum (analyze)')
}

/** Runs no-op jobs for about `ms`; resolves to jobs a second. With a local queue it fetches that many jobs ahead. */
export async function graphileRate(
  { url }: BenchDatabase,
  concurrency: number,
  ms: number,
  localQueueSize: number | null,
): Promise<number> {
  let done = 0
  const runner: Runner = await run({
    connectionString: url,
    maxPoolSize: PEER_CONNECTIONS,
    concurrency,
    noHandleSignals: true,
    logger: quiet,
    taskList: {
      noop: () => {
        done += 1
      },
    },
    ...(localQueueSize === null ? {} : { preset: { worker: { localQueue: { size: localQueueSize } } } }),
  })
  // Does not measure the start.
  await pause(300)
  const before = done
  const startedAt = performance.now()
  await pause(ms)
  const rate = ((done - before) / (performance.now() - startedAt)) * 1_000
  await runner.stop()
  return rate
}

/** pg-boss with a queue `noop`, without its scheduler. */
export async function startPgBoss({ url }: BenchDatabase): Promise<PgBoss> {
  const boss = new PgBoss({ connectionString: url, max: PEER_CONNECTIONS, schedule: false })
  await boss.start()
  await boss.createQueue('noop')
  return boss
}

export async function fillPgBoss(boss: PgBoss, { pool }: BenchDatabase, jobs: number): Promise<void> {
  const CHUNK = 10_000
  for (let left = jobs; left > 0; left -= CHUNK) {
    await boss.insert(Array.from({ length: Math.min(CHUNK, left) }, () => ({ name: 'noop', data: {} })))
  }
  await pool.query('vacuum (analyze)')
}

/** Fetches one job and completes it. `work()` waits for at least half a second between two fetches. */
export async function pgBossCycle(boss: PgBoss): Promise<number> {
  const [job] = await boss.fetch('noop')
  if (job === undefined) throw new Error('pg-boss has nothing left')
  await boss.complete('noop', job.id)
  return 1
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms)
  })
}
