import { createTaskboard, defineAgent, scopes } from '@taskboard/core'
import { taskboardPlugin } from '@taskboard/fastify'
import Fastify from 'fastify'
import { randomBytes } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { Worker } from 'node:worker_threads'
import pg from 'pg'
import { migrate, postgresStorage } from '../src/index.js'

/** A board that this process serves and works. */
export interface SoakedBoard {
  readonly url: string
  readonly keys: readonly string[]
  readonly pool: pg.Pool
  /** The number of bodies that the receiver of webhooks received. */
  received(): number
  close(): Promise<void>
}

const WORKSPACES = 20
const RECEIVER = `const { createServer } = require('node:http')
   const { parentPort, workerData } = require('node:worker_threads')
   const count = (request, response) =>
     request.resume().on('end', () => { Atomics.add(workerData, 0, 1); response.end() })
   const server = createServer(count)
   server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port))`

/** A board with an agent in each workspace, and a webhook for its events. */
export async function openSoakedBoard(databaseUrl: string): Promise<SoakedBoard> {
  const received = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  const receiver = new Worker(RECEIVER, { eval: true, workerData: received })
  const port = await new Promise<number>((resolve) => receiver.once('message', resolve))
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 10 })
  pool.on('error', (error) => console.error(error.message))
  await migrate(pool)
  const agent = defineAgent({
    type: 'soaked',
    concurrency: 8,
    async run(task, { progress, log }) {
      await progress(50)
      await log('half of it')
      return `done: ${task.title}`
    },
  })
  const taskboard = createTaskboard({
    storage: postgresStorage({ pool }),
    agents: [agent],
    secrets: { encryptionKey: randomBytes(32) },
    webhooks: { allow: ['127.0.0.0/8'], mostPerHostPerMinute: 1_000_000 },
    limits: { boardPerMinute: 100_000 },
  })
  let heard = 0
  taskboard.events.on('*', () => void (heard += 1))
  const keys: string[] = []
  const { account, workspace } = await taskboard.accounts.create({ name: 'Soak', tier: 'custom' })
  for (let made = 0; made < WORKSPACES; made += 1) {
    const { id } =
      made === 0 ? workspace : await taskboard.accounts.createWorkspace(account.id, { name: 'More' })
    const url = `http://127.0.0.1:${port}/hook`
    await taskboard.webhooks.register(id, { url, events: ['task.created', 'task.completed'], secret: 'soak' })
    const { key } = await taskboard.accounts.createKey({ workspaceId: id, name: 'soak', scopes: [...scopes] })
    keys.push(key)
  }
  const app = Fastify()
  await app.register(taskboardPlugin, { taskboard })
  await app.listen({ port: 0, host: '127.0.0.1' })
  await taskboard.start()
  return {
    url: `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`,
    keys,
    pool,
    received: () => Atomics.load(received, 0),
    async close() {
      await app.close()
      await taskboard.close()
      await pool.end()
      await receiver.terminate()
      if (heard === 0) throw new Error('no listener received an event')
    },
  }
}
