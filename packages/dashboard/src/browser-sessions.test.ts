import { createTaskboard, type TaskboardOptions } from '@taskboard/core'
import { browserSessionRoutes } from '@taskboard/core/transport'
import { memoryStorage } from '@taskboard/memory'
import { plainPasswordHasher, virtualClock } from '@taskboard/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { oneTimePassword } from '@taskboard/kit/access/one-time-password'
import { hosts } from '../test/hosts.js'
import { taskboardDashboard, type DashboardOptions } from './index.js'

type Mfa = NonNullable<ReturnType<typeof createTaskboard>['services']['login']>['mfa']

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

const owner = { email: 'ada@example.com', password: 'correct horse battery' }
const { email, password } = owner

interface Given {
  readonly mountPath?: string
  readonly dashboard?: DashboardOptions
  readonly taskboard?: Partial<TaskboardOptions>
}

interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly json: { readonly access_token?: string; readonly error?: { readonly code: string } }
}

describe.each(hosts)('sessions of browsers on $name', ({ serve }) => {
  async function open({ mountPath = '', dashboard: options, taskboard: more }: Given = {}) {
    const clock = virtualClock()
    const taskboard = createTaskboard({
      storage: memoryStorage(),
      clock,
      logger: false,
      tokens: { secret: 's'.repeat(32) },
      passwordHasher: plainPasswordHasher,
      ...more,
    })
    closing.push(() => taskboard.close())
    const { user } = await taskboard.accounts.create({ name: 'Ada', tier: 'professional', owner })
    const dashboard = taskboardDashboard(taskboard, options)
    const host = await serve(taskboard, { mountPath, routes: [dashboard] })
    closing.push(() => host.close())
    const { origin } = new URL(host.url)

    async function post(path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
      const answer = await fetch(`${host.url}/dashboard/session${path}`, {
        method: 'POST',
        headers: {
          origin,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      const text = await answer.text()
      return {
        status: answer.status,
        headers: answer.headers,
        json: text === '' ? {} : (JSON.parse(text) as object),
      }
    }
    /** The status of a call with an access token. */
    const callAs = async ({ json }: Answer) =>
      (await fetch(`${host.url}/v2/account`, { headers: { authorization: `Bearer ${json.access_token}` } }))
        .status
    return { taskboard, clock, dashboard, host, user, post, callAs }
  }

  const cookieIn = ({ headers }: Answer) => (headers.get('set-cookie') ?? '').split(';')[0] ?? ''

  it('log in, refresh and log out, with the refresh token in a cookie alone', async () => {
    const { post, callAs } = await open({ mountPath: '/nested' })
    const login = await post('', { email, password })
    expect(login.json).toEqual({
      access_token: expect.any(String),
      expires_in: 900,
      token_type: 'Bearer',
    })
    expect(login.headers.get('cache-control')).toBe('no-store')
    expect(login.headers.get('set-cookie')).toMatch(
      /^taskboard-session-\d+=tbr_[\w-]{65}; Path=\/nested\/dashboard\/session; HttpOnly; SameSite=Strict; Max-Age=2592000$/,
    )
    expect(await callAs(login)).toBe(200)
    const next = await post('/refresh', undefined, { cookie: `theme=dark; ${cookieIn(login)}` })
    expect([next.status, await callAs(next)]).toEqual([200, 200])
    expect(cookieIn(next)).not.toBe(cookieIn(login))
    const out = await post('/logout', undefined, { cookie: cookieIn(next) })
    expect([out.status, out.headers.get('set-cookie')]).toEqual([
      204,
      expect.stringMatching(
        /^taskboard-session-\d+=; Path=\/nested\/dashboard\/session; HttpOnly; SameSite=Strict; Max-Age=0$/,
      ),
    ])
    expect((await post('/refresh', undefined, { cookie: cookieIn(next) })).status).toBe(401)
    expect(await callAs(next)).toBe(401)
    expect((await post('/logout')).status).toBe(204)
  })

  it('refuse a wrong password, a missing code and a body that is none, as the API does', async () => {
    const { post, taskboard, user, clock } = await open({
      taskboard: { secrets: { encryptionKey: '0'.repeat(64) } },
    })
    const codeOf = ({ status, json }: Answer) => [status, json.error?.code]
    expect(codeOf(await post('', { email, password: 'wrong' }))).toEqual([401, 'AUTHENTICATION_FAILED'])
    expect(codeOf(await post('', { email }))).toEqual([400, 'INVALID_REQUEST'])
    expect(codeOf(await post('', { email, password, remember: true }))).toEqual([400, 'INVALID_REQUEST'])
    expect(codeOf(await post('/refresh'))).toEqual([401, 'AUTHENTICATION_FAILED'])
    const form = await post('', { email, password }, { 'content-type': 'text/plain' })
    expect(codeOf(form)).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE'])

    const mfa = taskboard.services.login?.mfa as Mfa
    const { secret } = await mfa.begin(user?.id ?? '')
    const code = oneTimePassword(secret, clock.now())
    const { recoveryCodes } = await mfa.confirm({ userId: user?.id ?? '', sessionId: 'none' }, code, {
      kind: 'host',
    })
    expect((await post('', { email, password })).json).toMatchObject({
      error: { details: { field: 'mfa_code' } },
    })
    expect((await post('', { email, password, mfa_code: recoveryCodes[0] })).status).toBe(200)
  })

  it('take one of two refreshes at the same moment, and the other one when it tries again', async () => {
    const { post, callAs } = await open()
    const cookie = cookieIn(await post('', { email, password }))
    const [one, other] = await Promise.all([
      post('/refresh', undefined, { cookie }),
      post('/refresh', undefined, { cookie }),
    ])
    expect([one.status, other.status].toSorted((a, b) => a - b)).toEqual([200, 401])
    const [won, lost] = one.status === 200 ? [one, other] : [other, one]
    // It must not remove the cookie that the other tab got.
    expect(lost.headers.get('set-cookie')).toBeNull()
    const again = await post('/refresh', undefined, { cookie: cookieIn(won) })
    expect([again.status, await callAs(again), await callAs(won)]).toEqual([200, 200, 200])
  })

  it('are for pages of the same origin only, with a cookie or without', async () => {
    const { post, host } = await open()
    const cookie = cookieIn(await post('', { email, password }))
    const foreign: Record<string, string>[] = [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: host.url.replace(/\d+$/, '1') },
      { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'none' },
      { origin: '' },
    ]
    for (const headers of foreign) {
      expect((await post('', { email, password }, headers)).status).toBe(403)
      for (const path of ['/refresh', '/logout']) {
        const answer = await post(path, undefined, { cookie, ...headers })
        expect([answer.status, answer.headers.get('set-cookie')]).toEqual([403, null])
      }
      const authorization = { authorization: 'Bearer x' }
      expect((await post('/logout', undefined, { cookie, ...headers, ...authorization })).status).toBe(403)
    }
    expect((await post('/refresh', undefined, { cookie, 'sec-fetch-site': 'same-origin' })).status).toBe(200)
  })

  it('do not let a cookie that a sibling subdomain added take the place of the user’s', async () => {
    const { post, callAs } = await open()
    const login = await post('', { email, password })
    const own = cookieIn(login)
    const tossed = cookieIn(await post('', { email, password }))
    for (const cookie of [`${tossed}; ${own}`, `${own}; ${tossed}`]) {
      const answer = await post('/refresh', undefined, { cookie })
      expect([answer.status, answer.headers.get('set-cookie')]).toEqual([401, null])
    }
    // The same cookie twice is one.
    const next = await post('/refresh', undefined, { cookie: `${own}; ${own}` })
    expect(next.status).toBe(200)
    expect((await post('/logout', undefined, { cookie: `${tossed}; ${cookieIn(next)}` })).status).toBe(204)
    expect(await callAs(next)).toBe(401)
    expect((await post('/refresh', undefined, { cookie: tossed })).status).toBe(401)
  })

  it('have the headers of the other answers, refused or not', async () => {
    const { post } = await open()
    for (const answer of [await post('', { email, password }), await post('/refresh'), await post('', {})]) {
      expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'")
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
      expect(answer.headers.get('cache-control')).toBe('no-store')
    }
  })

  it('are begun by POST alone', async () => {
    const { host } = await open()
    const answer = await fetch(`${host.url}/dashboard/session`, {
      headers: { 'sec-fetch-site': 'same-origin' },
    })
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST'])
  })

  it('are begun by a link, once', async () => {
    const { dashboard, post, callAs, host, clock } = await open({ mountPath: '/nested' })
    const link = new URL(await dashboard.createLoginLink({ email, baseUrl: `${host.url}/` }))
    expect(link.origin + link.pathname + link.search).toBe(`${host.url}/dashboard/`)
    const code = new URLSearchParams(link.hash.slice(1)).get('login') ?? ''
    const answers = await Promise.all([1, 2, 3].map(() => post('/code', { code })))
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 401, 401])
    const [won] = answers.filter(({ status }) => status === 200)
    expect(await callAs(won as Answer)).toBe(200)
    expect((await post('/refresh', undefined, { cookie: cookieIn(won as Answer) })).status).toBe(200)

    const late = await dashboard.createLoginLink({ email, baseUrl: host.url, ttlMs: 60_000 })
    await clock.advance({ minutes: 1 })
    expect((await post('/code', { code: late.split('=')[1] })).status).toBe(401)
  })
})

describe('the cookie of a session', () => {
  async function cookieAt(
    targetOrigin: string,
    path: string,
    publicPath?: string,
    origin?: string,
  ): Promise<string | undefined> {
    const taskboard = createTaskboard({
      storage: memoryStorage(),
      logger: false,
      tokens: { secret: 's'.repeat(32) },
      passwordHasher: plainPasswordHasher,
    })
    closing.push(() => taskboard.close())
    await taskboard.accounts.create({ name: 'Ada', tier: 'professional', owner })
    const [login] = browserSessionRoutes(taskboard, { path: '/dashboard/session', publicPath })
    const headers: Record<string, string> = {
      'sec-fetch-site': 'same-origin',
      'content-type': 'application/json',
      ...(origin !== undefined && { origin }),
    }
    const answer = await login?.handle({
      method: 'POST',
      path,
      params: {},
      query: '',
      header: (name) => headers[name],
      targetOrigin,
      clientAddress: '::1',
      body: { kind: 'parsed', value: { email, password } },
    })
    return answer?.headers['set-cookie']
      ?.replace(/=tbr_[^;]+/, '=…')
      .replace('; HttpOnly; SameSite=Strict', '')
  }

  const path = '/x/dashboard/session'
  const age = 'Max-Age=2592000'

  it.each([
    ['https://app.example', `__Secure-taskboard-session=…; Path=${path}; Secure; ${age}`],
    ['http://app.example', `__Secure-taskboard-session=…; Path=${path}; Secure; ${age}`],
    ['https://localhost', `__Secure-taskboard-session=…; Path=${path}; Secure; ${age}`],
    ['http://', `__Secure-taskboard-session=…; Path=${path}; Secure; ${age}`],
    ['http://localhost:3000', `taskboard-session-3000=…; Path=${path}; ${age}`],
    ['http://board.localhost', `taskboard-session=…; Path=${path}; ${age}`],
    ['http://127.0.0.1:3000', `taskboard-session-3000=…; Path=${path}; ${age}`],
    ['http://[::1]:3000', `taskboard-session-3000=…; Path=${path}; ${age}`],
    ['http://127.0.0.1.evil.example', `__Secure-taskboard-session=…; Path=${path}; Secure; ${age}`],
  ])('of %s is sent only to its routes, over HTTPS alone except on this machine', async (origin, cookie) => {
    expect(await cookieAt(origin, path)).toBe(cookie)
  })

  it('is for HTTPS alone where a proxy addresses the process as this machine', async () => {
    const of = (origin: string) => cookieAt('http://127.0.0.1:3000', path, undefined, origin)
    const secure = `__Secure-taskboard-session=…; Path=${path}; Secure; ${age}`
    expect(await of('https://app.example')).toBe(secure)
    expect(await of('http://app.example')).toBe(secure)
    expect(await of('null')).toBe(secure)
    expect(await of('http://localhost:5173')).toBe(`taskboard-session-3000=…; Path=${path}; ${age}`)
  })

  it('has the path that browsers see, and nothing else that is in a path', async () => {
    const of = async (...given: [string, string?]) =>
      /Path=([^;]*)/.exec((await cookieAt('http://localhost', ...given)) ?? '')?.[1]
    expect(await of(`${path}/`)).toBe(path)
    expect(await of(path, '/kanban/dashboard/session')).toBe('/kanban/dashboard/session')
    expect(await of('/x; Domain=evil.example/dashboard/session')).toBe('/')
  })
})
