import { once } from 'node:events'
import { createServer, IncomingMessage, request, ServerResponse, type Server } from 'node:http'
import { Socket, type AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { drainable } from './http-drain.js'

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

async function openWebSocket(server: Server, port: number): Promise<Duplex> {
  const upgraded = once(server, 'upgrade') as Promise<[unknown, Duplex]>
  const client = request({ port, headers: { connection: 'Upgrade', upgrade: 'websocket' } }).end()
  client.on('error', () => undefined)
  const [, socket] = await upgraded
  socket.on('error', () => undefined)
  return socket
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
  const socket = await openWebSocket(server, port)
  let hasEnded = false
  await drain(promisify(server.close.bind(server)), 60_000)
  const end = ended().then(() => (hasEnded = true))
  await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow('fetch failed')
  expect(hasEnded).toBe(false)
  socket.destroy()
  await end
})

it('waits no longer than allowed for a request beside a WebSocket', async () => {
  const server = createServer(() => undefined)
  const { drain, ended } = drainable(server)
  const socket = await openWebSocket(server, await listen(server))
  const asked = new IncomingMessage(new Socket())
  server.emit('request', asked, new ServerResponse(asked))
  await drain(promisify(server.close.bind(server)), 20)
  socket.destroy()
  await ended()
  expect(server.listening).toBe(false)
})
