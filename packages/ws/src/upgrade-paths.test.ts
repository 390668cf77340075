import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { addUpgradePath } from './upgrade-paths.js'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close()
    server.closeAllConnections()
  }
})

async function portOf(server: Server): Promise<number> {
  servers.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

/** Sends raw bytes; resolves with what arrives until `count` responses have begun. */
async function exchange(port: number, parts: readonly string[], count: number): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  let answer = ''
  socket.setEncoding('utf8')
  for (const part of parts) {
    socket.write(part)
    await new Promise((resolve) => setImmediate(resolve))
  }
  for await (const text of socket) {
    answer += String(text)
    if (answer.split('HTTP/1.1 ').length > count && answer.endsWith(';')) break
  }
  socket.destroy()
  return answer
}

/** Echoes the body. */
function mirror(): Server {
  return createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8')
    request.on('data', (text: string) => (body += text))
    request.on('end', () => response.end(`${request.method} ${request.url} ${body};`))
  })
}

const asksForUpgrade =
  'Host: x\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n'

describe('an upgrade request for another path', () => {
  it('is served with its body, and so is the next request', async () => {
    const server = mirror()
    addUpgradePath(server, '/ours', () => undefined)
    const port = await portOf(server)
    const body = 'x'.repeat(100_000)
    const head = `POST /a HTTP/1.1\r\n${asksForUpgrade}Content-Length: ${body.length}\r\n\r\n`
    const next = 'GET /b HTTP/1.1\r\nHost: x\r\n\r\n'
    const answer = await exchange(port, [head + body.slice(0, 10), body.slice(10) + next], 2)
    expect(answer).toContain(`POST /a ${body};`)
    expect(answer).toContain('GET /b ;')
  })

  it('is served with a body in chunks', async () => {
    const server = mirror()
    addUpgradePath(server, '/ours', () => undefined)
    const head = `POST /a HTTP/1.1\r\n${asksForUpgrade}Transfer-Encoding: chunked\r\n\r\n`
    const answer = await exchange(await portOf(server), [head, '3\r\nabc\r\n', '2\r\nde\r\n0\r\n\r\n'], 1)
    expect(answer).toContain('POST /a abcde;')
  })
})

describe('beside a WebSocket server of the host that handles upgrades on its own', () => {
  const greet = (socket: WebSocket): void => socket.send('theirs')
  const cases = ['before', 'after'].flatMap((order) => [
    { order, path: '/theirs' },
    { order, path: undefined },
  ])

  it.each(cases)('attached $order, with the path $path: each has its own', async ({ order, path }) => {
    const server = mirror()
    const ours = new WebSocketServer({ noServer: true })
    const attachTheirs = () => new WebSocketServer({ server, path }).on('connection', greet)
    if (order === 'before') attachTheirs()
    const remove = addUpgradePath(server, '/ours', (request, socket, head) =>
      ours.handleUpgrade(request, socket, head, (webSocket) => webSocket.send('ours')),
    )
    if (order === 'after') attachTheirs()
    const port = await portOf(server)
    const greeting = async (asked: string): Promise<string> => {
      const socket = new WebSocket(`ws://127.0.0.1:${port}${asked}`)
      const [data] = (await once(socket, 'message')) as [Buffer]
      socket.terminate()
      return data.toString()
    }
    expect(await greeting('/ours')).toBe('ours')
    expect(await greeting('/theirs')).toBe('theirs')
    remove()
    expect(Object.hasOwn(server, 'emit')).toBe(false)
    expect(await greeting('/theirs')).toBe('theirs')
  })
})
