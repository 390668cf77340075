import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { signPayload } from '../packages/core/src/index.js'
import { signStandardWebhook } from '../packages/core/src/entries/transport.js'

const fromSources = new URL('../scripts/sources.mjs', import.meta.url).href
const cache = fileURLToPath(new URL('../node_modules/.cache', import.meta.url))
const SECRET = 'the one given at registration'
const body = JSON.stringify({ event: 'task.created', data: { title: 'Order 7' } })
let folder: string
let url: string
let receiver: ChildProcess
let printed = ''

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/** The headers of a delivery that was sent some seconds ago. */
function headersOf(id: string, secondsAgo = 0): Record<string, string> {
  const sentAt = Math.floor(Date.now() / 1_000 - secondsAgo) * 1_000
  return {
    'content-type': 'application/json',
    'x-service-event': 'task.created',
    'x-service-delivery': id,
    'x-service-signature': signPayload(SECRET, body),
    'webhook-id': id,
    'webhook-timestamp': String(sentAt / 1_000),
    'webhook-signature': signStandardWebhook(SECRET, { id, sentAt, body }),
  }
}

async function send(headers: Record<string, string>): Promise<number> {
  const response = await fetch(url, { method: 'POST', headers, body })
  await response.arrayBuffer()
  return response.status
}

beforeAll(async () => {
  const page = await readFile(new URL('webhooks.md', import.meta.url), 'utf8')
  const [, code = ''] = /^```ts\n([^`]*verifyDelivery[^`]*)^```$/m.exec(page) ?? []
  const port = await freePort()
  url = `http://127.0.0.1:${port}/hook`
  await mkdir(cache, { recursive: true })
  folder = await mkdtemp(join(cache, 'receiver-'))
  const file = join(folder, 'receiver.mts')
  await writeFile(
    file,
    `${code.replace('app.listen(9000)', `app.listen(${port}, () => console.log('listening'))`)}\n`,
  )
  const args = ['--conditions=@taskboard/source', '--import', fromSources, file]
  receiver = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  await new Promise<void>((resolve, reject) => {
    receiver.stderr?.on('data', (chunk: Buffer) => (printed += chunk.toString()))
    receiver.stdout?.on('data', (chunk: Buffer) => {
      printed += chunk.toString()
      if (printed.includes('listening')) resolve()
    })
    receiver.once('close', () => reject(new Error(`the receiver exited: ${printed}`)))
  })
}, 60_000)
afterAll(async () => {
  receiver.kill('SIGKILL')
  await rm(folder, { recursive: true })
})

it('handles a delivery, and refuses to be shown it again: as it was, later, and under another id', async () => {
  const handled = (): number => printed.match(/^task\.created Order 7$/gm)?.length ?? 0
  const headers = headersOf('evt_1')
  expect(await send(headers)).toBe(204)
  await expect.poll(handled).toBe(1)
  // The same id again is a retry or a replay: there is nothing left to do.
  expect(await send(headers)).toBe(204)
  expect(await send(headersOf('evt_1'))).toBe(204)
  expect(await send(headersOf('evt_2', 360))).toBe(401)
  expect(await send({ ...headers, 'x-service-delivery': 'evt_3', 'webhook-id': 'evt_3' })).toBe(401)
  const { 'webhook-signature': _, ...unsigned } = headersOf('evt_4')
  expect(await send(unsigned)).toBe(401)
  expect(await send(headersOf('evt_5'))).toBe(204)
  await expect.poll(handled).toBe(2)
})
