import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import {
  connect,
  createServer as createTcpServer,
  type AddressInfo,
  type Server as TcpServer,
} from 'node:net'
import { virtualClock } from '@taskboard/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { systemClock, type Clock } from '../environment/index.js'
import { createEndpointGuard } from './endpoint-guard.js'
import type { ResolvedAddress, Resolver } from './resolver.js'
import type { Sender, SendRequest } from './sender.js'
import { createUndiciSender } from './undici-sender.js'

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
})

/** A resolver for these names. The addresses of a name may change between two lookups. */
function fakeResolver(names: Record<string, readonly string[]>): Resolver & { asked: string[] } {
  const asked: string[] = []
  return {
    asked,
    async resolve(hostname): Promise<readonly ResolvedAddress[]> {
      asked.push(hostname)
      return (names[hostname] ?? []).map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
    },
  }
}

function sender(
  options: { allow?: string[]; resolver?: Resolver; clock?: Clock; maxPools?: number } = {},
): Sender {
  const { allow = ['127.0.0.0/8'], resolver = fakeResolver({}), clock = systemClock, maxPools } = options
  const made = createUndiciSender({ clock, guard: createEndpointGuard({ allow }), resolver, maxPools })
  cleanups.push(() => made.close())
  return made
}

function request(url: string, overrides: Partial<SendRequest> = {}): SendRequest {
  const signal = new AbortController().signal
  return {
    url,
    headers: { 'X-Test': 'yes' },
    body: Buffer.from('{"ü":1}'),
    timeoutMs: 30_000,
    signal,
    ...overrides,
  }
}

async function listen<T extends Server | TcpServer>(server: T): Promise<{ server: T; port: number }> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  cleanups.push(async () => {
    if ('closeAllConnections' in server) server.closeAllConnections()
    server.close()
    await once(server, 'close')
  })
  return { server, port: (server.address() as AddressInfo).port }
}

type Listener = (incoming: IncomingMessage, response: ServerResponse) => unknown

async function serve(listener: Listener): Promise<{ server: Server; port: number; url: string }> {
  const { server, port } = await listen(
    createServer((incoming, response) => void listener(incoming, response)),
  )
  return { server, port, url: `http://127.0.0.1:${port}/hooks?a=1` }
}

function countConnections(server: Server | TcpServer): () => number {
  let connections = 0
  server.on('connection', () => (connections += 1))
  return () => connections
}

/** Resolves once no connection is open. */
function allClosed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const poll = (): void => {
      server.getConnections((_, count) => {
        if (count === 0) resolve()
        else setImmediate(poll)
      })
    }
    poll()
  })
}

describe('a send', () => {
  it('posts the body and headers, and returns the answer', async () => {
    const seen: unknown[] = []
    const { url } = await serve(async (incoming, response) => {
      const chunks = await incoming.toArray()
      seen.push(incoming.method, incoming.url, incoming.headers['x-test'], Buffer.concat(chunks).toString())
      response.writeHead(201).end('thänks\0')
    })
    await expect(sender().send(request(url))).resolves.toEqual({
      kind: 'answered',
      status: 201,
      excerpt: 'thänks\u{FFFD}',
    })
    expect(seen).toEqual(['POST', '/hooks?a=1', 'yes', '{"ü":1}'])
  })

  it('keeps connections alive, and opens more when one is busy', async () => {
    const held: (() => void)[] = []
    const { server, url } = await serve((incoming, response) => {
      if (incoming.url === '/slow') held.push(() => response.end('slow'))
      else response.end('ok')
    })
    const connections = countConnections(server)
    const made = sender()
    for (let i = 0; i < 20; i++) await made.send(request(url))
    // A connection becomes free a moment after its answer is read.
    expect(connections()).toBeLessThanOrEqual(2)
    const slow = [1, 2, 3].map(() => made.send(request(new URL('/slow', url).href)))
    while (held.length < 3) await once(server, 'request')
    await expect(made.send(request(url))).resolves.toMatchObject({ excerpt: 'ok' })
    for (const release of held) release()
    await expect(Promise.all(slow)).resolves.toEqual(
      slow.map(() => ({ kind: 'answered', status: 200, excerpt: 'slow' })),
    )
  })

  it('follows no redirect', async () => {
    let reached = 0
    const target = await serve((_, response) => response.end(String((reached += 1))))
    const { url } = await serve((_, response) => response.writeHead(307, { location: target.url }).end())
    await expect(sender().send(request(url))).resolves.toEqual({ kind: 'answered', status: 307, excerpt: '' })
    expect(reached).toBe(0)
  })

  it('reads 64 KiB at most and keeps 1 KiB, cut between characters', async () => {
    let closed: Promise<unknown> | undefined
    const { url } = await serve((_, response) => {
      closed = once(response, 'close')
      const flood = (): void => {
        while (!response.destroyed && response.write('ab€'.repeat(4_000)));
        if (!response.destroyed) response.once('drain', flood)
      }
      flood()
    })
    const result = await sender().send(request(url))
    // 204 times five bytes, two of the next letters, and the euro sign's first two bytes, which are left out.
    expect(result).toEqual({ kind: 'answered', status: 200, excerpt: `${'ab€'.repeat(204)}ab` })
    await closed
  })

  it('closes a pool when there are too many, and opens it again', async () => {
    const first = await serve((_, response) => response.end('first'))
    const second = await serve((_, response) => response.end('second'))
    const connections = countConnections(first.server)
    const made = sender({ maxPools: 1 })
    for (const { url } of [first, second, first]) {
      await expect(made.send(request(url))).resolves.toMatchObject({ kind: 'answered' })
    }
    expect(connections()).toBe(2)
  })

  it('closes no pool that is in use', async () => {
    let answer = (): void => undefined
    const asked = new Promise<void>((resolve) => {
      answer = resolve
    })
    const slow = await serve((_, response) => void asked.then(() => response.end('slow')))
    const quick = await serve((_, response) => response.end('quick'))
    const made = sender({ maxPools: 1 })
    const arrived = once(slow.server, 'request')
    const sending = made.send(request(slow.url))
    await arrived
    for (let i = 0; i < 3; i++) {
      await expect(made.send(request(quick.url))).resolves.toMatchObject({ excerpt: 'quick' })
      await allClosed(quick.server)
    }
    answer()
    await expect(sending).resolves.toMatchObject({ excerpt: 'slow' })
  })
})

describe('a failure', () => {
  it('is a refused connection, and a broken one', async () => {
    const { port } = await listen(createTcpServer((socket) => socket.once('data', () => socket.destroy())))
    const broken = await sender().send(request(`http://127.0.0.1:${port}/`))
    expect(broken).toEqual({ kind: 'unanswered', error: 'network', detail: 'UND_ERR_SOCKET' })
    // Nothing listens on the local port of a connection, and no other server gets it.
    const held = connect(port, '127.0.0.1')
    cleanups.push(async () => held.destroy())
    await once(held, 'connect')
    const refused = await sender().send(request(`http://127.0.0.1:${held.localPort}/`))
    expect(refused).toEqual({ kind: 'unanswered', error: 'network', detail: 'ECONNREFUSED' })
  })

  it('is an answer that is not HTTP', async () => {
    const { port } = await listen(
      createTcpServer((socket) => socket.once('data', () => socket.end('SMTP\r\n\r\n'))),
    )
    const result = await sender().send(request(`http://127.0.0.1:${port}/`))
    expect(result).toMatchObject({ kind: 'unanswered', error: 'network' })
  })

  it('is a name without address', async () => {
    await expect(sender().send(request('https://nowhere.test/'))).resolves.toEqual({
      kind: 'unanswered',
      error: 'network',
      detail: 'ENOTFOUND',
    })
  })

  it('is https on a port that speaks plain HTTP', async () => {
    const { port } = await serve((_, response) => response.end())
    const result = await sender().send(request(`https://127.0.0.1:${port}/`))
    expect(result).toMatchObject({ kind: 'unanswered', error: 'tls' })
  })
})

describe('the time-out', () => {
  it('ends a send without an answer exactly on time', async () => {
    const clock = virtualClock()
    const { server, url } = await serve(() => undefined)
    const send = sender({ clock }).send(request(url))
    await once(server, 'request')
    await clock.advance(29_999)
    await expect(
      Promise.race([send, new Promise((resolve) => setImmediate(resolve, 'still'))]),
    ).resolves.toBe('still')
    await clock.advance(1)
    await expect(send).resolves.toEqual({
      kind: 'unanswered',
      error: 'timeout',
      detail: 'no full response within 30000 ms',
    })
    expect(clock.pending().timers).toEqual([])
  })

  it('cuts off a body that arrives too slowly', async () => {
    const clock = virtualClock()
    let closed: Promise<unknown> | undefined
    const { server, url } = await serve((_, response) => {
      const drip = setInterval(() => response.write('.'), 5)
      closed = once(response, 'close').then(() => clearInterval(drip))
    })
    const send = sender({ clock }).send(request(url))
    await once(server, 'request')
    await clock.advance(30_000)
    await expect(send).resolves.toMatchObject({ kind: 'unanswered', error: 'timeout' })
    await closed
  })

  it('covers the address lookup, and leaves no connection attempt behind', async () => {
    const clock = virtualClock()
    const lost: Resolver = { resolve: () => new Promise(() => undefined) }
    const made = sender({ clock, resolver: lost })
    const send = made.send(request('https://slow-dns.test/'))
    await clock.advance(30_000)
    await expect(send).resolves.toMatchObject({ kind: 'unanswered', error: 'timeout' })
    expect(clock.pending().timers).toEqual([])
  })
})

describe('an abort', () => {
  it('ends a send', async () => {
    const { server, url } = await serve(() => undefined)
    const controller = new AbortController()
    const made = sender()
    const send = made.send(request(url, { signal: controller.signal }))
    await once(server, 'request')
    controller.abort()
    await expect(send).resolves.toEqual({ kind: 'aborted' })
    await expect(made.send(request(url, { signal: controller.signal }))).resolves.toEqual({ kind: 'aborted' })
  })

  it('closes every connection, including those being opened, and can send again', async () => {
    const clock = virtualClock()
    const { server, url } = await serve((incoming, response) => {
      if (incoming.url !== '/hang') response.end('ok')
    })
    const lost: Resolver = { resolve: () => new Promise(() => undefined) }
    const made = sender({ clock, resolver: lost })
    await made.send(request(url))
    const hanging = made.send(request(new URL('/hang', url).href))
    const connecting = made.send(request('https://slow-dns.test/'))
    await once(server, 'request')
    const closed = allClosed(server)
    await made.close()
    await expect(hanging).resolves.toMatchObject({ kind: 'unanswered', error: 'network' })
    await expect(connecting).resolves.toMatchObject({ kind: 'unanswered', error: 'network' })
    await closed
    expect(clock.pending().timers).toEqual([])
    await expect(made.send(request(url))).resolves.toMatchObject({ kind: 'answered' })
  })
})

describe('the guard of connections', () => {
  const refused = { kind: 'unanswered', error: 'refused_address', detail: 'must be at a public address' }

  it.each(['127.0.0.1', '127.1', '0x7f.1', '2130706433', '[::ffff:7f00:1]', '[::1]', '[64:ff9b::7f00:1]'])(
    'refuses the literal %s, for which sockets ask no lookup',
    async (host) => {
      const { server, port } = await serve((_, response) => response.end())
      const connections = countConnections(server)
      const resolver = fakeResolver({})
      await expect(
        sender({ allow: [], resolver }).send(request(`https://${host}:${port}/`)),
      ).resolves.toEqual(refused)
      expect(resolver.asked).toEqual([])
      expect(connections()).toBe(0)
    },
  )

  it('refuses a name with any address that is not public', async () => {
    const { server, port } = await serve((_, response) => response.end())
    const connections = countConnections(server)
    const resolver = fakeResolver({
      'private.test': ['127.0.0.1'],
      'mixed.test': ['8.8.8.8', '127.0.0.1'],
      'mixed6.test': ['2606:4700:4700::1111', '::ffff:127.0.0.1'],
      'nat64.test': ['64:ff9b::7f00:1'],
    })
    const made = sender({ allow: [], resolver })
    for (const name of ['private.test', 'mixed.test', 'mixed6.test', 'nat64.test']) {
      await expect(made.send(request(`https://${name}:${port}/`))).resolves.toEqual(refused)
    }
    expect(resolver.asked).toEqual(['private.test', 'mixed.test', 'mixed6.test', 'nat64.test'])
    expect(connections()).toBe(0)
  })

  it('connects over http to no address outside of the allowed networks, whatever its name says', async () => {
    const resolver = fakeResolver({ 'public.test': ['8.8.8.8'], 'mixed.test': ['127.0.0.1', '8.8.8.8'] })
    const made = sender({ allow: ['127.0.0.0/8'], resolver })
    for (const host of ['public.test', 'mixed.test', '8.8.8.8']) {
      expect(await made.send(request(`http://${host}/`))).toMatchObject({
        kind: 'unanswered',
        detail: expect.stringContaining('must use https') as string,
      })
    }
  })

  it('connects to the accepted address, with the name as the host', async () => {
    const { port } = await serve((incoming, response) => response.end(incoming.headers.host))
    const resolver = fakeResolver({ 'receiver.test': ['127.0.0.1'] })
    await expect(sender({ resolver }).send(request(`http://receiver.test:${port}/`))).resolves.toMatchObject({
      excerpt: `receiver.test:${port}`,
    })
    expect(resolver.asked).toEqual(['receiver.test'])
  })

  it('refuses a name whose address became private since its last use', async () => {
    const { server, port } = await serve((_, response) =>
      response.writeHead(200, { connection: 'close' }).end(),
    )
    const connections = countConnections(server)
    const names = { 'receiver.test': ['127.0.0.1'] }
    const made = sender({ allow: ['127.0.0.1'], resolver: fakeResolver(names) })
    await expect(made.send(request(`http://receiver.test:${port}/`))).resolves.toMatchObject({
      kind: 'answered',
    })
    names['receiver.test'] = ['127.0.0.2']
    await expect(made.send(request(`https://receiver.test:${port}/`))).resolves.toEqual(refused)
    await expect(made.send(request(`http://receiver.test:${port}/`))).resolves.toMatchObject({
      error: 'refused_address',
    })
    expect(connections()).toBe(1)
  })

  it('checks the connected address once more before it sends anything', async () => {
    let requests = 0
    const { port } = await serve((_, response) => response.end(String((requests += 1))))
    const answers = [null, 'must be at a public address']
    const guard = { refuseUrl: () => null, refuseAddress: () => answers.shift() ?? null }
    const made = createUndiciSender({ clock: systemClock, guard, resolver: fakeResolver({}) })
    cleanups.push(() => made.close())
    await expect(made.send(request(`http://127.0.0.1:${port}/`))).resolves.toEqual(refused)
    expect([requests, answers]).toEqual([0, []])
  })
})
