import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type ServedBoard, serveBoard } from '../test/served-board.js'
import { createClient, type Fetch, TaskboardApiError } from './index.js'

let board: ServedBoard
let now: number
let sent: { readonly path: string; readonly token: string | undefined }[]

/** The global fetch, which notes what is sent. */
const noted: Fetch = (url, init) => {
  const { authorization } = init.headers as Record<string, string>
  sent.push({
    path: url.slice(board.baseUrl.length),
    token: authorization?.slice('Bearer '.length),
  })
  return fetch(url, init)
}

const pathsOf = (): readonly string[] => sent.map(({ path }) => path)

beforeEach(async () => {
  board = await serveBoard('Express')
  now = 0
  sent = []
})

afterEach(() => board.close())

function loggedIn(login = board.owner) {
  const retry = { now: () => now, sleep: () => Promise.resolve() }
  return createClient({ baseUrl: board.baseUrl, login, fetch: noted, retry })
}

describe('a client with a login', () => {
  it('logs in with its first call, once for all that wait', async () => {
    const client = loggedIn()
    expect(sent).toEqual([])
    await Promise.all(Array.from({ length: 10 }, () => client.account.get()))
    expect(pathsOf().filter((path) => path === '/v2/auth/login')).toHaveLength(1)
  })

  it('refreshes before the token expires, once for all that wait', async () => {
    const client = loggedIn()
    await client.account.get()
    now = 15 * 60_000 - 30_001
    await client.account.get()
    expect(pathsOf().filter((path) => path.startsWith('/v2/auth'))).toEqual(['/v2/auth/login'])
    now += 1
    await Promise.all(Array.from({ length: 10 }, () => client.account.get()))
    expect(pathsOf().filter((path) => path.startsWith('/v2/auth'))).toEqual([
      '/v2/auth/login',
      '/v2/auth/refresh',
    ])
  })

  it('sends a call again with another token when the server refuses the one that it has', async () => {
    const client = loggedIn()
    await client.account.get()
    const [, { token } = { token: '' }] = sent
    await createClient({ baseUrl: board.baseUrl, token: () => token ?? '' }).auth.logout()
    sent = []
    const { name } = await client.account.get()
    expect(name).toBe('Acme')
    expect(pathsOf()).toEqual(['/v2/account', '/v2/auth/refresh', '/v2/auth/login', '/v2/account'])
  })

  it('rejects when its password is refused, and tries again with the next call', async () => {
    const client = loggedIn({ ...board.owner, password: 'not my password' })
    const failures = await Promise.all(
      [1, 2].map(() => client.account.get().catch((error: unknown) => error)),
    )
    expect(failures).toMatchObject([{ status: 401 }, { status: 401 }])
    expect(pathsOf()).toEqual(['/v2/auth/login'])
    await expect(client.account.get()).rejects.toMatchObject({ code: 'AUTHENTICATION_FAILED' })
    expect(pathsOf()).toEqual(['/v2/auth/login', '/v2/auth/login'])
    expect(String(failures[0])).not.toContain('not my password')
  })

  it('ends its session by logout, and begins another with the next call', async () => {
    const client = loggedIn()
    await client.auth.logout()
    expect(sent).toEqual([])
    await client.account.get()
    const { token = '' } = sent[1] ?? {}
    await client.auth.logout()
    const left = createClient({ baseUrl: board.baseUrl, token: () => token })
    await expect(left.account.get()).rejects.toMatchObject({ status: 401 })
    sent = []
    await client.account.get()
    expect(pathsOf()).toEqual(['/v2/auth/login', '/v2/account'])
  })

  it('keeps no session that is ended while it begins', async () => {
    const client = loggedIn()
    const waiting = client.account.get()
    await client.auth.logout()
    await waiting
    await client.account.get()
    expect(pathsOf()).toEqual(['/v2/auth/login', '/v2/account', '/v2/auth/login', '/v2/account'])
  })

  it('does not use the code of a second factor twice', async () => {
    const calls: string[] = []
    const client = createClient({
      baseUrl: 'http://board.example',
      login: { email: 'a', password: 'b', mfaCode: '123456' },
      fetch: (url) => {
        const path = new URL(url).pathname
        calls.push(path)
        if (path === '/v2/auth/refresh') return Promise.resolve(Response.json({}, { status: 401 }))
        if (path !== '/v2/auth/login') return Promise.resolve(Response.json({ id: 'acc' }))
        return Promise.resolve(Response.json({ access_token: 'a1', refresh_token: 'r1', expires_in: 900 }))
      },
      retry: { now: () => now },
    })
    await client.account.get()
    now = 900_000
    const failure = await client.account.get().catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(TaskboardApiError)
    expect(failure).toMatchObject({ code: 'LOGIN_REQUIRED', field: 'mfa_code' })
    expect(calls).toEqual(['/v2/auth/login', '/v2/account', '/v2/auth/refresh'])
  })

  it('keeps its refresh token when the refresh is not answered', async () => {
    let isDown = false
    const calls: string[] = []
    const client = createClient({
      baseUrl: 'http://board.example',
      login: { email: 'a', password: 'b', mfaCode: '123456' },
      fetch: (url, init) => {
        const path = new URL(url).pathname
        calls.push(`${path} ${(init.body as string | undefined) ?? ''}`)
        if (isDown) return Promise.resolve(Response.json({}, { status: 503 }))
        if (!path.startsWith('/v2/auth')) return Promise.resolve(Response.json({ id: 'acc' }))
        return Promise.resolve(Response.json({ access_token: 'a', refresh_token: 'r1', expires_in: 900 }))
      },
      retry: { now: () => now, attempts: 1 },
    })
    await client.account.get()
    now = 900_000
    isDown = true
    await expect(client.account.get()).rejects.toMatchObject({ status: 503 })
    isDown = false
    await client.account.get()
    expect(calls.slice(-2)).toEqual(['/v2/auth/refresh {"refresh_token":"r1"}', '/v2/account '])
  })
})

describe('a client with a token function', () => {
  it('asks for each call, and once more with the rejected token after a 401', async () => {
    const { access_token: valid } = await createClient({ baseUrl: board.baseUrl }).auth.login(board.owner)
    const asked: (string | null)[] = []
    const client = createClient({
      baseUrl: board.baseUrl,
      token: ({ rejected }) => {
        asked.push(rejected)
        return rejected === null ? 'stale' : valid
      },
    })
    await client.account.get()
    expect(asked).toEqual([null, 'stale'])
  })

  it('gives up after the second refusal, and passes on what the function throws', async () => {
    const stale = createClient({ baseUrl: board.baseUrl, token: () => 'stale', fetch: noted })
    await expect(stale.account.get()).rejects.toMatchObject({ status: 401 })
    expect(sent).toHaveLength(2)
    const reason = new Error('the user left')
    const failing = createClient({ baseUrl: board.baseUrl, token: () => Promise.reject(reason) })
    await expect(failing.account.get()).rejects.toBe(reason)
  })
})

describe('a client with a key', () => {
  it('does not repeat a refused call', async () => {
    const client = createClient({ baseUrl: board.baseUrl, key: 'tb_unknown', fetch: noted })
    const failure = await client.account.get().catch((error: unknown) => error)
    expect(failure).toMatchObject({ status: 401, code: 'AUTHENTICATION_FAILED' })
    expect(String(failure)).not.toContain('tb_unknown')
    expect(sent).toHaveLength(1)
  })
})
