import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type pg from 'pg'
import { startEmbeddedServer } from '@taskboard/kit/postgres/embedded-server'
import { beginMixedLoad, type MixedLoad } from './mixed-load.js'
import { trendsOf, type Sample } from './samples.js'
import { openSoakedBoard, type SoakedBoard } from './soaked-board.js'

const LONGEST_GAP_MS = 30_000
const LEAST_SAMPLES = 12
const LONGEST_DRAIN_MS = 60_000
const MIB = 2 ** 20

interface Counts {
  readonly connections: number
  readonly tasks: number
  readonly open: number
  readonly pending: number
  readonly delivered: number
}

async function countOn(pool: pg.Pool): Promise<Counts> {
  const { rows } = await pool.query<Counts>(`select
    (select count(*) from pg_stat_activity
      where datname = current_database() and backend_type = 'client backend')::integer as connections,
    (select count(*) from taskboard.task)::integer as tasks,
    (select count(*) from taskboard.task where column_name <> 'DONE')::integer as open,
    (select count(*) from taskboard.delivery where status = 'pending')::integer as pending,
    (select count(*) from taskboard.delivery where status = 'succeeded')::integer as delivered`)
  return rows[0] as Counts
}

async function takeSample(startedAt: number, { pool }: SoakedBoard, load: MixedLoad): Promise<Sample> {
  const counts = await countOn(pool)
  // The second collects what the first one's finalizers released.
  for (let pass = 0; pass < 2; pass += 1) globalThis.gc?.()
  const { heapUsed, rss } = process.memoryUsage()
  const sample = {
    atMs: performance.now() - startedAt,
    heapBytes: heapUsed,
    rssBytes: rss,
    connections: counts.connections,
  }
  const { added, listed, moved, refused } = load.counts
  console.log(
    `${(sample.atMs / 1_000).toFixed(0).padStart(5)} s  heap ${(heapUsed / MIB).toFixed(1)} MiB  rss ${(rss / MIB).toFixed(0)} MiB` +
      `  connections ${counts.connections}  added ${added}  listed ${listed}  moved ${moved}  refused ${refused}` +
      `  open tasks ${counts.open}  pending deliveries ${counts.pending}`,
  )
  return sample
}

/** Waits until the board is at rest; returns whether it is complete. */
async function settle(board: SoakedBoard, load: MixedLoad): Promise<boolean> {
  const until = performance.now() + LONGEST_DRAIN_MS
  let counts = await countOn(board.pool)
  while (counts.open + counts.pending > 0 && performance.now() < until) {
    await sleep(500)
    counts = await countOn(board.pool)
  }
  const received = board.received()
  const isWhole =
    counts.open + counts.pending === 0 && counts.tasks === load.counts.added && load.counts.refused === 0
  console.log(
    `${load.counts.added} tasks acknowledged, ${counts.tasks} stored, ${counts.open} not done;` +
      ` ${counts.delivered} deliveries succeeded, ${received} bodies received: ${isWhole ? 'complete' : 'INCOMPLETE'}`,
  )
  return isWhole && received >= counts.delivered
}

function judge(samples: readonly Sample[]): boolean {
  const trends = trendsOf(samples)
  for (const { quantity, mean, rise, tolerance, isFlat } of trends) {
    const show = (value: number): string =>
      quantity === 'connections' ? value.toFixed(1) : `${(value / MIB).toFixed(1)} MiB`
    console.log(
      `${quantity}: mean ${show(mean)}, rises by ${show(rise)}, at most ${show(tolerance)} allowed: ${isFlat ? 'flat' : 'NOT FLAT'}`,
    )
  }
  return trends.every(({ isFlat }) => isFlat)
}

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '10' } } })
const lengthMs = Number(values.minutes) * 60_000
if (!(lengthMs > 0)) throw new Error('--minutes must be a number above 0')
const gapMs = Math.min(LONGEST_GAP_MS, lengthMs / LEAST_SAMPLES)

let isFine = false
const server = await startEmbeddedServer()
try {
  const board = await openSoakedBoard(server.url)
  const load = beginMixedLoad(board)
  const startedAt = performance.now()
  const samples: Sample[] = []
  while (performance.now() - startedAt < lengthMs) {
    await sleep(gapMs)
    samples.push(await takeSample(startedAt, board, load))
  }
  await load.end()
  const isWhole = await settle(board, load)
  isFine = judge(samples) && isWhole
  await board.close()
} finally {
  await server.stop()
}
// The server's hook would end the process with 0.
process.exit(isFine ? 0 : 1)
