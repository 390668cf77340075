import { fork, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { createTaskboard, type Storage, type Task } from '@taskboard/core'
import { newTask } from '@taskboard/testing'
import { startEmbeddedServer } from '@taskboard/kit/postgres/embedded-server'
import { migrate, postgresStorage, type PgConnection } from '../src/index.js'

/**
 * A day of a busy board in some minutes: processes complete tasks, take the next ones and add as many, retention deletes what is older than a minute,
 * and for a fifth of the time somebody holds a transaction open, so that nothing can be vacuumed. Autovacuum does the rest.
 */
const PROCESSES = 4
const WORKERS = 8
const WAITING = 20_000
const KEPT_MS = 60_000
const SAMPLE_MS = 15_000
const LEASE_MS = 60_000
/** The least of the rate that must be left. */
const LEAST_RATE = 0.8
/** The most that sizes may still grow. */
const MOST_GROWTH = 1.5
const MIB = 2 ** 20
const AUTOVACUUM = ['autovacuum_naptime=5s']
const TABLES = [
  'task',
  'todo',
  'task_search',
  'event_batch',
  'due_delivery',
  'ended_delivery',
  'workspace_log',
]
const at = { now: null }

async function churn(url: string, workspaceId: string): Promise<never> {
  const pool = new pg.Pool({ connectionString: url, max: 4 })
  const { tasks }: Storage<PgConnection> = postgresStorage({ pool, listen: false })
  const next = { agentType: 'bot', leaseMs: LEASE_MS }
  let done = 0
  setInterval(() => process.send?.(done), 1_000)
  const add = () =>
    tasks.insertTask(
      { task: newTask({ workspaceId }), actor: { kind: 'host', id: null }, idempotency: null },
      at,
    )
  const take = async (): Promise<Task | undefined> =>
    (await tasks.claimTasks({ target: next, limit: 1 }, at)).tasks[0]
  const worker = async (): Promise<never> => {
    for (let held = await take(); ; held ??= await take()) {
      if (held === undefined) continue
      const { id: taskId, fencingToken } = held
      const proof = { workspaceId, taskId, fencingToken }
      const [completion] = await Promise.all([tasks.completeTask({ proof, result: 'done', next }, at), add()])
      held = completion.next?.tasks[0]
      done += 1
    }
  }
  return Promise.race(Array.from({ length: WORKERS }, worker))
}

interface Sample {
  readonly atMs: number
  readonly rate: number
  /** Of each table with its indexes. */
  readonly sizes: readonly number[]
}

async function sizesOf(pool: pg.Pool): Promise<readonly number[]> {
  const { rows } = await pool.query<{ size: number }>(
    `select pg_total_relation_size('taskboard.' || name)::float8 as size from unnest($1::text[]) with ordinality as t (name, nth) order by nth`,
    [TABLES],
  )
  return rows.map(({ size }) => size)
}

/** Deletes what is old, as retention does, until told to stop. */
async function retain(storage: Storage<PgConnection>, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    await storage.analytics.rollUp({ limit: 100_000 }, at)
    for (const rows of ['deliveries', 'events'] as const) {
      await storage.prune({ rows, olderThanMs: KEPT_MS, limit: 50_000 }, at)
    }
    await storage.prune({ rows: 'done_tasks', olderThanMs: KEPT_MS, limit: 5_000 }, at)
    await sleep(1_000)
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

/** The rate at the end, of that before the open transaction; both with retention at work. */
function judge(samples: readonly Sample[], heldFromMs: number, heldUntilMs: number): boolean {
  const before = samples.filter(({ atMs }) => atMs > 1.25 * KEPT_MS && atMs < heldFromMs)
  const after = samples.filter(({ atMs }) => atMs > heldUntilMs)
  const rateOf = (some: readonly Sample[]) => sum(some.map(({ rate }) => rate)) / some.length
  const kept = rateOf(samples.slice(-before.length)) / rateOf(before)
  const growth = sum(samples.at(-1)?.sizes ?? []) / sum(after[Math.floor(after.length / 2)]?.sizes ?? [])
  console.log(
    `rate at the end, of that before the open transaction: ${kept.toFixed(2)}, at least ${LEAST_RATE}`,
  )
  console.log(`sizes at the end, of those halfway after it: ${growth.toFixed(2)}, at most ${MOST_GROWTH}`)
  return kept >= LEAST_RATE && growth <= MOST_GROWTH
}

/** A workspace with an agent, and tasks that wait. */
async function makeBoard(storage: Storage<PgConnection>): Promise<string> {
  const taskboard = createTaskboard({ storage, secrets: { encryptionKey: randomBytes(32) }, logger: false })
  const { workspace } = await taskboard.accounts.create({ name: 'Churn', tier: 'custom' })
  await taskboard.agents.create(workspace.id, { name: 'One', type: 'bot' })
  const board = taskboard.board(workspace.id)
  await Promise.all(Array.from({ length: WAITING }, (_, index) => board.add({ title: `Task ${index}` })))
  return workspace.id
}

async function run(lengthMs: number): Promise<boolean> {
  const server = await startEmbeddedServer(AUTOVACUUM)
  const children: ChildProcess[] = []
  const pool = new pg.Pool({ connectionString: server.url, max: 4 })
  pool.on('error', (error) => console.error(error.message))
  try {
    await migrate(pool)
    const storage = postgresStorage({ pool, listen: false })
    const workspaceId = await makeBoard(storage)
    const done = new Map<number, number>()
    for (let index = 0; index < PROCESSES; index += 1) {
      const child = fork(fileURLToPath(import.meta.url), ['--url', server.url, '--workspace', workspaceId])
      child.on('message', (count) => done.set(index, Number(count)))
      children.push(child)
    }
    let isOver = false
    const retention = retain(storage, () => isOver)
    const samples: Sample[] = []
    const startedAt = performance.now()
    const heldFromMs = lengthMs * 0.3
    const heldUntilMs = lengthMs * 0.5
    let holder: pg.PoolClient | undefined
    let before = 0
    for (let atMs = 0; atMs < lengthMs;) {
      await sleep(SAMPLE_MS)
      const gapMs = performance.now() - startedAt - atMs
      atMs += gapMs
      if (holder === undefined && atMs >= heldFromMs && atMs < heldUntilMs) {
        holder = await pool.connect()
        await holder.query('begin isolation level repeatable read; select count(*) from taskboard.todo')
      }
      if (holder !== undefined && atMs >= heldUntilMs) {
        await holder.query('commit')
        holder.release()
        holder = undefined
      }
      const total = sum([...done.values()])
      const sample = { atMs, rate: ((total - before) / gapMs) * 1_000, sizes: await sizesOf(pool) }
      before = total
      samples.push(sample)
      const sizes = TABLES.map((table, index) => `${table} ${((sample.sizes[index] ?? 0) / MIB).toFixed(0)}`)
      const note = holder === undefined ? '' : '  (a transaction is open)'
      console.log(
        `${(atMs / 1_000).toFixed(0).padStart(4)} s  ${sample.rate.toFixed(0).padStart(5)} a second  MiB: ${sizes.join(', ')}${note}`,
      )
    }
    isOver = true
    await retention
    return judge(samples, heldFromMs, heldUntilMs)
  } finally {
    for (const child of children) child.kill('SIGKILL')
    await pool.end()
    await server.stop()
  }
}

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    url: { type: 'string' },
    workspace: { type: 'string' },
  },
})
if (values.url !== undefined) await churn(values.url, values.workspace ?? '')
const lengthMs = Number(values.minutes) * 60_000
if (!(lengthMs > 0)) throw new Error('--minutes must be a number above 0')
// The server's hook would end the process with 0.
process.exit((await run(lengthMs)) ? 0 : 1)
