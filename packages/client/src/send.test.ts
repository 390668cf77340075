import { afterEach, describe, expect, it, vi } from 'vitest'
import { failing, json, scripted } from '../test/scripted-client.js'
import { type ClientOptions, createClient, type TaskboardClient, type TokenFunction } from './index.js'

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

describe('a request', () => {
  it('has the path, the query, the body and the key', async () => {
    const { client, sent } = scripted([json({ tasks: [], next_cursor: null })])
    await client.tasks.list({ q: 'a b', limit: 5, cursor: undefined })
    await client.tasks.create({ title: 'x' }, { idempotencyKey: 'mine' })
    expect(sent[0]?.url).toBe('https://app.example/kanban/v2/tasks?q=a+b&limit=5')
    expect(sent[0]?.headers).toEqual({ accept: 'application/json', authorization: 'Bearer tb_secret' })
    expect(sent[1]?.headers).toMatchObject({ 'content-type': 'application/json', 'idempotency-key': 'mine' })
    expect(sent[1]?.init).toMatchObject({ method: 'POST', body: '{"title":"x"}' })
    expect(sent[1]?.init).not.toHaveProperty('credentials')
  })

  it('goes to the paths of the host', async () => {
    const paths = { board: '/board', webhooks: '/hooks', v2: '/tasks' }
    const { client, sent } = scripted([json({})], { paths })
    await client.tasks.get('t')
    await client.board.done({ limit: 1 })
    await client.board.registerWebhook({ url: 'https://x.example', events: ['task.completed'] })
    await client.graphql('{ a }').catch(() => undefined)
    const base = 'https://app.example/kanban'
    expect(sent.map(({ url }) => url.slice(base.length))).toEqual([
      '/tasks/tasks/t',
      '/board?action=done&limit=1',
      '/hooks',
      '/tasks/graphql',
    ])
  })

  it('sends the cookies of the host without a credential', async () => {
    const { client, sent } = scripted([json({})], { key: undefined })
    await client.account.get()
    expect(sent[0]?.headers).not.toHaveProperty('authorization')
    expect(sent[0]?.init.credentials).toBe('include')
  })

  it('encodes ids, and refuses those that would call another operation', async () => {
    const { client, sent } = scripted([json({})])
    await client.tasks.get('a/b?c')
    for (const id of ['', '.', '..', undefined as unknown as string]) {
      await expect(client.tasks.get(id)).rejects.toThrow(new TypeError('task_id must be an id'))
    }
    expect(sent.map(({ url }) => url)).toEqual(['https://app.example/kanban/v2/tasks/a%2Fb%3Fc'])
  })

  it('has a key of its own where a page has no randomUUID', async () => {
    const { getRandomValues } = crypto
    vi.stubGlobal('crypto', { getRandomValues: getRandomValues.bind(crypto) })
    const { client, sent } = scripted([json({})])
    await client.tasks.create({ title: 'one' })
    await client.tasks.create({ title: 'two' })
    const keys = sent.map(({ headers }) => headers['idempotency-key'] ?? '')
    expect(new Set(keys).size).toBe(2)
    for (const key of keys) expect(key).toMatch(/^[\da-z-]{16,40}$/)
  })
})

describe('the repeats of a call', () => {
  it('wait twice as long each time, up to 5 s, and end before the deadline', async () => {
    const { client, sent, waits } = scripted([failing(503)])
    await expect(client.tasks.list()).rejects.toMatchObject({
      status: 503,
      code: 'SERVICE_UNAVAILABLE',
      message: 'GET /v2/tasks: 503 without a readable answer',
    })
    expect(waits).toEqual([250, 500, 1000, 2000, 4000, 5000, 5000, 5000, 5000])
    expect(sent).toHaveLength(10)
  })

  it('end at once when the server asks for a longer wait than the deadline allows', async () => {
    const { client, waits } = scripted([failing(429, { 'retry-after': '31' })])
    await expect(client.tasks.list()).rejects.toMatchObject({ code: 'RATE_LIMIT_EXCEEDED', retryAfter: 31 })
    expect(waits).toEqual([])
  })

  it('wait until the date of Retry-After, by the clock of the server', async () => {
    const headers = {
      date: 'Sun, 22 Nov 2026 10:00:00 GMT',
      'retry-after': 'Sun, 22 Nov 2026 10:00:03 GMT',
    }
    const { client, waits } = scripted([failing(503, headers), json({})])
    await client.tasks.list()
    expect(waits).toEqual([3250])
  })

  it.each([
    ['a read', 'list', []],
    ['an update', 'update', ['t', {}]],
    ['a move', 'move', ['t', { to: 'done' }]],
    ['a create', 'create', [{ title: 'x' }]],
  ] as const)('follow a lost answer of %s', async (_, name, args) => {
    const { client, sent } = scripted([new TypeError('fetch failed'), failing(502), failing(504), json({})])
    await (client.tasks[name] as (...given: readonly unknown[]) => Promise<unknown>)(...args)
    expect(sent).toHaveLength(4)
  })

  it.each([new TypeError('fetch failed'), failing(503)])(
    'do not follow a write that could happen twice',
    async (lost) => {
      const { client, sent } = scripted([lost, json({})])
      await expect(client.webhooks.test('w')).rejects.toThrow('POST /v2/webhooks/w/test')
      await expect(client.board.chat({ message: 'hello' })).resolves.toEqual({})
      expect(sent).toHaveLength(2)
    },
  )

  it('follow every refusal by a limit, which comes before anything is done', async () => {
    const { client, sent } = scripted([failing(429), json({})])
    await client.webhooks.test('w')
    expect(sent).toHaveLength(2)
  })

  it('leave a delete of nothing an error when no answer was lost', async () => {
    const { client } = scripted([failing(429), failing(404)])
    await expect(client.tasks.delete('t')).rejects.toMatchObject({ status: 404 })
    const lost = scripted([failing(503), failing(404)])
    expect(await lost.client.tasks.delete('t')).toBeUndefined()
  })

  it('do not count the one with another token', async () => {
    const token: TokenFunction = ({ rejected }) => (rejected === null ? 'stale' : 'fresh')
    const replies = [failing(401), failing(503), json({})]
    const { client, sent, waits } = scripted(replies, { key: undefined, token, retry: { attempts: 2 } })
    await client.tasks.list()
    expect([sent.length, waits]).toEqual([3, [250]])
  })

  it('follow no other refusal', async () => {
    for (const status of [400, 403, 404, 409, 500]) {
      const { client, sent } = scripted([failing(status)])
      await expect(client.tasks.list()).rejects.toMatchObject({ status })
      expect(sent).toHaveLength(1)
    }
  })

  it('are as many as the client or the call allows', async () => {
    const { client, sent } = scripted([failing(503)], { retry: { attempts: 3 } })
    await expect(client.tasks.list()).rejects.toMatchObject({ status: 503 })
    expect(sent).toHaveLength(3)
    await expect(client.tasks.list({}, { retry: false })).rejects.toMatchObject({ status: 503 })
    expect(sent).toHaveLength(4)
    await expect(client.tasks.list({}, { retry: { attempts: Infinity }, timeoutMs: 500 })).rejects.toThrow(
      '503',
    )
    expect(sent).toHaveLength(6)
  })

  it('follow an attempt that gets no answer in time, without timers that stay', async () => {
    vi.useFakeTimers()
    const { client, sent } = scripted(['never', json({ tasks: [] })], { retry: { attemptTimeoutMs: 4_000 } })
    const listing = client.tasks.list()
    await vi.advanceTimersByTimeAsync(3_999)
    expect(sent).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(1)
    expect(await listing).toEqual({ tasks: [] })
    expect(sent[0]?.init.signal?.aborted).toBe(true)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('end with TIMEOUT when no attempt is answered', async () => {
    vi.useFakeTimers()
    const { client } = scripted(['never'], { retry: { attempts: 2 } })
    const failure = client.tasks.list().catch((error: unknown) => error)
    await vi.advanceTimersByTimeAsync(20_000)
    expect(await failure).toMatchObject({ status: 0, code: 'TIMEOUT' })
  })
})

describe('an answer that is not from a task board', () => {
  it.each([
    ['a page', failing(200)],
    ['broken JSON', new Response('{', { headers: { 'content-type': 'application/json' } })],
    ['nothing', new Response('')],
    ['a number', json(7)],
  ])('is an error: %s', async (_, answer) => {
    const { client } = scripted([answer])
    await expect(client.tasks.list()).rejects.toMatchObject({ status: 200, code: 'INVALID_ANSWER' })
  })

  it('is an error of GraphQL, too', async () => {
    const { client } = scripted([json({}), failing(200)])
    await expect(client.graphql('{ a }')).rejects.toMatchObject({ code: 'INVALID_ANSWER' })
    await expect(client.graphql('{ a }')).rejects.toMatchObject({ code: 'INVALID_ANSWER' })
  })
})

describe('a signal', () => {
  const reason = new Error('left the page')
  const listing = (client: TaskboardClient, signal: AbortSignal): Promise<unknown> =>
    client.tasks.list({}, { signal }).catch((error: unknown) => error)

  it('rejects a call before it is sent', async () => {
    const { client, sent } = scripted([json({})])
    await expect(client.tasks.list({}, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    expect(sent).toEqual([])
  })

  it('rejects a call whose request does not heed it, and leaves no timer', async () => {
    vi.useFakeTimers()
    const { client, sent } = scripted(['never'])
    const controller = new AbortController()
    const failure = listing(client, controller.signal)
    await vi.advanceTimersByTimeAsync(10)
    controller.abort(reason)
    expect(await failure).toBe(reason)
    expect(sent[0]?.init.signal?.aborted).toBe(true)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('rejects a call that waits for its next attempt', async () => {
    vi.useFakeTimers()
    const { client, sent } = scripted([failing(503)], { retry: { sleep: undefined, now: undefined } })
    const controller = new AbortController()
    const failure = listing(client, controller.signal)
    await vi.advanceTimersByTimeAsync(100)
    controller.abort(reason)
    expect(await failure).toBe(reason)
    expect([sent.length, vi.getTimerCount()]).toEqual([1, 0])
  })

  it('rejects a call that waits for its token', async () => {
    const never = () => new Promise<string>(() => undefined)
    const { client } = scripted([json({})], { key: undefined, token: never })
    const controller = new AbortController()
    const failure = listing(client, controller.signal)
    controller.abort(reason)
    expect(await failure).toBe(reason)
  })
})

describe('createClient', () => {
  it('refuses what no call could work with', () => {
    expect(() => createClient({} as ClientOptions)).toThrow('baseUrl must be')
    vi.stubGlobal('fetch', undefined)
    expect(() => createClient({ baseUrl: '' })).toThrow('fetch must be given')
  })
})
