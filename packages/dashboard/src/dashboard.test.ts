import { plainPasswordHasher } from '@taskboard/testing'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { createTaskboard, type TaskboardOptions, webhookEventTypes } from '@taskboard/core'
import { notificationEventTypes } from '@taskboard/core/transport'
import { taskboardPlugin } from '@taskboard/fastify'
import { memoryStorage } from '@taskboard/memory'
import { fastify, type FastifyServerOptions } from 'fastify'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { BuiltApp } from '../scripts/build-app.mjs'
import { buildFixtureApp, type FixtureApp } from '../test/fixture-app.js'
import { hosts, type HostOptions } from '../test/hosts.js'
import { taskboardDashboard, type DashboardOptions } from './index.js'

let fixture: FixtureApp
beforeAll(async () => {
  fixture = await buildFixtureApp()
})
afterAll(() => fixture.remove())

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; require-trusted-types-for 'script'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

interface Given {
  readonly mountPath?: string
  readonly dashboard?: DashboardOptions
  readonly taskboard?: Partial<TaskboardOptions>
}

describe.each(hosts)('the dashboard on $name', ({ serve }) => {
  async function open({ mountPath = '', dashboard, taskboard: options }: Given = {}) {
    const taskboard = createTaskboard({ storage: memoryStorage(), logger: false, ...options })
    closing.push(() => taskboard.close())
    const routes: HostOptions['routes'] = [
      taskboardDashboard(taskboard, { folder: fixture.folder, ...dashboard }),
    ]
    const host = await serve(taskboard, { mountPath, routes })
    closing.push(() => host.close())
    return (path: string, init: RequestInit = {}) => fetch(host.url + path, { redirect: 'manual', ...init })
  }

  it.each(['', '/nested/deep'])(
    'serves its page below "%s", by addresses relative to it',
    async (mountPath) => {
      const get = await open({ mountPath })
      const moved = await get('/dashboard')
      expect([moved.status, moved.headers.get('location')]).toEqual([307, './dashboard/'])
      const page = await get('/dashboard/')
      expect(page.status).toBe(200)
      expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
      const text = await page.text()
      const [, script = ''] = /<script type="module" src="(assets\/[\w-]+\.js)">/.exec(text) ?? []
      const [, style = ''] = /<link rel="stylesheet" href="(assets\/[\w-]+\.css)">/.exec(text) ?? []
      expect(text).not.toMatch(/<script>|<style|\son\w+=|(?:src|href)="\//)
      expect((await get(`/dashboard/${script}`)).headers.get('content-type')).toBe(
        'text/javascript; charset=utf-8',
      )
      expect((await get(`/dashboard/${style}`)).headers.get('content-type')).toBe('text/css; charset=utf-8')
    },
  )

  it('is at the path of the option', async () => {
    const get = await open({ taskboard: { paths: { dashboard: '/team/board' } } })
    expect((await get('/team/board/')).status).toBe(200)
    expect((await get('/dashboard/')).status).toBe(404)
  })

  it('says where it is mounted, as browsers see it', async () => {
    const mountOf = async (given: Given, path: string) => {
      const { mount } = (await (await (await open(given))(path)).json()) as { mount: string }
      return mount
    }
    expect(await mountOf({}, '/dashboard/config')).toBe('')
    const deep = { mountPath: '/nested/deep', taskboard: { paths: { dashboard: '/team/board' } } }
    for (const path of ['/team/board/config', '/team/board/config/'])
      expect(await mountOf(deep, path)).toBe('/nested/deep')
    const behindProxy = { taskboard: { publicUrl: 'https://app.example/apps/kanban/' } }
    expect(await mountOf(behindProxy, '/dashboard/config')).toBe('/apps/kanban')
  })

  it.each(['/dashboard', '/dashboard/', '/dashboard/config', '/dashboard/assets/none.js'])(
    'restricts what a browser does with %s',
    async (path) => {
      const { headers } = await (await open())(path)
      expect(Object.fromEntries(headers)).toMatchObject({
        'content-security-policy': policy,
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
        'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
      })
    },
  )

  it('lets browsers keep files for good, and asks for the page each time', async () => {
    const get = await open()
    const file = await get(`/dashboard/assets/${fixture.built.script}`)
    expect(file.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    const page = await get('/dashboard/')
    expect(page.headers.get('cache-control')).toBe('no-cache')
    const etag = page.headers.get('etag') ?? ''
    const known = await get('/dashboard/', { headers: { 'if-none-match': `"other", W/${etag}` } })
    expect([known.status, await known.text(), known.headers.get('etag')]).toEqual([304, '', etag])
    expect(known.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect((await get('/dashboard/', { headers: { 'if-none-match': '"other"' } })).status).toBe(200)
  })

  it('sends the smallest form that a client accepts', async () => {
    const get = await open()
    const path = `/dashboard/assets/${fixture.built.script}`
    const as = (accepted: string) => get(path, { headers: { 'accept-encoding': accepted } })
    const plain = await (await as('identity')).text()
    expect(plain).toContain('ready')
    const forms: [string, string | null][] = [
      ['gzip, deflate, br', 'br'],
      ['GZIP;q=0.5', 'gzip'],
      ['br;q=0, gzip', 'gzip'],
      ['deflate, zstd', null],
    ]
    const tags = new Set<string | null>()
    for (const [accepted, encoding] of forms) {
      const { headers, body } = await as(accepted)
      expect([headers.get('content-encoding'), headers.get('vary')]).toEqual([encoding, 'accept-encoding'])
      tags.add(headers.get('etag'))
      await body?.cancel()
    }
    // `fetch` has decompressed them: each form has a tag of its own.
    expect(tags.size).toBe(3)
    expect(await (await as('br')).text()).toBe(plain)
    expect(await (await as('gzip')).text()).toBe(plain)
  })

  it('answers HEAD without a body, and refuses other methods', async () => {
    const get = await open()
    const head = await get('/dashboard/', { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
    const posted = await get('/dashboard/', { method: 'POST' })
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  })

  it.each(['none.js', 'main', '..%2Fmanifest.json', '%2e%2e%2Findex.html', '%', '__proto__', 'constructor'])(
    'has no file "%s"',
    async (name) => {
      const answer = await (await open())(`/dashboard/assets/${name}`)
      expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'text/plain; charset=utf-8'])
    },
  )

  it('describes the host without a login, with ours, and with the host’s', async () => {
    const describeWith = async (given: Given) => (await (await open(given))('/dashboard/config')).json()
    expect(await describeWith({})).toEqual({
      login: 'none',
      loginUrl: null,
      mount: '',
      paths: { board: '/api/board', v2: '/v2', realtime: '/v2/realtime' },
      version: '0.0.0',
      events: { webhooks: webhookEventTypes, channels: notificationEventTypes },
      features: { users: false },
    })
    expect(
      await describeWith({
        taskboard: { tokens: { secret: 's'.repeat(32) }, passwordHasher: plainPasswordHasher },
      }),
    ).toMatchObject({
      login: 'taskboard',
      features: { users: true },
    })
    const ofHost = { taskboard: { authenticate: () => null }, dashboard: { loginUrl: '/login?next=board' } }
    expect(await describeWith(ofHost)).toMatchObject({ login: 'host', loginUrl: '/login?next=board' })
  })

  it('says what is wrong when the application was not built, and tries again', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'taskboard-dashboard-'))
    await writeFile(join(folder, 'manifest.json'), '{}')
    const get = await open({ dashboard: { folder } })
    await rm(folder, { recursive: true })
    const answer = await get('/dashboard/')
    expect([answer.status, answer.headers.get('content-security-policy')]).toEqual([503, policy])
    expect((await get('/dashboard/')).status).toBe(503)
    const refused = expect.objectContaining({ code: 'INVALID_CONFIG', field: 'folder' }) as Error
    await expect(open({ dashboard: { folder: '/nowhere' } })).rejects.toEqual(refused)
  })
})

describe.each([
  ['as an option of the router', { routerOptions: { ignoreTrailingSlash: true } }],
  ['as an option of the server', { ignoreTrailingSlash: true }],
])('the dashboard on Fastify with ignoreTrailingSlash %s', (_, options: FastifyServerOptions) => {
  it.each([undefined, '/kanban'])(
    'redirects to its page, and serves it, with the prefix %s',
    async (prefix = '') => {
      const taskboard = createTaskboard({ storage: memoryStorage(), logger: false })
      const app = fastify(options)
      closing.push(() => app.close())
      const routes = [taskboardDashboard(taskboard, { folder: fixture.folder })]
      app.register(taskboardPlugin, { taskboard, routes, prefix })
      const moved = await app.inject(`${prefix}/dashboard`)
      expect([moved.statusCode, moved.headers['location']]).toEqual([307, './dashboard/'])
      const page = await app.inject(`${prefix}/dashboard/`)
      expect([page.statusCode, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    },
  )
})

describe('taskboardDashboard', () => {
  const taskboard = createTaskboard({ storage: memoryStorage(), logger: false })
  afterAll(() => taskboard.close())

  it.each([
    [{ realtimePath: 'ws' }, 'realtimePath'],
    [{ folder: '' }, 'folder'],
    [{ folder: new URL('file:///srv/app') as never }, 'folder'],
    [{ loginUrl: '/\t/evil.example' }, 'loginUrl'],
    [{ loginUrl: '/x\r\nset-cookie: a=b' }, 'loginUrl'],
    [{ loginUrl: 'https://' }, 'loginUrl'],
    [{ loginUrl: 'javascript:alert(1)' }, 'loginUrl'],
    [{ loginUrl: '//evil.example' }, 'loginUrl'],
    [{ loginUrl: '/\\evil.example' }, 'loginUrl'],
  ])('refuses %j', (options, field) => {
    expect(() => taskboardDashboard(taskboard, options)).toThrow(
      expect.objectContaining({ code: 'INVALID_CONFIG', field }),
    )
  })

  it('needs a task board', () => {
    const refused = expect.objectContaining({ code: 'INVALID_CONFIG', field: 'taskboard' }) as Error
    for (const given of [undefined, {}, { taskboard }])
      expect(() => taskboardDashboard(given as never)).toThrow(refused)
  })

  it('drops a final slash of its path', () => {
    const panel = createTaskboard({
      storage: memoryStorage(),
      logger: false,
      paths: { dashboard: '/panel/' },
    })
    const { routes } = taskboardDashboard(panel, { realtimePath: '/ws/' })
    expect(routes.slice(0, 2).map(({ path }) => path)).toEqual(['/panel', '/panel/'])
  })

  it.each([
    undefined,
    '',
    '/kanban',
    'app.example',
    'javascript:x',
    'https://a.example/?x',
    'https://a.example/#',
    'https://u@a.example',
  ])('makes no login link below %j', async (baseUrl) => {
    const withLogin = createTaskboard({
      storage: memoryStorage(),
      logger: false,
      tokens: { secret: 's'.repeat(32) },
      passwordHasher: plainPasswordHasher,
    })
    const link = taskboardDashboard(withLogin).createLoginLink({ email: 'a@b.c', baseUrl })
    await expect(link).rejects.toMatchObject({ code: 'INVALID_FIELD', field: 'baseUrl' })
    await withLogin.close()
  })

  it('makes no login link without the board’s login', async () => {
    const link = taskboardDashboard(taskboard).createLoginLink({ email: 'a@b.c', baseUrl: 'http://x' })
    await expect(link).rejects.toMatchObject({ code: 'INVALID_CONFIG' })
  })
})

describe('the built application', () => {
  it('takes at most 60 kB, compressed, to the first board', async () => {
    const { readFile } = await import('node:fs/promises')
    const manifest = new URL('../dist/app/manifest.json', import.meta.url)
    const { script, styles, preloaded, sizes } = JSON.parse(await readFile(manifest, 'utf8')) as BuiltApp
    const names = [script, ...styles, ...preloaded]
    expect(names.length).toBeGreaterThan(1)
    const total = names.reduce((sum, name) => sum + (sizes[name]?.gzip ?? Infinity), 0)
    expect(total).toBeLessThanOrEqual(60_000)
  })

  it('has compressed forms that are the file', async () => {
    const { readFile } = await import('node:fs/promises')
    const path = `${fixture.folder}/assets/${fixture.built.script}`
    const [plain, small, zipped] = await Promise.all(
      [path, `${path}.br`, `${path}.gz`].map((one) => readFile(one)),
    )
    expect(brotliDecompressSync(small as Buffer)).toEqual(plain)
    expect(gunzipSync(zipped as Buffer)).toEqual(plain)
  })
})
