import { once } from 'node:events'
import {
  Agent,
  createServer,
  get,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { memoryStorage } from '@taskboard/memory'
import { virtualClock } from '@taskboard/testing'
import { afterEach, expect, it } from 'vitest'
import { createTaskboard } from '../wiring/taskboard.js'
import { closeServer } from './close-server.js'

const cleanUps: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

async function listen(
  listener: RequestListener,
  keepAliveTimeout = 0,
): Promise<{ server: Server; url: string }> {
  const server = createServer({ keepAliveTimeout }, listener).listen(0, '127.0.0.1')
  cleanUps.push(() => server.close().closeAllConnections())
  await once(server, 'listening')
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` }
}

/** One kept connection, as a proxy has it. */
function keptConnection(url: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  cleanUps.push(() => agent.destroy())
  return async () => {
    const [response] = (await once(get(url, { agent }), 'response')) as [IncomingMessage]
    for await (const chunk of response) void chunk
    return response.headers.connection
  }
}

function createBoard(clock?: ReturnType<typeof virtualClock>) {
  return createTaskboard({ storage: memoryStorage(), logger: false, ...(clock && { clock }) })
}

it('ends a server that a proxy asks on one connection, again and again', async () => {
  const clock = virtualClock()
  const taskboard = createBoard(clock)
  await taskboard.start()
  let requests = 0
  let ended = Promise.resolve()
  const { server, url } = await listen((_request, response) => {
    // In the middle of a request the connection is not idle.
    if ((requests += 1) === 2) ended = closeServer(server, taskboard)
    void setImmediate().then(() => response.end('ok'))
  })
  const ask = keptConnection(url)
  const answers: (string | undefined)[] = []
  const asking = async () => {
    for (;;) answers.push(await ask())
  }
  await expect(asking()).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  expect(answers).toEqual(['keep-alive', 'keep-alive', 'close'])
  await ended
  expect([server.listening, await connectionsOf(server)]).toEqual([false, 0])
})

it('ends a connection whose answer was under way and that stays silent afterwards', async () => {
  let finish = (): void => undefined
  // The host's own, shorter limit counts.
  const { server, url } = await listen((_request, response) => {
    finish = () => response.end('late')
  }, 20)
  const asked = keptConnection(url)()
  await once(server, 'request')
  // Time stands still, so nothing is cut off.
  const ended = closeServer(server, createBoard(virtualClock()))
  finish()
  await asked
  await ended
  expect(await connectionsOf(server)).toBe(0)
})

it('answers the request that follows on one whose response was under way', async () => {
  const responses: ServerResponse[] = []
  const { server, url } = await listen((_request, response) => {
    if (responses.push(response) > 1) response.end('next')
  })
  const ask = keptConnection(url)
  const late = ask()
  await once(server, 'request')
  const ended = closeServer(server, createBoard())
  responses[0]?.end('late')
  const answers = [await late]
  // A proxy's next request, which was on its way or comes from the next client.
  await sleep(200)
  answers.push(await ask())
  expect(answers).toEqual(['keep-alive', 'close'])
  await ended
})

it('refuses what is no server, and leaves the task board open', async () => {
  const taskboard = createBoard()
  const application = Object.assign(() => undefined, { on: () => undefined })
  await expect(closeServer(application as never, taskboard)).rejects.toMatchObject({
    code: 'INVALID_CONFIG',
    field: 'server',
  })
  await taskboard.start()
  await taskboard.close()
})

it('cuts off a request that is not answered in time', async () => {
  const { server, url } = await listen(() => undefined)
  const asked = keptConnection(url)().catch((error: { readonly code?: string }) => error.code)
  await once(server, 'request')
  const clock = virtualClock()
  let hasEnded = false
  const ended = closeServer(server, createBoard(clock), { cutAfterMs: 1_000 }).then(() => (hasEnded = true))
  await clock.advance(999)
  expect(hasEnded).toBe(false)
  await clock.advance(1)
  await ended
  expect(await asked).toBe('ECONNRESET')
})

it('may be called again, and on a server that never listened', async () => {
  const taskboard = createBoard()
  const server = createServer()
  await closeServer(server, taskboard)
  await closeServer(server, taskboard)
  expect(server.listening).toBe(false)
})

function connectionsOf(server: Server): Promise<number> {
  return new Promise((resolve, reject) =>
    server.getConnections((error, count) => (error === null ? resolve(count) : reject(error))),
  )
}
