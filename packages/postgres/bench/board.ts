import type { Storage, Task } from '@taskboard/core'
import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { migrate, postgresStorage, type PgConnection } from '../src/index.js'

const DAY_MS = 86_400_000
export const LEASE_MS = 600_000

/** A contestant's database on the shared server. */
export interface BenchDatabase {
  readonly url: string
  readonly pool: pg.Pool
  /** Another pool on it, which ends with it. */
  morePool(connections: number): pg.Pool
  end(): Promise<void>
}

/** Creates a database. `connections` is the maximum of its pool; pg's default is 10. */
export async function createBenchDatabase(connections = 10): Promise<BenchDatabase> {
  const url = new URL(process.env['BENCH_SERVER_URL'] ?? '')
  const serverUrl = url.href
  const name = `bench_${randomBytes(4).toString('hex')}`
  await onServer(serverUrl, `create database ${name}`)
  url.pathname = `/${name}`
  const pools: pg.Pool[] = []
  const morePool = (max: number): pg.Pool => {
    const pool = new pg.Pool({ connectionString: url.href, max })
    // The end of an idle connection; a query in progress rejects on its own.
    pool.on('error', () => undefined)
    pool.on('connect', (client) => client.on('error', () => undefined))
    pools.push(pool)
    return pool
  }
  return {
    url: url.href,
    pool: morePool(connections),
    morePool,
    async end() {
      await Promise.all(pools.map((pool) => pool.end()))
      await onServer(serverUrl, `drop database ${name} with (force)`)
    },
  }
}

async function onServer(url: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(text)
  await client.end()
}

/** A board with workspaces, each with an agent of the type `worker`. */
export interface BenchBoard {
  readonly storage: Storage<PgConnection>
  readonly database: BenchDatabase
  readonly workspaceIds: readonly string[]
  readonly agentIds: readonly string[]
  /** Adds tasks in bulk, spread evenly over the workspaces. */
  fill(tasks: number): Promise<void>
  /** Closes the storage and drops its database. */
  end(): Promise<void>
}

export async function createBoard(workspaces = 1): Promise<BenchBoard> {
  const database = await createBenchDatabase()
  await migrate(database.pool)
  const storage = postgresStorage({ pool: database.pool })
  await storage.open()
  const { account } = await storage.access.insertAccount(
    { name: 'bench', tier: 'enterprise', workspaceName: 'spare', agent: null },
    { now: null },
  )
  const { rows } = await database.pool.query<{ workspaceId: string; agentId: string }>(
    `with workspace as (
       insert into taskboard.workspace (id, account_id, name, created_at)
       select taskboard.new_id('ws', taskboard.now_ms()), $1::text, 'bench', taskboard.now_ms()
       from generate_series(1, $2::integer) returning id
     ),
     log as (insert into taskboard.workspace_log (workspace_id) select id from workspace)
     insert into taskboard.agent (id, workspace_id, name, type, status, created_at)
     select taskboard.new_id('agent', taskboard.now_ms()), id, 'worker', 'worker', 'idle', taskboard.now_ms() from workspace
     returning workspace_id as "workspaceId", id as "agentId"`,
    [account.id, workspaces],
  )
  const workspaceIds = rows.map(({ workspaceId }) => workspaceId)
  let filled = 0
  return {
    storage,
    database,
    workspaceIds,
    agentIds: rows.map(({ agentId }) => agentId),
    async fill(tasks) {
      await fillBoard(database.pool, workspaceIds, filled, tasks)
      filled += tasks
    },
    async end() {
      await storage.close()
      await database.end()
    },
  }
}

/** Priorities, ages of up to 20 days, and due dates within 40 days for a third: varied, and the same in every run. */
async function fillBoard(pool: pg.Pool, workspaceIds: readonly string[], from: number, tasks: number) {
  const client = await pool.connect()
  try {
    await client.query('begin')
    await client.query('set local synchronous_commit = off')
    await client.query('alter table taskboard.task disable trigger user')
    await client.query(
      `insert into taskboard.task (id, workspace_id, title, priority_rank, due_date, tags, metadata, depends_on, created_at, updated_at,
         max_attempts)
       select 'task_' || lpad(g::text, 26, '0'), w.id, 'task ' || g,
         hashint4(g) & 3,
         case when hashint4(g + 1) % 3 = 0 then n.now + (hashint4(g + 2) & 1023)::bigint * $4::bigint / 25 end,
         '{}', '{}', '{}', n.now - c.age, n.now - c.age, 5
       from generate_series($2::integer + 1, $2::integer + $3::integer) g, (select taskboard.now_ms() as now) n,
         unnest($1::text[]) with ordinality as w (id, place), lateral (select (20 * $4::bigint::float8 * (hashint4(g + 3) & 1048575) / 1048576)::bigint as age) c
       where w.place = 1 + g % cardinality($1::text[])`,
      [workspaceIds, from, tasks, DAY_MS],
    )
    await client.query(
      `insert into taskboard.todo
       select q.* from (select taskboard.now_ms() as now) n, taskboard.task t, lateral taskboard.todo_of(t, n.now) q
       where t.id > 'task_' || lpad(($1::integer)::text, 26, '0')
         and t.id <= 'task_' || lpad(($1::integer + $2::integer)::text, 26, '0')`,
      [from, tasks],
    )
    await client.query('alter table taskboard.task enable trigger user')
    await client.query('commit')
    await client.query('vacuum (analyze)')
  } finally {
    client.release()
  }
}

/** The task of a claim that must find one. */
export function only(tasks: readonly Task[]): Task {
  const [task] = tasks
  if (task === undefined) throw new Error('nothing left to claim')
  return task
}
