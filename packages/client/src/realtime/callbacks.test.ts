import { afterEach, describe, expect, it, vi } from 'vitest'
import { WebSocket } from 'ws'
import { admit, serveScript } from '../../test/scripted-server.js'
import { createClient } from '../index.js'
import { createRealtime, type RealtimeMessage, type RealtimeState } from './index.js'

const cleanUps: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

const CHANNEL = 'workspace.ws_1'

async function serve(script: Parameters<typeof serveScript>[0]) {
  const server = await serveScript(script)
  cleanUps.push(server.close)
  const realtime = createRealtime({
    url: server.url,
    token: () => Promise.resolve('tb_key'),
    WebSocket,
    timings: { firstDelayMs: 2, longestDelayMs: 4 },
  })
  return { server, realtime }
}

const progress = (seq: number) => ({ type: 'task.progress', channel: CHANNEL, workspace_id: 'ws_1', seq })

describe('an onState that throws', () => {
  it.each(['connecting', 'open', 'offline'] as const)(
    'at %s ends its subscription with its error, and no other one',
    async (state) => {
      const { server, realtime } = await serve((message, connection) => {
        admit(message, connection)
        if (connection.number === 1 && message['type'] === 'subscribe') connection.socket.close(1011)
      })
      const fault = new Error(`not ${state}`)
      const onState = (now: RealtimeState): void => {
        if (now === state) throw fault
      }
      const failing = realtime.subscribe(CHANNEL, { onState })
      const drain = async () => {
        for await (const { type } of failing) expect(type).toBe('subscribed')
      }
      const other = realtime.subscribe(CHANNEL)
      const drained = drain().catch((error: unknown) => error)
      expect(await other.next()).toMatchObject({ value: { type: 'subscribed' } })
      expect(await drained).toBe(fault)
      await other.return()
      await expect.poll(() => server.heard.length).toBeGreaterThan(0)
    },
  )

  it('at its end leaves the rest as it is', async () => {
    const { realtime } = await serve(admit)
    const onState = (now: RealtimeState): void => {
      if (now === 'closed') throw new Error('closed')
    }
    for await (const { type } of realtime.subscribe(CHANNEL, { onState })) {
      expect(type).toBe('subscribed')
      break
    }
  })
})

describe('a subscription', () => {
  it('goes on after messages that mean nothing', async () => {
    const { server, realtime } = await serve((message, connection) => {
      admit(message, connection)
      if (message['type'] !== 'subscribe') return
      const rubbish = ['{', 'null', '7', '"x"', '[]', '{}', '{"type":"new"}', '{"type":"error"}']
      const text = rubbish[connection.number - 1]
      if (text === undefined) connection.say(progress(1))
      else connection.socket.send(text)
      if (text !== undefined) connection.socket.close(1011)
    })
    const types: string[] = []
    for await (const { type } of realtime.subscribe(CHANNEL)) {
      types.push(type)
      if (type === 'task.progress') break
    }
    expect(types).toEqual([
      ...Array.from({ length: server.connections }, () => 'subscribed'),
      'task.progress',
    ])
  })

  it('has a buffer of at least one message', async () => {
    const { realtime } = await serve((message, connection) => {
      admit(message, connection)
      if (message['type'] === 'subscribe') connection.say(progress(1))
    })
    const messages = realtime.subscribe(CHANNEL, { bufferLimit: 0 })
    expect(await messages.next()).toMatchObject({ value: { type: 'subscribed' } })
    expect(await messages.next()).toMatchObject({ value: { type: 'task.progress' } })
    await messages.return()
  })

  it('of a slow reader holds no more of 10,000 messages than its buffer, and loses none', async () => {
    const { server, realtime } = await serve((message, connection) => {
      admit({ ...message, channels: [] }, connection)
      if (message['type'] !== 'subscribe') return
      const { [CHANNEL]: since = 0 } = (message['since'] ?? {}) as Record<string, number>
      connection.say({ type: 'subscribed', channel: CHANNEL, seq: since, request_id: message['request_id'] })
      for (let seq = since + 1; seq <= 10_000; seq++) connection.say(progress(seq))
    })
    const slow = realtime.subscribe(CHANNEL)
    const read = async (messages: AsyncIterable<RealtimeMessage>): Promise<readonly number[]> => {
      const seqs: number[] = []
      for await (const message of messages) {
        if (message.type === 'task.progress') seqs.push(message.seq)
        if (seqs.at(-1) === 10_000) break
      }
      return seqs
    }
    expect(await slow.next()).toMatchObject({ value: { type: 'subscribed' } })
    // Another reader has read everything, which is how much the slow one was offered.
    await read(realtime.subscribe(CHANNEL, { since: { [CHANNEL]: 0 } }))
    const asked = server.heard.filter(({ type }) => type === 'subscribe').length
    expect(await read(slow)).toEqual(Array.from({ length: 10_000 }, (_, index) => index + 1))
    const { since } = server.heard.filter(({ type }) => type === 'subscribe')[asked] ?? {}
    expect(since).toEqual({ [CHANNEL]: 1_000 })
  })

  it('loads its part again after it could not be loaded', async () => {
    const server = await serveScript(admit)
    cleanUps.push(server.close)
    const baseUrl = server.url.replace('ws', 'http')
    let isBroken = true
    const Flaky = class extends WebSocket {}
    const client = createClient({ baseUrl, key: 'tb_key', WebSocket: Flaky, fetch })
    vi.stubGlobal('location', {
      get href() {
        if (isBroken) throw new Error('not loaded')
        return 'http://127.0.0.1/'
      },
    })
    cleanUps.push(() => vi.unstubAllGlobals())
    await expect(client.realtime.subscribe(CHANNEL).next()).rejects.toThrow('not loaded')
    isBroken = false
    const messages = client.realtime.subscribe(CHANNEL)
    expect(await messages.next()).toMatchObject({ value: { type: 'subscribed' } })
    await messages.return()
  })
})
