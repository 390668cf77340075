import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { createTaskboard } from '@taskboard/core'
import { migrate, postgresStorage } from '@taskboard/postgres'
import pg from 'pg'
import { afterEach, describe, expect, inject, it, vi } from 'vitest'
import { encryptionKey } from '@taskboard/kit/access/encryption-key'
import { call, connect } from '@taskboard/kit/mcp/mcp-client'

const program = fileURLToPath(new URL('../test/board-process.ts', import.meta.url))

const cleanUps: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

async function makeDatabase(): Promise<string> {
  const serverUrl = inject('databaseUrl')
  const name = `taskboard_mcp_${randomBytes(6).toString('hex')}`
  const server = new pg.Client({ connectionString: serverUrl })
  await server.connect()
  await server.query(`create database ${name}`)
  cleanUps.push(async () => {
    await server.query(`drop database ${name} with (force)`)
    await server.end()
  })
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return url.href
}

/** An account with a key and a remote agent. */
async function makeAccount(databaseUrl: string) {
  const pool = new pg.Pool({ connectionString: databaseUrl })
  pool.on('error', () => undefined)
  await migrate(pool)
  const taskboard = createTaskboard({
    storage: postgresStorage({ pool }),
    logger: false,
    secrets: { encryptionKey },
  })
  const { account, workspace } = await taskboard.accounts.create({ name: 'Acme', tier: 'enterprise' })
  const { key } = await taskboard.accounts.createKey({
    accountId: account.id,
    name: 'agent',
    scopes: ['tasks:read', 'tasks:write'],
  })
  const { id: agentId } = await taskboard.agents.create(workspace.id, { name: 'Remote', type: 'remote' })
  await taskboard.close()
  await pool.end()
  return { key, agentId, workspaceId: workspace.id }
}

async function startProcess(databaseUrl: string): Promise<string> {
  const sources = new URL('../../../scripts/sources.mjs', import.meta.url).href
  const flags = ['--conditions=@taskboard/source', '--import', sources]
  const child = spawn(process.execPath, [...flags, program, databaseUrl], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  cleanUps.push(async () => {
    child.kill('SIGKILL')
    await once(child, 'exit')
  })
  const { value } = await createInterface(child.stdout)[Symbol.asyncIterator]().next()
  return String(value)
}

describe('a board of two processes on one database', () => {
  it(
    'lets one run go over both, and brings each change to the subscribers of both',
    { timeout: 60_000 },
    async () => {
      const databaseUrl = await makeDatabase()
      const { key, agentId, workspaceId } = await makeAccount(databaseUrl)
      const urls = await Promise.all([startProcess(databaseUrl), startProcess(databaseUrl)])
      const clients = await Promise.all(urls.map((url) => connect(url, key)))
      cleanUps.push(() => Promise.all(clients.map((client) => client.close())))
      const [one, other] = clients as [(typeof clients)[0] & object, (typeof clients)[0] & object]

      const { id } = await call(one, 'create_task', { title: 'Translate' })
      const uris = [`task://${String(id)}`, `board://${workspaceId}`]
      const seen = await Promise.all(
        clients.map(async (client) => {
          const uriSet = new Set<string>()
          client.setNotificationHandler(
            'notifications/resources/updated',
            ({ params }) => void uriSet.add(params.uri),
          )
          await client.listen({ resourceSubscriptions: uris })
          return uriSet
        }),
      )
      const bothSaw = async () => {
        await vi.waitFor(() => expect(seen).toEqual([new Set(uris), new Set(uris)]), 10_000)
        for (const each of seen) each.clear()
      }

      const { run } = await call(one, 'claim_task', { agent: agentId })
      await bothSaw()
      await call(other, 'report_progress', { run, progress: 50 })
      await bothSaw()
      await call(other, 'complete_task', { run, result: 'fertig' })
      await bothSaw()
      expect(await call(one, 'get_task', { task_id: id })).toMatchObject({
        status: 'completed',
        result: 'fertig',
      })
    },
  )
})
