import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { createTaskboard } from '@taskboard/core'
import { taskboardRouter } from '@taskboard/express'
import { migrate, postgresStorage } from '@taskboard/postgres'
import { webhookReceiver } from '@taskboard/testing'
import express from 'express'
import pg from 'pg'
import { afterEach, describe, expect, inject, it } from 'vitest'
import { encryptionKey } from '@taskboard/kit/access/encryption-key'
import { otlpReceiver } from '../test/otlp-receiver.js'
import { startSdk } from '../test/sdk.js'
import { otelTelemetry } from './index.js'

const program = fileURLToPath(new URL('../test/worker-process.ts', import.meta.url))
const CLIENT_TRACE = '0af7651916cd43dd8448eb211c80319c'
const CLIENT_SPAN = 'b7ad6b7169203331'

const cleanUps: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

async function makeDatabase(): Promise<string> {
  const serverUrl = inject('databaseUrl')
  const name = `taskboard_otel_${randomBytes(6).toString('hex')}`
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

/** Resolves to a function that ends the process, when that has started. */
async function startWorker(databaseUrl: string, receiverUrl: string): Promise<() => Promise<void>> {
  const sources = new URL('../../../scripts/sources.mjs', import.meta.url).href
  const flags = ['--conditions=@taskboard/source', '--import', sources]
  const child = spawn(process.execPath, [...flags, program, databaseUrl, receiverUrl], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  cleanUps.push(() => child.kill('SIGKILL'))
  const exit = once(child, 'exit')
  await createInterface(child.stdout)[Symbol.asyncIterator]().next()
  return async () => {
    child.stdin.end()
    await exit
  }
}

async function startApi(databaseUrl: string, receiverUrl: string) {
  const sdk = startSdk('api', receiverUrl)
  cleanUps.push(() => sdk.stop())
  const pool = new pg.Pool({ connectionString: databaseUrl })
  pool.on('error', () => undefined)
  await migrate(pool)
  const taskboard = createTaskboard({
    storage: postgresStorage({ pool }),
    secrets: { encryptionKey },
    webhooks: { allow: ['127.0.0.0/8'] },
    telemetry: otelTelemetry({ ...sdk, trustTraceparent: true, propagateToWebhooks: true }),
  })
  await taskboard.start()
  const server = createServer(express().use(taskboardRouter(taskboard))).listen(0, '127.0.0.1')
  await once(server, 'listening')
  cleanUps.push(async () => {
    server.closeAllConnections()
    server.close()
    await taskboard.close()
    await pool.end()
  })
  return { taskboard, sdk, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

describe('a trace over two processes', () => {
  it(
    'goes from the request that adds a task, through its run, to the webhook that reports its end',
    { timeout: 60_000 },
    async () => {
      const databaseUrl = await makeDatabase()
      const collector = await otlpReceiver()
      cleanUps.push(() => collector.close())
      const webhooks = await webhookReceiver()
      cleanUps.push(() => webhooks.close())
      const { taskboard, sdk, url } = await startApi(databaseUrl, collector.url)
      const { account, workspace } = await taskboard.accounts.create({ name: 'Acme', tier: 'enterprise' })
      await taskboard.agents.create(workspace.id, { name: 'Translator', type: 'translation' })
      await taskboard.webhooks.register(workspace.id, { url: webhooks.url, events: ['task.completed'] })
      const { key } = await taskboard.accounts.createKey({
        accountId: account.id,
        name: 'shop',
        scopes: ['tasks:write'],
      })
      const endWorker = await startWorker(databaseUrl, collector.url)

      const created = await fetch(`${url}/v2/tasks`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': 'application/json',
          traceparent: `00-${CLIENT_TRACE}-${CLIENT_SPAN}-01`,
        },
        body: JSON.stringify({ title: 'Translate the manual', type: 'translation' }),
      })
      expect(created.status).toBe(201)
      const taskText = await created.text()
      expect(taskText).not.toContain(CLIENT_TRACE)
      const { id: taskId } = JSON.parse(taskText) as { readonly id: string }
      const [delivery] = await webhooks.waitFor(1, 20_000)
      await endWorker()
      await taskboard.close()
      await sdk.flush()

      const spans = collector.spans.filter(({ traceId }) => traceId === CLIENT_TRACE)
      const named = (name: string) => {
        const [found, other] = spans.filter((span) => span.name === name)
        if (found === undefined || other !== undefined) throw new Error(`not one span ${name}`)
        return found
      }
      const request = named('POST /v2/tasks')
      const add = named('add tasks')
      const run = named('run translation')
      const delivered = named('deliver task.completed')
      expect(request).toMatchObject({ service: 'api', kind: 2, parentSpanId: CLIENT_SPAN })
      expect(request.attributes).toMatchObject({
        'http.request.method': 'POST',
        'http.route': '/v2/tasks',
        'http.response.status_code': 201,
      })
      expect(add).toMatchObject({ service: 'api', kind: 4, parentSpanId: request.spanId })
      expect(add.attributes).toMatchObject({ 'messaging.message.id': taskId })
      const origin = { traceId: CLIENT_TRACE, spanId: add.spanId }
      expect(run).toMatchObject({ service: 'worker', kind: 5, parentSpanId: add.spanId, links: [origin] })
      expect(run.attributes).toMatchObject({
        'messaging.message.id': taskId,
        'gen_ai.operation.name': 'invoke_agent',
        'taskboard.outcome': 'completed',
      })
      expect(delivered).toMatchObject({ kind: 3, parentSpanId: add.spanId })
      expect(delivered.attributes).toMatchObject({
        'taskboard.outcome': 'succeeded',
        'http.response.status_code': 200,
      })
      expect(delivery?.headers['traceparent']).toBe(`00-${CLIENT_TRACE}-${delivered.spanId}-01`)
      const claim = collector.spans.find(({ name }) => name === 'claim tasks')
      expect(claim).toMatchObject({ service: 'worker', links: [origin] })
      expect(claim?.parentSpanId).toBeUndefined()
      expect(claim?.traceId).not.toBe(CLIENT_TRACE)
      const runs = collector.points().filter(({ name }) => name === 'messaging.process.duration')
      expect(runs).toMatchObject([{ service: 'worker', count: 1 }])
      for (const secret of [key, webhooks.url, 'Translate the manual']) {
        expect(collector.text()).not.toContain(secret)
      }
    },
  )
})
