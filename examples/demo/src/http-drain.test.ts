import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { drainServer } from './http-drain.js'

it('cuts off a request that is not answered in time', async () => {
  const server = createServer(() => undefined).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const answer = fetch(`http://127.0.0.1:${port}/`).catch((error: Error) => error.message)
  await once(server, 'request')
  await drainServer(server, promisify(server.close.bind(server)), 20)
  expect(await answer).toBe('fetch failed')
  expect(server.listening).toBe(false)
})
