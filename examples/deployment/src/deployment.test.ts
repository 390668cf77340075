import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createClient } from '@taskboard/client'
import { createTaskboard } from '@taskboard/core'
import { postgresStorage } from '@taskboard/postgres'
import pg from 'pg'
import { afterAll, describe, expect, inject, it } from 'vitest'
import { WebSocket } from 'ws'
import {
  createDeployedDatabase,
  type DeployedDatabase,
  pgbouncer,
  startBoardProcess,
  startPgbouncer,
} from '../test/deployed-board.js'
import { nginx, startLoadBalancer } from '../test/load-balancer.js'

const stopping: (() => Promise<unknown>)[] = []
afterAll(async () => {
  for (const stop of stopping.toReversed()) await stop()
})

/** What the host's own code does once: an account, and a key of all its rights. */
async function firstKey({ boardUrl }: DeployedDatabase, encryptionKey: string) {
  const pool = new pg.Pool({ connectionString: boardUrl, max: 2 })
  const storage = postgresStorage({ pool, listen: false })
  const { accounts } = createTaskboard({ storage, secrets: { encryptionKey } })
  const { workspace } = await accounts.create({ name: 'Acme', tier: 'enterprise' })
  const { key } = await accounts.createKey({
    workspaceId: workspace.id,
    name: 'scripts',
    scopes: ['tasks:read', 'tasks:write', 'agents:read', 'agents:write'],
  })
  await pool.end()
  return { key, workspaceId: workspace.id }
}

async function deploy() {
  const database = await createDeployedDatabase(inject('databaseUrl'))
  stopping.push(database.drop)
  const migrate = fileURLToPath(new URL('migrate.js', inject('programs')))
  const env = { ...process.env, OWNER_DATABASE_URL: database.ownerUrl }
  const { stdout } = await promisify(execFile)(process.execPath, [migrate], { env })
  const pooler = pgbouncer === null ? null : await startPgbouncer(pgbouncer, database)
  if (pooler !== null) stopping.push(pooler.stop)
  const settings = {
    DATABASE_URL: pooler?.url ?? database.boardUrl,
    DIRECT_DATABASE_URL: database.boardUrl,
    TASKBOARD_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    TASKBOARD_TOKEN_SECRET: randomBytes(32).toString('base64'),
  }
  const access = await firstKey(database, settings.TASKBOARD_ENCRYPTION_KEY)
  const start = (more: Readonly<Record<string, string>> = {}) =>
    startBoardProcess(inject('programs'), { ...settings, ...more })
  const [first, second, agents] = await Promise.all([start(), start(), start({ BOARD_AGENTS: 'on' })])
  stopping.push(second.stop, agents.stop)
  const balancer = await startLoadBalancer([first.port, second.port])
  stopping.push(balancer.stop)
  return { migrated: stdout, first, second, agents, url: balancer.url, ...access }
}

const through = `${nginx === null ? 'a round robin of connections' : 'nginx'}${pgbouncer === null ? '' : ' and PgBouncer'}`

describe(`the deployment of docs/deployment.md, through ${through}`, () => {
  it(
    'migrates, works on tasks, and loses nothing when a server is replaced',
    { timeout: 60_000 },
    async () => {
      const { migrated, first, second, agents, url, key, workspaceId } = await deploy()
      expect(migrated).toContain('0001')
      const client = createClient({ baseUrl: url, key, WebSocket })
      await client.agents.create({ name: 'Researcher', type: 'general' })

      const stop = new AbortController()
      const completed: string[] = []
      const waiting = new Map<string, () => void>()
      const messages = client.realtime.subscribe(`workspace.${workspaceId}`, { signal: stop.signal })
      const subscribed = new Promise<void>((resolve) => void waiting.set('', resolve))
      const followed = (async () => {
        for await (const message of messages) {
          if (message.type === 'subscribed') waiting.get('')?.()
          if (message.type !== 'task.completed') continue
          completed.push(message.data.title)
          waiting.get(message.data.title)?.()
        }
      })()
      const complete = async (title: string): Promise<void> => {
        const done = new Promise<void>((resolve) => void waiting.set(title, resolve))
        await client.tasks.create({ title })
        await done
      }
      await subscribed
      await complete('before')
      const ended = first.stop()
      for (let place = 1; place <= 4; place++) await complete(`during ${place}`)
      expect(await ended).toBe(0)
      await complete('after')
      stop.abort()
      await followed
      expect(completed.toSorted()).toEqual(
        ['before', 'after', ...Array.from({ length: 4 }, (_, place) => `during ${place + 1}`)].toSorted(),
      )
      expect(await Promise.all([second, agents].map((each) => each.stop()))).toEqual([0, 0])
    },
  )
})
