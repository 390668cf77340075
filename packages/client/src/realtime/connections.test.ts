import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { WebSocket } from 'ws'
import { admit, serveScript, type ScriptedConnection } from '../../test/scripted-server.js'
import { TaskboardApiError } from '../api-error.js'
import { createRealtime, type RealtimeOptions } from './index.js'

const cleanUps: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

const CHANNEL = 'workspace.ws_1'
const SOON = { firstDelayMs: 2, longestDelayMs: 4 }

async function serve(script: Parameters<typeof serveScript>[0]) {
  const server = await serveScript(script)
  cleanUps.push(server.close)
  return server
}

function realtimeOf(url: string, options: Partial<RealtimeOptions> = {}) {
  return createRealtime({
    url,
    token: () => Promise.resolve('tb_key'),
    WebSocket,
    timings: SOON,
    random: () => 0.5,
    ...options,
  })
}

const event = (seq: number) => ({
  type: 'task.progress',
  channel: CHANNEL,
  workspace_id: 'ws_1',
  seq,
  task_id: 'task_1',
  progress: seq,
  timestamp: '2026-11-21T12:00:00.000Z',
})

/** Closes the first connections with a code after they are authenticated, or before. */
const closing =
  (code: number, { times = 1, isBefore = false, error = '' } = {}) =>
  (message: Readonly<Record<string, unknown>>, connection: ScriptedConnection): void => {
    if (connection.number > times || (message['type'] === 'auth' && !isBefore))
      return admit(message, connection)
    if (error !== '') connection.say({ type: 'error', error: { code: error, message: 'refused' } })
    connection.socket.close(code, 'as scripted')
  }

describe('a connection that ends', () => {
  it.each([1001, 1011, 4409, 4403, 4429])('with %i is followed by another one', async (code) => {
    vi.useFakeTimers({
      toFake: ['setTimeout', 'clearTimeout'],
      shouldAdvanceTime: true,
      advanceTimeDelta: 500,
    })
    cleanUps.push(() => Promise.resolve(vi.useRealTimers()))
    const server = await serve(closing(code))
    const states: string[] = []
    const messages = realtimeOf(server.url).subscribe(CHANNEL, {
      onState: (state, reason) => states.push(reason === undefined ? state : `${state}: ${reason.message}`),
    })
    expect(await messages.next()).toMatchObject({ value: { type: 'subscribed', channel: CHANNEL } })
    await messages.return()
    expect(server.connections).toBe(2)
    // Those of `ws` end with its closing handshake.
    while (vi.getTimerCount() > 0) await yieldToEventLoop()
    expect(states).toEqual(['connecting', 'open', 'offline: as scripted', 'connecting', 'open', 'closed'])
  })

  it.each([1003, 1009, 4408, 4430])('with %i ends the subscription', async (code) => {
    const server = await serve(closing(code))
    const messages = realtimeOf(server.url).subscribe(CHANNEL)
    await expect(messages.next()).rejects.toMatchObject({ name: 'TaskboardRealtimeError', closeCode: code })
    expect(await messages.next()).toMatchObject({ done: true })
    expect(server.connections).toBe(1)
  })

  it('for lack of a scope ends the subscription with the reason', async () => {
    const server = await serve(closing(4403, { isBefore: true, error: 'AUTHORIZATION_FAILED' }))
    const messages = realtimeOf(server.url).subscribe(CHANNEL)
    await expect(messages.next()).rejects.toMatchObject({ code: 'AUTHORIZATION_FAILED', closeCode: 4403 })
  })

  it('for its credential asks for another one, once', async () => {
    const refusal = { isBefore: true, error: 'AUTHENTICATION_FAILED' }
    const once = await serve(closing(4401, refusal))
    const asked: (string | null)[] = []
    const token = (rejected: string | null): Promise<string> => {
      asked.push(rejected)
      return Promise.resolve(`token ${asked.length}`)
    }
    const messages = realtimeOf(once.url, { token }).subscribe(CHANNEL)
    expect(await messages.next()).toMatchObject({ value: { type: 'subscribed' } })
    await messages.return()
    expect(asked).toEqual([null, 'token 1'])
    expect(once.heard.filter(({ type }) => type === 'auth')).toEqual([
      { type: 'auth', token: 'Bearer token 1' },
      { type: 'auth', token: 'Bearer token 2' },
    ])

    const twice = await serve(closing(4401, { ...refusal, times: 2 }))
    const refused = realtimeOf(twice.url).subscribe(CHANNEL)
    await expect(refused.next()).rejects.toMatchObject({ code: 'AUTHENTICATION_FAILED', closeCode: 4401 })
    expect(twice.connections).toBe(2)
  })

  it('waits after too many wrong credentials from its address', async () => {
    const server = await serve(closing(4401, { isBefore: true, error: 'RATE_LIMIT_EXCEEDED', times: 3 }))
    const messages = realtimeOf(server.url).subscribe(CHANNEL)
    expect(await messages.next()).toMatchObject({ value: { type: 'subscribed' } })
    await messages.return()
  })

  it('is replaced when the server says that the renewed token has other rights', async () => {
    const server = await serve((message, connection) => {
      admit(message, connection)
      if (connection.number === 1 && message['type'] === 'subscribe')
        connection.say({ type: 'error', error: { code: 'CONFLICT', message: 'another caller' } })
    })
    const states: string[] = []
    const messages = realtimeOf(server.url).subscribe(CHANNEL, {
      onState: (state, reason) => states.push(reason === undefined ? state : `${state}: ${reason.message}`),
    })
    await messages.next()
    await messages.next()
    await messages.return()
    expect(states).toEqual(['connecting', 'open', 'offline: another caller', 'connecting', 'open', 'closed'])
    expect(server.connections).toBe(2)
  })

  it('and whose server is silent is given up', async () => {
    const server = await serve((message, connection) => {
      if (connection.number === 1 && message['type'] === 'ping') return
      admit(message, connection)
      if (message['type'] === 'subscribe') connection.say(event(connection.number))
      // Half open: it reads nothing any more, and does not close.
      if (connection.number === 1 && message['type'] === 'subscribe') connection.socket.pause()
    })
    const timings = { ...SOON, pingMs: 30, answerMs: 1_000 }
    const messages = realtimeOf(server.url, { timings }).subscribe(CHANNEL)
    const types: unknown[] = []
    for await (const message of messages) {
      types.push('seq' in message ? [message.type, message.seq] : message.type)
      if (types.length === 4) break
    }
    expect(types).toEqual([
      ['subscribed', 0],
      ['task.progress', 1],
      ['subscribed', 1],
      ['task.progress', 2],
    ])
    expect(server.heard.filter(({ type }) => type === 'subscribe').at(-1)).toMatchObject({
      since: { [CHANNEL]: 1 },
    })
  })
})

describe('the source of the credential', () => {
  it('is asked again when it fails for now, and ends the subscription when it refuses', async () => {
    const server = await serve(admit)
    const faults: Error[] = [new TypeError('fetch failed'), Object.assign(new Error('busy'), { status: 503 })]
    const token = (): Promise<string> => {
      const fault = faults.shift()
      return fault === undefined ? Promise.resolve('tb_key') : Promise.reject(fault)
    }
    const messages = realtimeOf(server.url, { token }).subscribe(CHANNEL)
    expect(await messages.next()).toMatchObject({ value: { type: 'subscribed' } })
    await messages.return()

    const refusal = new TaskboardApiError('no', { status: 401, code: 'LOGIN_REQUIRED' })
    const refused = realtimeOf(server.url, { token: () => Promise.reject(refusal) }).subscribe(CHANNEL)
    await expect(refused.next()).rejects.toBe(refusal)
  })

  it('gives no token for the cookies of the host', async () => {
    const server = await serve(admit)
    const messages = realtimeOf(server.url, { token: () => Promise.resolve(null) }).subscribe(CHANNEL)
    await messages.next()
    await messages.return()
    expect(server.heard[0]).toEqual({ type: 'auth', token: '' })
  })
})

describe('a subscription', () => {
  it('shares one connection, which ends with the last one', async () => {
    const server = await serve(admit)
    const realtime = realtimeOf(server.url)
    const [first, second] = [realtime.subscribe(CHANNEL), realtime.subscribe(['workspace.ws_2', CHANNEL])]
    await Promise.all([first.next(), second.next()])
    await first.return()
    expect(server.connections).toBe(1)
    await second.return()
    const third = realtime.subscribe(CHANNEL)
    await third.next()
    expect(server.connections).toBe(2)
    await third.return()
  })

  it('ends with its signal, also while it waits for the next connection', async () => {
    const server = await serve(closing(1011, { times: 1_000 }))
    const stopping = new AbortController()
    const messages = realtimeOf(server.url, {
      timings: { firstDelayMs: 3_600_000, longestDelayMs: 3_600_000 },
    }).subscribe(CHANNEL, {
      signal: stopping.signal,
      onState: (state) => state === 'offline' && stopping.abort(),
    })
    expect(await messages.next()).toEqual({ done: true, value: undefined })
    const late = realtimeOf(server.url).subscribe(CHANNEL, { signal: stopping.signal })
    expect(await late.next()).toEqual({ done: true, value: undefined })
  })

  it('whose reader is slow leaves messages out and asks for them again', async () => {
    const server = await serve((message, connection) => {
      admit({ ...message, channels: [] }, connection)
      if (message['type'] !== 'subscribe') return
      const { [CHANNEL]: since = 0 } = (message['since'] ?? {}) as Record<string, number>
      connection.say({ type: 'subscribed', channel: CHANNEL, seq: since, request_id: message['request_id'] })
      for (let seq = since + 1; seq <= 40; seq++) connection.say(event(seq))
    })
    const messages = realtimeOf(server.url).subscribe(CHANNEL, { bufferLimit: 8 })
    const seqs: unknown[] = []
    for await (const message of messages) {
      if (message.type === 'task.progress') seqs.push(message.seq)
      if (seqs.length === 40) break
      await new Promise((resolve) => setTimeout(resolve, 1))
    }
    expect(seqs).toEqual(Array.from({ length: 40 }, (_, index) => index + 1))
    expect(server.heard.filter(({ type }) => type === 'subscribe').length).toBeGreaterThan(2)
    expect(server.connections).toBe(1)
  })

  it('is refused where there is no WebSocket', async () => {
    vi.stubGlobal('WebSocket', undefined)
    cleanUps.push(() => Promise.resolve(vi.unstubAllGlobals()))
    const messages = realtimeOf('ws://127.0.0.1:1', { WebSocket: undefined }).subscribe(CHANNEL)
    await expect(messages.next()).rejects.toMatchObject({ code: 'NO_WEBSOCKET' })
  })
})
