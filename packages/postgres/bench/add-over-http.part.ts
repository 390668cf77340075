import { createTaskboard, scopes } from '@taskboard/core'
import autocannon from 'autocannon'
import { fastify } from 'fastify'
import { fork, type ChildProcess } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { taskboardPlugin } from '@taskboard/fastify'
import { migrate, postgresStorage } from '../src/index.js'
import { createBenchDatabase } from './board.js'
import { compareRates } from './measure.js'
import { atLeast } from './report.js'

/**
 * Adds a second over HTTP: ours with key check, rolling limit, checks of the body, the task, its place and its event, against a
 * bare Fastify handler that inserts one row. Each server is a process with ten connections to the database. There are many
 * callers, because each may send 60 requests a minute: every connection has its own keys.
 */
const CONNECTIONS = 50
const KEYS = 4_000
const KEYS_A_CONNECTION = KEYS / CONNECTIONS

const newTask = {
  title: 'Summarise the quarterly figures',
  description: 'One page, with a chart of the last eight quarters.',
  priority: 'high',
  due_date: '2030-01-01T09:00:00Z',
  tags: ['report', 'finance'],
}
const BODY = JSON.stringify(newTask)

interface Served {
  readonly url: string
  readonly keys: readonly string[]
}

async function serveOurs(): Promise<Served> {
  const { pool } = await createBenchDatabase()
  await migrate(pool)
  const taskboard = createTaskboard({
    storage: postgresStorage({ pool }),
    secrets: { encryptionKey: randomBytes(32) },
    limits: { boardPerMinute: 600 },
  })
  await taskboard.start()
  const { workspace } = await taskboard.accounts.create({ name: 'bench', tier: 'custom' })
  const keys: string[] = []
  while (keys.length < KEYS) {
    const more = Array.from({ length: CONNECTIONS }, (_, index) =>
      taskboard.accounts.createKey({
        workspaceId: workspace.id,
        name: `bench ${index}`,
        scopes: [...scopes],
      }),
    )
    keys.push(...(await Promise.all(more)).map(({ key }) => key))
  }
  const app = fastify()
  await app.register(taskboardPlugin, { taskboard })
  return { url: await app.listen({ host: '127.0.0.1', port: 0 }), keys }
}

async function serveFloor(): Promise<Served> {
  const { pool } = await createBenchDatabase()
  await pool.query(
    `create table task (id text primary key, title text not null, description text, priority text not null,
       due_date timestamptz, tags text[] not null, created_at timestamptz not null default now())`,
  )
  const app = fastify()
  app.post<{ Body: typeof newTask }>('/api/board', async ({ body }) => {
    const { title, description, priority, due_date: dueDate, tags } = body
    const { rows } = await pool.query<{ created_at: Date }>({
      name: 'add',
      text: `insert into task (id, title, description, priority, due_date, tags) values ($1, $2, $3, $4, $5, $6)
        returning id, title, 'TODO' as status, 0.4167 as priority_score, created_at`,
      values: [randomUUID(), title, description, priority, dueDate, tags],
    })
    return { success: true, task: rows[0] }
  })
  return {
    url: await app.listen({ host: '127.0.0.1', port: 0 }),
    keys: Array.from({ length: KEYS }, () => 'none'),
  }
}

async function start(subject: string): Promise<{ readonly child: ChildProcess; readonly served: Served }> {
  const child = fork(fileURLToPath(import.meta.url), [subject])
  const [served] = (await once(child, 'message')) as [Served]
  return { child, served }
}

async function load({ url, keys }: Served, ms: number): Promise<number> {
  let begun = 0
  const result = await autocannon({
    url: `${url}/api/board?action=add`,
    connections: CONNECTIONS,
    duration: ms / 1_000,
    setupClient(client) {
      const first = KEYS_A_CONNECTION * begun++
      client.setRequests(
        Array.from({ length: KEYS_A_CONNECTION }, (_, index) => ({
          method: 'POST' as const,
          path: '/api/board?action=add',
          headers: { authorization: `Bearer ${keys[first + index]}`, 'content-type': 'application/json' },
          body: BODY,
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
    const [ours = 0, floor = 1] = await compareRates(
      `adds over HTTP, ${CONNECTIONS} connections`,
      ['taskboard on Fastify', 'bare Fastify with one INSERT'].map((name, index) => ({
        name,
        round: (ms: number) => load(subjects[index]?.served ?? { url: '', keys: [] }, ms),
      })),
      { rounds: 4, roundMs: 4_000, warmUpMs: 2_000 },
    )
    atLeast('add over HTTP to a bare Fastify handler with one INSERT', ours / floor, 0.55, 'percent')
  } finally {
    for (const { child } of subjects) child.disconnect()
  }
}
