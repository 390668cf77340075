import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { openSubscribed } from '@taskboard/kit/realtime/client'
import { serveRealtime, type RealtimeHost } from '../test/realtime-host.js'

let host: RealtimeHost
afterEach(() => host.close())

const BUFFER_BYTES = 262_144
const READERS = 8
const MESSAGES = 400
const MESSAGE_BYTES = 20_000

describe('a reader that never reads', () => {
  it('is closed at the cap, holds no growing memory, and delays no other client', async () => {
    host = await serveRealtime({ bounds: { bufferLimitBytes: BUFFER_BYTES } })
    const { taskboard, url, key, workspaceId, server } = host
    const serverSides: { writableLength: number; destroyed: boolean }[] = []
    server.on('connection', (socket) => serverSides.push(socket))
    const channel = `workspace.${workspaceId}`
    const deaf = await Promise.all(
      Array.from({ length: READERS }, async () => {
        const client = await openSubscribed(url, key, [channel])
        client.socket.pause()
        return client
      }),
    )
    const reading = await openSubscribed(url, key, [channel])
    const sides = serverSides.slice(0, READERS)

    const description = 'x'.repeat(MESSAGE_BYTES)
    let mostBuffered = 0
    for (let n = 0; n < MESSAGES; n++) {
      await taskboard.board(workspaceId).add({ title: `${n}`, description })
      await reading.heard(({ seq }) => seq === n + 1)
      mostBuffered = Math.max(mostBuffered, ...sides.map(({ writableLength }) => writableLength))
    }
    expect(MESSAGES * MESSAGE_BYTES).toBeGreaterThan(20 * BUFFER_BYTES)
    expect(mostBuffered).toBeGreaterThan(BUFFER_BYTES / 2)
    expect(mostBuffered).toBeLessThan(BUFFER_BYTES + 3 * MESSAGE_BYTES)
    // Nothing is added once the connection is closing.
    const before = sides.map(({ writableLength }) => writableLength)
    for (let n = 0; n < 20; n++) await taskboard.board(workspaceId).add({ title: 'more', description })
    await reading.heard(({ seq }) => seq === MESSAGES + 20)
    expect(sides.map(({ writableLength }) => writableLength)).toEqual(before)

    for (const client of deaf) client.socket.resume()
    for (const client of deaf) expect((await client.closed).code).toBe(4409)
  })

  it('is ended when it does not read the close either', async () => {
    host = await serveRealtime({
      bounds: { bufferLimitBytes: 65_536 },
      realtime: { heartbeatIntervalMs: 100 },
    })
    const { url } = host
    const { hostname, port } = new URL(url)
    const raw = connect(Number(port), hostname)
    raw.write(
      `GET /v2/realtime HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
        'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n',
    )
    raw.on('error', () => undefined)
    raw.resume()
    // It answers no ping.
    const outcome = await Promise.race([once(raw, 'close').then(() => 'ended'), sleep(10_000, 'still there')])
    expect(outcome).toBe('ended')
  })
})
