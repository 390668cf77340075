import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { encodeFrames, type Socket } from '@taskboard/core/transport'
import { afterEach, describe, expect, it } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { PortedWebSocket, StreamSocket } from './web-socket.js'

const closers: (() => void)[] = []
afterEach(() => closers.splice(0).forEach((close) => close()))

/** Both ends of a connection: ours over the port, and a client that keeps what it receives. */
async function connectedPair(compress: boolean) {
  const upgrades = new WebSocketServer({
    noServer: true,
    perMessageDeflate: compress && { threshold: 0 },
    WebSocket: PortedWebSocket,
  })
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const connected = new Promise<{ socket: Socket; webSocket: WebSocket }>((resolve) => {
    server.on('upgrade', (request, stream, head) =>
      upgrades.handleUpgrade(request, stream, head, (webSocket) =>
        resolve({ webSocket, socket: new StreamSocket(webSocket, stream) }),
      ),
    )
  })
  const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`)
  closers.push(() => {
    client.terminate()
    server.close()
  })
  const heard: string[] = []
  client.on('message', (data: Buffer) => heard.push(data.toString()))
  client.on('ping', (data) => heard.push(`ping ${data.toString()}`))
  await once(client, 'open')
  return { ...(await connected), client, heard }
}

describe('the port over ws', () => {
  it.each([
    ['frames that were made once', false],
    ['messages through ws, where extensions were agreed on', true],
  ])('sends %s, whole and in order with the frames that ws sends itself', async (_title, compress) => {
    const { socket, webSocket, client, heard } = await connectedPair(compress)
    expect(webSocket.extensions === '').toBe(!compress)
    const expected: string[] = []
    let written = 0
    for (let n = 0; n < 300; n++) {
      const sizes = [0, 1, 125, 126, 65_535, 65_536, 200_000]
      const text = `${n} ${randomBytes((sizes[n % sizes.length] ?? 0) >> 1).toString('hex')} é€😀`
      socket.send(encodeFrames([text, `${n} again`]), () => (written += 1))
      webSocket.send(`by ws ${n}`)
      if (!compress) webSocket.ping(`${n}`)
      expected.push(text, `${n} again`, `by ws ${n}`, ...(compress ? [] : [`ping ${n}`]))
    }
    socket.close(4000, 'enough')
    socket.send(encodeFrames(['too late']), () => (written += 1))
    const [code] = (await once(client, 'close')) as [number]
    expect(code).toBe(4000)
    expect(heard).toEqual(expected)
    expect(written).toBe(301)
  })

  it('calls back, and throws nothing, when the socket has gone', async () => {
    const { socket, webSocket, client } = await connectedPair(false)
    const gone = once(webSocket, 'close')
    client.terminate()
    await gone
    await new Promise<void>((resolve) => socket.send(encodeFrames(['to nobody']), resolve))
    socket.ping()
    socket.close(1000, 'again')
    socket.terminate()
    expect(socket.bufferedBytes).toBe(0)
  })
})
