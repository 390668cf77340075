import { createTaskboard, scopes } from '@taskboard/core'
import autocannon from 'autocannon'
import { fastify } from 'fastify'
import { fork, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { taskboardPlugin } from '@taskboard/fastify'
import { migrate, postgresStorage } from '../src/index.js'
import { createBenchDatabase } from './board.js'
import { compareRates } from './measure.js'
import { atLeast } from './report.js'

/**
 * Reads of one task a second over API v2: ours with key check, both limits of the account, the caller's reach, log
 * and outputs, against a bare Fastify handler with one SELECT by key. Each server is a process with ten connections to the
 * database. The connections use one account, whose limits are decided together, or one account each.
 */
const CONNECTIONS = 50
const TASKS_A_CONNECTION = 200
/** Never reached: the decision is measured. */
const NEVER_MET = 1_000_000_000

interface Caller {
  readonly key: string
  readonly taskIds: readonly string[]
}

interface Served {
  readonly url: string
  readonly callers: readonly Caller[]
}

const newTask = {
  title: 'Summarise the quarterly figures',
  description: 'One page, with a chart of the last eight quarters.',
  priority: 'high' as const,
  tags: ['report', 'finance'],
}

async function serveOurs(): Promise<Served> {
  const { pool } = await createBenchDatabase()
  await migrate(pool)
  const taskboard = createTaskboard({
    storage: postgresStorage({ pool }),
    secrets: { encryptionKey: randomBytes(32) },
    tiers: { enterprise: { requestsPerHour: NEVER_MET, burstPerMinute: NEVER_MET } },
  })
  await taskboard.start()
  const callers: Caller[] = []
  for (let index = 0; index < CONNECTIONS; index++) {
    const name = `bench ${index}`
    const { account, workspace } = await taskboard.accounts.create({ name, tier: 'enterprise' })
    const { key } = await taskboard.accounts.createKey({ accountId: account.id, name, scopes: [...scopes] })
    const board = taskboard.board(workspace.id)
    const tasks = await Promise.all(Array.from({ length: TASKS_A_CONNECTION }, () => board.add(newTask)))
    callers.push({ key, taskIds: tasks.map(({ id }) => id) })
  }
  await pool.query('vacuum analyze')
  const app = fastify()
  await app.register(taskboardPlugin, { taskboard })
  return { url: await app.listen({ host: '127.0.0.1', port: 0 }), callers }
}

async function serveFloor(): Promise<Served> {
  const { pool } = await createBenchDatabase()
  await pool.query(
    `create table task (id text primary key, title text not null, status text not null, progress integer not null,
       created_at timestamptz not null default now())`,
  )
  const callers = Array.from({ length: CONNECTIONS }, (_, caller) => ({
    key: 'none',
    taskIds: Array.from(
      { length: TASKS_A_CONNECTION },
      (__, index) => `task_${String(caller * TASKS_A_CONNECTION + index).padStart(26, '0')}`,
    ),
  }))
  await pool.query(`insert into task select unnest($1::text[]), $2, 'pending', 0`, [
    callers.flatMap(({ taskIds }) => taskIds),
    newTask.title,
  ])
  await pool.query('vacuum analyze')
  const app = fastify()
  app.get<{ Params: { readonly id: string } }>('/v2/tasks/:id', async ({ params }, reply) => {
    const { rows } = await pool.query<object>({
      name: 'get',
      text: 'select id, title, status, progress, created_at from task where id = $1',
      values: [params.id],
    })
    return rows[0] ?? reply.code(404).send({ error: 'no such task' })
  })
  return { url: await app.listen({ host: '127.0.0.1', port: 0 }), callers }
}

async function start(subject: string): Promise<{ readonly child: ChildProcess; readonly served: Served }> {
  const child = fork(fileURLToPath(import.meta.url), [subject])
  const [served] = (await once(child, 'message')) as [Served]
  return { child, served }
}

async function load({ url, callers }: Served, accounts: number, ms: number): Promise<number> {
  let begun = 0
  const result = await autocannon({
    url,
    connections: CONNECTIONS,
    duration: ms / 1_000,
    setupClient(client) {
      const { key, taskIds } = callers[begun++ % accounts] ?? { key: '', taskIds: [] }
      client.setRequests(
        taskIds.map((id) => ({
          method: 'GET' as const,
          path: `/v2/tasks/${id}`,
          headers: { authorization: `Bearer ${key}` },
        })),
      )
    },
  })
  if (result.errors > 0 || result.non2xx > 0)
    throw new Error(`${result.errors} errors, ${result.non2xx} refusals`)
  return result.requests.total / result.duration
}

const [, , subject] = process.argv
if (subject !== undefined) {
  process.once('disconnect', () => process.exit(0))
  process.send?.(await (subject === 'ours' ? serveOurs() : serveFloor()))
} else {
  const subjects = [await start('ours'), await start('floor')]
  try {
    for (const accounts of [1, CONNECTIONS]) {
      const [ours = 0, floor = 1] = await compareRates(
        `GET /v2/tasks/{id}, ${CONNECTIONS} connections of ${accounts} account(s)`,
        ['taskboard on Fastify', 'bare Fastify with one SELECT by key'].map((name, index) => ({
          name,
          round: (ms: number) => load(subjects[index]?.served ?? { url: '', callers: [] }, accounts, ms),
        })),
        { rounds: 4, roundMs: 4_000, warmUpMs: 2_000 },
      )
      const what = `a task read by ${accounts} account(s) to a bare Fastify handler with one SELECT`
      atLeast(what, ours / floor, 0.7, 'percent')
    }
  } finally {
    for (const { child } of subjects) child.disconnect()
  }
}
