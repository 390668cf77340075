import { createTaskboard, type TaskboardOptions } from '@taskboard/core'
import { memoryStorage } from '@taskboard/memory'
import { fastify, type FastifyInstance, type FastifyServerOptions } from 'fastify'
import { afterEach, describe, expect, it } from 'vitest'
import { taskboardPlugin } from './index.js'

const apps: FastifyInstance[] = []

afterEach(async () => {
  await Promise.all(apps.splice(0).map((app) => app.close()))
})

interface Init {
  readonly method?: string
  readonly body?: string | Uint8Array<ArrayBuffer>
  readonly headers?: Readonly<Record<string, string>>
}

async function serve(
  prepare: (app: FastifyInstance) => void = () => undefined,
  options: Partial<TaskboardOptions> & { server?: FastifyServerOptions } = {},
) {
  const { server, ...rest } = options
  const app: FastifyInstance = fastify(server ?? {})
  apps.push(app)
  const taskboard = createTaskboard({ storage: memoryStorage(), logger: false, ...rest })
  prepare(app)
  await app.register(taskboardPlugin, { taskboard })
  const { workspace } = await taskboard.accounts.create({ name: 'host', tier: 'professional' })
  const { key } = await taskboard.accounts.createKey({
    workspaceId: workspace.id,
    name: 'test',
    scopes: ['tasks:read', 'tasks:write'],
  })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const request = (action: string, init: Init = {}) =>
    fetch(`${url}/api/board?action=${action}`, {
      ...init,
      headers: { authorization: `Bearer ${key}`, ...init.headers },
    })
  const add = (body: string, headers: Record<string, string> = {}) =>
    request('add', { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } })
  return { app, key, request, add }
}

describe('taskboardPlugin', () => {
  it('answers injected requests', async () => {
    const { app, key } = await serve()
    const answer = await app.inject({
      method: 'POST',
      url: '/api/board?action=add',
      headers: { authorization: `Bearer ${key}` },
      payload: { title: 'injected' },
    })
    expect(answer.json()).toMatchObject({ success: true, task: { title: 'injected' } })
  })

  it('works on all requests that have arrived before it answers the first of them', async () => {
    const steps: string[] = []
    const { app } = await serve(
      (host) => {
        host.addHook('onSend', async () => void steps.push('answered'))
      },
      {
        authenticate: async () => {
          steps.push('begun')
          other ??= inject()
          return null
        },
      },
    )
    const headers = { authorization: 'Bearer of-the-host' }
    const inject = () => app.inject({ url: '/api/board?action=todo', headers })
    let other: ReturnType<typeof inject> | undefined
    const first = await inject()
    const second = await other
    expect([first.statusCode, second?.statusCode]).toEqual([401, 401])
    expect(steps).toEqual(['begun', 'begun', 'answered', 'answered'])
  })

  it('treats undefined from a host in JavaScript as an unknown credential', async () => {
    const { app } = await serve(undefined, { authenticate: (() => undefined) as never })
    const headers = { authorization: 'Bearer of-the-host' }
    const { statusCode } = await app.inject({ url: '/api/board?action=todo', headers })
    expect(statusCode).toBe(401)
  })

  it('refuses QUERY like any other wrong method, although Fastify requires a content type for it', async () => {
    const { request } = await serve()
    const answer = await request('todo', { method: 'QUERY' })
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
    expect(await answer.json()).toMatchObject({ success: false, code: 'METHOD_NOT_ALLOWED' })
  })

  it('lets the onSend hooks of the host see and change the text', async () => {
    const seen: unknown[] = []
    const { request } = await serve((app) => {
      app.addHook('onSend', async (_request, _reply, payload) => {
        seen.push(typeof payload)
        return `${String(payload)}\n`
      })
    })
    expect(await (await request('todo')).text()).toBe('{"success":true,"tasks":[],"count":0}\n')
    expect(seen).toEqual(['string'])
  })

  it('leaves errors of the host’s hooks to the host', async () => {
    const { request } = await serve((app) => {
      app.addHook('onRequest', async () => {
        throw new Error('maintenance')
      })
      app.setErrorHandler((error: Error, _request, reply) => reply.code(503).send(`host: ${error.message}`))
    })
    const answer = await request('todo')
    expect([answer.status, await answer.text()]).toEqual([503, 'host: maintenance'])
  })

  it('reads the stream that a preParsing hook of the host has put in place', async () => {
    const { createGunzip, gzipSync } = await import('node:zlib')
    const { request } = await serve((app) => {
      app.addHook('preParsing', async (incoming, _reply, payload) => {
        if (incoming.headers['content-encoding'] !== 'gzip') return payload
        delete incoming.headers['content-encoding']
        delete incoming.headers['content-length']
        incoming.raw.headers['transfer-encoding'] = 'chunked'
        return payload.pipe(createGunzip())
      })
    })
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
    const send = (body: Uint8Array<ArrayBuffer>) => request('add', { method: 'POST', body, headers })
    const small = await send(new Uint8Array(gzipSync('{"title":"inflated"}')))
    expect(await small.json()).toMatchObject({ task: { title: 'inflated' } })
    const bomb = await send(new Uint8Array(gzipSync(Buffer.alloc(20_000_000, ' '))))
    expect(bomb.status).toBe(413)
  })

  it.each([';', 'text', 'application/', '{}'])(
    'refuses the unreadable type "%s" in its turn',
    async (type) => {
      const { add, request } = await serve()
      const refused = await add('{}', { 'content-type': type })
      expect(await refused.json()).toMatchObject({ success: false, code: 'UNSUPPORTED_MEDIA_TYPE' })
      const unknown = await add('{}', { 'content-type': type, authorization: 'Bearer x' })
      expect(await unknown.json()).toMatchObject({ success: false, code: 'UNAUTHORIZED' })
      expect((await request('todo')).status).toBe(200)
    },
  )

  it('keeps the request id that the host has set', async () => {
    const { app } = await serve((host) => {
      host.addHook('onRequest', async (_request, reply) => void reply.header('x-request-id', 'of-the-host'))
    })
    const answer = await app.inject({ url: '/v2/tasks', headers: { 'x-request-id': 'of-the-client' } })
    const { error } = answer.json<{ readonly error: { readonly request_id: string } }>()
    expect([answer.headers['x-request-id'], error.request_id]).toEqual(['of-the-host', 'of-the-host'])
  })

  it.each<[FastifyServerOptions, string]>([
    [{ genReqId: () => '8b7c' }, '8b7c'],
    [{ requestIdHeader: 'x-trace' }, 'of-the-proxy'],
    // Fastify's own counter starts again with each process.
    [{}, 'of-the-client'],
  ])('takes the id of a request from the host: %#', async (server, id) => {
    const { app } = await serve(undefined, { server })
    const headers = { 'x-request-id': 'of-the-client', 'x-trace': 'of-the-proxy' }
    const answer = await app.inject({ url: '/v2/tasks', headers })
    expect(answer.headers['x-request-id']).toBe(id)
  })

  it('counts wrong keys by the address that a trusted proxy forwards', async () => {
    const { request } = await serve(undefined, {
      server: { trustProxy: true },
      limits: { failedCredentialsPerMinute: 1 },
    })
    const guess = async (address: string) => {
      const headers = { authorization: 'Bearer tb_wrong', 'x-forwarded-for': address }
      const { status, headers: answered } = await request('todo', { headers })
      return [status, answered.get('retry-after')]
    }
    expect([await guess('203.0.113.1'), await guess('203.0.113.1')]).toEqual([
      [401, null],
      [401, '60'],
    ])
    expect(await guess('203.0.113.2')).toEqual([401, null])
  })

  it('knows its own origin from a trusted proxy, and from no other', async () => {
    const statusBehind = async (trustProxy: boolean) => {
      const { app } = await serve(undefined, { server: { trustProxy }, authenticate: () => null })
      const headers = {
        cookie: 'session=1',
        origin: 'https://app.example',
        'x-forwarded-host': 'app.example',
        'x-forwarded-proto': 'https',
      }
      const { statusCode } = await app.inject({ method: 'POST', url: '/api/board?action=add', headers })
      return statusCode
    }
    // A request that passes has no caller: 401.
    expect(await statusBehind(true)).toBe(401)
    expect(await statusBehind(false)).toBe(403)
  })

  it('accepts bodies beyond the host’s bodyLimit, up to the board’s', async () => {
    const { add } = await serve(undefined, { server: { bodyLimit: 10 }, bounds: { bodyLimitBytes: 100 } })
    expect((await add(JSON.stringify({ title: 'x'.repeat(50) }))).status).toBe(200)
    expect((await add(JSON.stringify({ title: 'x'.repeat(100) }))).status).toBe(413)
  })
})
