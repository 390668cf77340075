import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { inspect } from 'node:util'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { failing, json, scripted } from '../test/scripted-client.js'
import { type ClientOptions, createClient } from './index.js'

const cleanUps: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

/** A server that notes its requests, and redirects them when it has somewhere to. */
async function serve(redirect?: { readonly status: number; readonly to: string }) {
  const seen: string[] = []
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url} ${request.headers.authorization ?? ''}`)
    if (redirect !== undefined) {
      response.writeHead(redirect.status, { location: `${redirect.to}${request.url}` }).end()
    } else response.writeHead(200, { 'content-type': 'application/json' }).end('{"tasks":[]}')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  cleanUps.push(() => server.close())
  return { seen, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

describe('a redirect', () => {
  it.each([301, 302, 303, 307, 308])(
    'with %i is refused: nothing reaches the other address',
    async (status) => {
      const other = await serve()
      const { seen, url } = await serve({ status, to: other.url })
      const client = createClient({ baseUrl: url, key: 'tb_secret' })
      const login = createClient({ baseUrl: url, login: { email: 'a@b.example', password: 'my password' } })
      const refusal = { status, code: 'INVALID_ANSWER' }
      // Followed, a create would become a read, which succeeds.
      await expect(client.tasks.create({ title: 'x' })).rejects.toMatchObject(refusal)
      await expect(client.tasks.list()).rejects.toMatchObject(refusal)
      await expect(login.tasks.list()).rejects.toThrow(
        `POST /v2/auth/login: ${status} redirects: baseUrl must be`,
      )
      expect([seen.length, other.seen]).toEqual([3, []])
    },
  )

  it('is not taken for a lost answer in a browser, which hides it', async () => {
    const opaque: Response = Object.defineProperties(new Response(null), {
      type: { value: 'opaqueredirect' },
      status: { value: 0 },
      ok: { value: false },
      clone: { value: () => opaque },
    })
    const { client, sent } = scripted([opaque])
    await expect(client.tasks.list()).rejects.toMatchObject({
      status: 0,
      code: 'INVALID_ANSWER',
      message: 'GET /v2/tasks: the server redirects: baseUrl must be where it leads to',
    })
    expect(sent).toHaveLength(1)
  })
})

describe('an answer of null', () => {
  it('is not from a task board', async () => {
    const { client } = scripted([json(null)])
    await expect(client.tasks.list()).rejects.toMatchObject({ status: 200, code: 'INVALID_ANSWER' })
  })
})

describe('Retry-After', () => {
  it.each([
    ['-5', 250],
    ['soon', 250],
    ['Sun, 22 Nov 2020 10:00:00 GMT', 250],
    ['0', 250],
    ['1.5', 1_750],
  ])('of %s waits for %i ms', async (text, ms) => {
    const { client, waits } = scripted([failing(429, { 'retry-after': text }), json({})])
    await client.tasks.list()
    expect(waits).toEqual([ms])
  })

  it('that is longer than a timer can be is waited for as long as one can', async () => {
    vi.useFakeTimers()
    cleanUps.push(() => vi.useRealTimers())
    const { client, sent } = scripted([failing(429, { 'retry-after': '9999999' })], {
      retry: { deadlineMs: Infinity, sleep: undefined, now: undefined },
    })
    const stopping = new AbortController()
    const listing = client.tasks.list({}, { signal: stopping.signal }).catch((error: unknown) => error)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(sent).toHaveLength(1)
    stopping.abort('enough')
    expect(await listing).toBe('enough')
  })
})

describe('a credential', () => {
  it.each(['tb_sec\nret', 'tb_sec…ret'])('that no header can have is refused at once: %j', async (secret) => {
    const { url } = await serve()
    for (const given of [{ key: secret }, { token: () => secret }]) {
      const client = createClient({ baseUrl: url, ...given })
      const failure: unknown = await client.tasks.list().catch((error: unknown) => error)
      expect(failure).toMatchObject({ status: 401, code: 'AUTHENTICATION_FAILED' })
      expect(inspect(failure, { depth: 10, showHidden: true })).not.toContain('tb_sec')
    }
  })

  it('is in no error, and not in the client', async () => {
    const client = createClient({ baseUrl: 'http://127.0.0.1:1', key: 'tb_secret', retry: false })
    const failure: unknown = await client.tasks.list().catch((error: unknown) => error)
    for (const shown of [failure, client, client.worker, client.realtime]) {
      expect(inspect(shown, { depth: 10, showHidden: true })).not.toContain('tb_secret')
    }
    expect(failure).toMatchObject({ code: 'NETWORK_ERROR' })
    expect(JSON.stringify([client, failure])).not.toContain('tb_secret')
  })

  it('can end with the end of the line of its file', async () => {
    const { client, sent } = scripted([json({})], { key: 'tb_secret\r\n' })
    await client.tasks.list()
    expect(sent[0]?.headers['authorization']).toBe('Bearer tb_secret')
  })
})

describe('a baseUrl', () => {
  it.each([
    'localhost:3000',
    'app.example/kanban',
    '/kanban',
    '',
    'ftp://app.example',
    'https://app.example/kanban?tenant=1',
    'https://app.example/#board',
    'https://ada:secret@app.example',
    undefined,
  ])('that no call could work with is refused: %s', (baseUrl) => {
    const refused = () => createClient({ baseUrl } as ClientOptions)
    expect(refused).toThrow(TypeError)
    expect(refused).toThrow(/^baseUrl must be an http or https address without a query and a password$/)
  })

  it.each([
    ['https://app.example', 'https://app.example'],
    ['https://app.example///', 'https://app.example'],
    [' http://[::1]:3000/a/b/ ', 'http://[::1]:3000/a/b'],
    ['/kanban/', '/kanban'],
    ['', ''],
  ])('can be %j', async (baseUrl, base) => {
    const { client, sent } = scripted([json({})], { baseUrl })
    await client.tasks.list()
    expect(sent[0]?.url).toBe(`${base}/v2/tasks`)
  })

  it('can be a path in a page', () => {
    vi.stubGlobal('location', { href: 'https://app.example/page' })
    cleanUps.push(() => vi.unstubAllGlobals())
    expect(createClient({ baseUrl: '/kanban' })).toBeDefined()
  })
})

describe('an idempotencyKey', () => {
  it.each(['', 'with space', 'käse', 'a\nb', 'x'.repeat(256)])(
    'that the server would refuse is not sent: %j',
    async (idempotencyKey) => {
      const { client, sent } = scripted([json({})])
      await expect(client.tasks.create({ title: 'x' }, { idempotencyKey })).rejects.toThrow(TypeError)
      expect(sent).toEqual([])
    },
  )

  it('is the same for all attempts of a call, also with another token, and another one for the next call', async () => {
    const token = ({ rejected }: { readonly rejected: string | null }) =>
      rejected === null ? 'stale' : 'fresh'
    const replies = [failing(503), failing(401), failing(429), new TypeError('fetch failed'), json({})]
    const { client, sent } = scripted(replies, { key: undefined, token })
    await client.tasks.create({ title: 'x' })
    await client.tasks.create({ title: 'x' })
    const keys = sent.map(({ headers }) => headers['idempotency-key'])
    expect([sent.length, new Set(keys.slice(0, 5)).size, new Set(keys).size]).toEqual([6, 1, 2])
  })
})

describe('the time of a call', () => {
  it('that is over sends nothing', async () => {
    const { client, sent } = scripted([json({})])
    const late = { status: 0, code: 'TIMEOUT' }
    await expect(client.tasks.list({}, { timeoutMs: 0 })).rejects.toMatchObject(late)
    await expect(client.tasks.create({ title: 'x' }, { timeoutMs: -1 })).rejects.toMatchObject(late)
    let now = 0
    const slow = scripted([json({})], {
      key: undefined,
      token: () => ((now = 30_000), 'token'),
      retry: { now: () => now },
    })
    await expect(slow.client.tasks.create({ title: 'x' })).rejects.toMatchObject(late)
    expect([sent, slow.sent]).toEqual([[], []])
  })

  it.each(['chat', 'board.chat'])(
    'is the attempt of a %s, too: the server waits for the reply',
    async (name) => {
      vi.useFakeTimers()
      cleanUps.push(() => vi.useRealTimers())
      const { client, sent } = scripted(['never'])
      const body = { message: 'hello' }
      const calling = name === 'chat' ? client.chat.send(body) : client.board.chat(body)
      const failure = calling.catch((error: unknown) => error)
      await vi.advanceTimersByTimeAsync(29_999)
      expect(sent[0]?.init.signal?.aborted).toBe(false)
      await vi.advanceTimersByTimeAsync(1)
      expect(await failure).toMatchObject({ code: 'TIMEOUT' })
    },
  )
})
