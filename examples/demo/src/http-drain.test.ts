import { once } from 'node:events'
import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { drainable } from './http-drain.js'

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

it('cuts off a request that is not answered in time', async () => {
  const server = createServer(() => undefined)
  const { drain, ended } = drainable(server)
  const port = await listen(server)
  const answer = fetch(`http://127.0.0.1:${port}/`).catch((error: Error) => error.message)
  await once(server, 'request')
  await drain(promisify(server.close.bind(server)), 20)
  await ended()
  expect(await answer).toBe('fetch failed')
  expect(server.listening).toBe(false)
})

it('does not wait for WebSockets until the end', async () => {
  const server = createServer((_, response) => response.end('late'))
  const { drain, ended } = drainable(server)
  const port = await listen(server)
  const upgraded = once(server, 'upgrade') as Promise<[unknown, Duplex]>
  const client = request({ port, headers: { connection: 'Upgrade', upgrade: 'websocket' } }).end()
  client.on('error', () => undefined)
  const [, socket] = await upgraded
  socket.on('error', () => undefined)

  let hasEnded = false
  await drain(promisify(server.close.bind(server)), 60_000)
  const end = ended().then(() => (hasEnded = true))
  await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow('fetch failed')
  expect(hasEnded).toBe(false)
  socket.destroy()
  await end
})
