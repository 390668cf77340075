import { once } from 'node:events'
import { createServer, request as send, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PassThrough } from 'node:stream'
import { afterEach, describe, expect, it } from 'vitest'
import type { HttpRequest } from './http.js'
import { announcesBody, discardRest, toHttpRequest, unreadBody } from './node-request.js'

const servers: ReturnType<typeof createServer>[] = []

afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections()
})

/** Starts a server that passes each request on as a plain value, and answers 200 when `answer` resolves. */
async function serve(
  answer: (request: HttpRequest, message: IncomingMessage) => Promise<void>,
): Promise<number> {
  const server = createServer((message, response) => {
    const request = toHttpRequest(message, {
      target: message.url ?? '',
      response,
      clientAddress: () => message.socket.remoteAddress ?? '',
      body: announcesBody(message) ? unreadBody(message) : { kind: 'none' },
    })
    void answer(request, message).finally(() => response.end())
  })
  servers.push(server.listen(0, '127.0.0.1'))
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

describe('toHttpRequest', () => {
  it('shows a request as a plain value', async () => {
    const seen: unknown[] = []
    const port = await serve(async (request) => {
      const { method, path, query, clientAddress, params } = request
      const headers = [request.header('x-one'), request.header('set-cookie'), request.header('absent')]
      seen.push({ method, path, query, clientAddress, params, headers, kind: request.body.kind })
    })
    const headers = { 'x-one': '1', 'set-cookie': ['a', 'b'] }
    await once(
      send({ port, host: '127.0.0.1', path: '/a/b?c=d', method: 'DELETE', headers }).end(),
      'response',
    )
    expect(seen[0]).toEqual({
      method: 'DELETE',
      path: '/a/b',
      query: 'c=d',
      clientAddress: '127.0.0.1',
      params: {},
      headers: ['1', 'a, b', undefined],
      kind: 'none',
    })
  })

  it('has an id of the host that is text, and none that counts requests', async () => {
    const ids: unknown[] = []
    const port = await serve(async (request, message) => {
      for (const id of ['of-the-host', 7, undefined]) {
        Object.assign(message, { id })
        ids.push(request.requestId)
      }
    })
    await once(send({ port, host: '127.0.0.1' }).end(), 'response')
    expect(ids).toEqual(['of-the-host', undefined, undefined])
  })

  it('aborts the signal of a request only when its client disconnects', async () => {
    const signals: (AbortSignal | undefined)[] = []
    const port = await serve(async (request) => {
      signals.push(request.signal)
      if (request.path !== '/abort') return
      await once(request.signal as AbortSignal, 'abort')
    })
    const whole = send({ port, host: '127.0.0.1', path: '/whole' }).end()
    const [answer] = (await once(whole, 'response')) as [IncomingMessage]
    await once(answer.resume(), 'close')
    const aborted = send({ port, host: '127.0.0.1', path: '/abort' }).end()
    aborted.on('error', () => undefined)
    await expect.poll(() => signals.length).toBe(2)
    aborted.destroy()
    await expect.poll(() => signals[1]?.aborted).toBe(true)
    expect(signals[0]?.aborted).toBe(false)
  })

  it('joins a body of many chunks, and stops at the cap', async () => {
    const results: unknown[] = []
    const port = await serve(async ({ body }) => {
      if (body.kind === 'unread') results.push(await body.read(100_000))
    })
    const sent = [Buffer.alloc(99_999, 'a'), Buffer.alloc(100_001, 'a')]
    for (const body of sent) {
      const outgoing = send({ port, host: '127.0.0.1', method: 'POST' }).end(body)
      await once(outgoing, 'response')
    }
    expect(results[0]).toHaveLength(99_999)
    expect(results[1]).toBeNull()
  })
})

describe('a stream that the host pipes the body through', () => {
  const body = (stream: PassThrough) => {
    const unread = unreadBody(stream)
    return unread.kind === 'unread' ? unread.read(10) : null
  }

  it.each<[string, (stream: PassThrough) => void]>([
    ['fails', (stream) => stream.destroy(new Error('bad gzip'))],
    ['closes', (stream) => stream.destroy()],
  ])('rejects when it %s', async (_, end) => {
    const stream = new PassThrough()
    const reading = body(stream)
    stream.write('abc')
    end(stream)
    await expect(reading).rejects.toThrow('disconnected')
    await expect(body(stream)).rejects.toThrow('disconnected')
  })

  it('is cut when it continues for long after it was refused', async () => {
    const stream = new PassThrough()
    discardRest(stream)
    for (let i = 0; i < 5 && !stream.destroyed; i++) {
      stream.write(Buffer.alloc(1_048_576))
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(stream.destroyed).toBe(true)
    expect(() => discardRest(stream)).not.toThrow()
  })
})

describe('a body that has arrived before its message has ended', () => {
  const arriving = (text: string) =>
    Object.assign(new PassThrough(), { complete: false, headers: { 'content-length': '5' } }).end(
      text,
      'latin1',
    )
  const readFrom = (text: string) => {
    const body = unreadBody(arriving(text))
    return body.kind === 'unread' ? body.read(5) : null
  }

  it('is returned at once when it has its content-length, and awaited otherwise', async () => {
    expect(readFrom('hello')).toEqual(Buffer.from('hello'))
    const late = readFrom('hell')
    expect(late).toBeInstanceOf(Promise)
    expect(await late).toEqual(Buffer.from('hell'))
  })
})
