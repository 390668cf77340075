import { once } from 'node:events'
import { closeCodes, encodeFrames, type RealtimeProtocol } from '@taskboard/core/transport'
import { afterEach, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { openSubscribed } from '@taskboard/kit/realtime/client'
import { serveRealtime, type RealtimeHost } from '../test/realtime-host.js'
import { attachRealtime } from './index.js'

let host: RealtimeHost
afterEach(() => host.close())

/** Echoes each message. */
const echo: RealtimeProtocol = {
  path: '/echo',
  subprotocols: ['echo-2', 'echo-1'],
  closeCodes: { ...closeCodes, unsupportedSubprotocol: 4999 },
  open: (connection) => ({
    received: (text) => connection.send(encodeFrames([`${text} ${connection.origin.header('user-agent')}`])),
    ended: () => undefined,
  }),
}

async function serve(): Promise<{ readonly url: string }> {
  host = await serveRealtime({ attach: { protocols: [echo] } })
  return { url: host.url.replace('/v2/realtime', '/echo') }
}

describe('a further protocol', () => {
  it('is spoken on its path, beside the channel', async () => {
    const { url } = await serve()
    const socket = new WebSocket(url, ['other', 'echo-1', 'echo-2'], { headers: { 'user-agent': 'test' } })
    await once(socket, 'open')
    expect(socket.protocol).toBe('echo-2')
    socket.send('hello')
    const [answer] = (await once(socket, 'message')) as [Buffer]
    expect(answer.toString()).toBe('hello test')
    const client = await openSubscribed(host.url, host.key, ['tasks'])
    expect(client.messages.map(({ type }) => type)).toEqual(['auth.ok', 'subscribed'])
    socket.terminate()
  })

  it('closes connections that do not request it, with its own code', async () => {
    const { url } = await serve()
    const [code] = (await once(new WebSocket(url), 'close')) as [number]
    expect(code).toBe(4999)
  })

  it('is not served, nor is the channel, when one of the paths is already served', async () => {
    await serve()
    const { server, taskboard } = host
    const again = { path: '/live', protocols: [echo] }
    expect(() => attachRealtime(server, taskboard, again)).toThrow('already')
    const socket = new WebSocket(host.url.replace('/v2/realtime', '/live'))
    const [error] = (await once(socket, 'error')) as [Error]
    expect(error.message).toMatch('200')
    const [code] = (await once(new WebSocket(host.url.replace('/v2/realtime', '/echo')), 'close')) as [number]
    expect(code).toBe(4999)
  })
})
