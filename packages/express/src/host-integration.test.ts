import { setImmediate } from 'node:timers/promises'
import { createTaskboard, type Logger, type TaskboardOptions } from '@taskboard/core'
import { memoryStorage } from '@taskboard/memory'
import type { MountedHost } from '@taskboard/testing'
import express, { type Application, type ErrorRequestHandler } from 'express'
import express4 from 'express4'
import { afterEach, describe, expect, it } from 'vitest'
import { listen } from '@taskboard/kit/hosts/express-host'
import { taskboardRouter } from './index.js'

const hosts: MountedHost[] = []

afterEach(async () => {
  await Promise.all(hosts.splice(0).map((host) => host.close()))
})

interface Init {
  readonly method?: string
  readonly body?: string | Uint8Array<ArrayBuffer>
  readonly headers?: Readonly<Record<string, string>>
}

async function serve(app: Application, options: Partial<TaskboardOptions> = {}) {
  const taskboard = createTaskboard({ storage: memoryStorage(), logger: false, ...options })
  app.use(taskboardRouter(taskboard))
  const host = await listen(app)
  hosts.push(host)
  const { workspace } = await taskboard.accounts.create({ name: 'host', tier: 'professional' })
  const { key } = await taskboard.accounts.createKey({
    workspaceId: workspace.id,
    name: 'test',
    scopes: ['tasks:read', 'tasks:write'],
  })
  const request = (action: string, init: Init = {}) =>
    fetch(`${host.url}/api/board?action=${action}`, {
      ...init,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...init.headers },
    })
  return { taskboard, request, url: host.url }
}

describe('taskboardRouter', () => {
  it('refuses the form of another adapter, and functions that were not called', () => {
    const taskboard = createTaskboard({ storage: memoryStorage(), logger: false })
    const wrong = { taskboard } as unknown as typeof taskboard
    const refusal = (field: string) => expect.objectContaining({ code: 'INVALID_CONFIG', field }) as Error
    expect(() => taskboardRouter(wrong)).toThrow(refusal('taskboard'))
    expect(() => taskboardRouter(taskboard, { routes: [taskboardRouter as never] })).toThrow(
      refusal('routes'),
    )
    expect(() => taskboardRouter(taskboard, { route: [] } as object)).toThrow(refusal('route'))
  })

  it('keeps the request id that the host has set', async () => {
    const app = express().use((_request, response, next) => {
      response.setHeader('x-request-id', 'of-the-host')
      next()
    })
    const { url } = await serve(app)
    const answer = await fetch(`${url}/v2/tasks`, { headers: { 'x-request-id': 'of-the-client' } })
    const { error } = (await answer.json()) as { readonly error: { readonly request_id: string } }
    expect([answer.headers.get('x-request-id'), error.request_id]).toEqual(['of-the-host', 'of-the-host'])
  })

  it('takes the id of a request from a middleware that gives it one, such as pino-http', async () => {
    const app = express().use((request, _response, next) => {
      Object.assign(request, { id: 'of-the-logger' })
      next()
    })
    const { url } = await serve(app)
    const answer = await fetch(`${url}/v2/tasks`, { headers: { 'x-request-id': 'of-the-client' } })
    expect(answer.headers.get('x-request-id')).toBe('of-the-logger')
  })

  it('counts wrong keys by the address that a trusted proxy forwards', async () => {
    const app = express().set('trust proxy', 1)
    const { request } = await serve(app, { limits: { failedCredentialsPerMinute: 1 } })
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

  it('ignores the address that an untrusted client claims', async () => {
    const { request } = await serve(express(), { limits: { failedCredentialsPerMinute: 1 } })
    const guess = async (address: string) => {
      const headers = { authorization: 'Bearer tb_wrong', 'x-forwarded-for': address }
      const { status, headers: answered } = await request('todo', { headers })
      return [status, answered.get('retry-after')]
    }
    expect([await guess('203.0.113.1'), await guess('203.0.113.2')]).toEqual([
      [401, null],
      [401, '60'],
    ])
  })

  it.each([
    ['Express 5', express],
    ['Express 4', express4],
  ])('knows its own origin from a proxy that %s trusts, and from no other', async (_, framework) => {
    const statusBehind = async (app: Application) => {
      const { url } = await serve(app, { authenticate: () => null })
      const headers = {
        cookie: 'session=1',
        origin: 'https://app.example',
        'x-forwarded-host': 'app.example, inner.example',
        'x-forwarded-proto': 'https',
      }
      return (await fetch(`${url}/api/board?action=add`, { method: 'POST', headers })).status
    }
    // A request that passes has no caller: 401.
    expect(await statusBehind(framework().set('trust proxy', 1))).toBe(401)
    expect(await statusBehind(framework())).toBe(403)
  })

  it('lets the middleware of the host refuse first', async () => {
    const app = express().use('/api', (_request, response) => void response.status(418).send('tea'))
    const { request } = await serve(app)
    const answer = await request('todo')
    expect([answer.status, await answer.text()]).toEqual([418, 'tea'])
  })

  it('works on the address that the host has rewritten', async () => {
    const app = express().use((request, _response, next) => {
      if (request.url === '/tasks') request.url = '/api/board?action=todo'
      next()
    })
    const { request, url } = await serve(app)
    const { status } = await request('todo')
    expect(status).toBe(200)
    expect((await fetch(`${url}/tasks`)).status).toBe(401)
  })

  it('respects the host’s wrappers around the response', async () => {
    const app = express().use((_request, response, next) => {
      const end = response.end.bind(response) as (body: string) => typeof response
      response.end = (body: unknown) => {
        response.setHeader('content-length', 2 * String(body).length)
        return end(String(body) + ' '.repeat(String(body).length))
      }
      next()
    })
    const { request } = await serve(app)
    expect(await (await request('todo')).json()).toMatchObject({ success: true, count: 0 })
  })

  it('reads the body that an urlencoded parser has left alone', async () => {
    const { request } = await serve(express().use(express.urlencoded({ extended: true })))
    const answer = await request('add', { method: 'POST', body: '{"title":"x"}' })
    expect(answer.status).toBe(200)
  })

  it('leaves alone a response that the host has sent meanwhile', async () => {
    const errors: unknown[] = []
    const app = express().use((_request, response, next) => {
      next()
      response.status(504).send('too late')
    })
    const { request } = await serve(app, {
      async authenticate() {
        await setImmediate()
        return null
      },
    })
    app.use(((error, _request, _response, _next) => void errors.push(error)) satisfies ErrorRequestHandler)
    const note = (error: unknown): void => void errors.push(error)
    process.on('unhandledRejection', note)
    try {
      const answer = await request('todo')
      expect([answer.status, await answer.text()]).toEqual([504, 'too late'])
      for (let turn = 0; turn < 5; turn++) await setImmediate()
    } finally {
      process.off('unhandledRejection', note)
    }
    expect(errors).toEqual([])
  })

  it('answers 500, and logs why, when the host’s middleware consumed the body', async () => {
    const errors: unknown[] = []
    const note = (fields: object): void => void errors.push((fields as { err: unknown }).err)
    const logger: Logger = { debug: note, info: note, warn: note, error: note, fatal: note }
    const app = express().use((request, _response, next) => void request.resume().on('end', () => next()))
    const { request } = await serve(app, { logger })
    const answer = await request('add', { method: 'POST', body: '{"title":"x"}' })
    expect(await answer.json()).toEqual({ success: false, error: 'internal error', code: 'INTERNAL_ERROR' })
    expect(String(errors.at(-1))).toContain('mount the routes before its parser')
  })
})
