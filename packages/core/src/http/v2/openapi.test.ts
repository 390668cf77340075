import { Validator } from '@seriousme/openapi-schema-validator'
import { memoryStorage } from '@taskboard/memory'
import { describe, expect, it } from 'vitest'
import { createTaskboard, type Taskboard } from '../../wiring/taskboard.js'
import { webhookEventTypes } from '../../events/index.js'
import { toFetchHandler } from '../fetch-handler.js'
import type { Route } from '../http.js'
import { mountedPath } from './described-routes.js'
import { protectedRoute } from './protected-route.js'

async function served(prefix?: string, more: (taskboard: Taskboard) => readonly Route[] = () => []) {
  const taskboard = createTaskboard({
    storage: memoryStorage(),
    ...(prefix !== undefined && { paths: { v2: prefix } }),
  })
  const handle = toFetchHandler(taskboard, { routes: more(taskboard) })
  const get = async (path: string) =>
    handle(new Request(`http://host.example${mountedPath(taskboard.services, path)}`))
  const document = (await (await get('/v2/openapi.json')).json()) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>
    readonly webhooks: Readonly<Record<string, Readonly<Record<string, Described>>>>
    readonly servers: readonly { readonly url: string }[]
    readonly components: { readonly schemas: Readonly<Record<string, object>> }
  }
  return { document, page: await (await get('/v2/reference')).text() }
}

interface Described {
  readonly operationId: string
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly required: boolean }[]
  readonly requestBody?: {
    readonly required: boolean
    readonly content: Readonly<Record<string, { readonly schema: object }>>
  }
  readonly responses: Readonly<Record<string, object>>
}

describe('the OpenAPI document', () => {
  it('is valid, of version 3.1', async () => {
    const { document } = await served()
    const validator = new Validator()
    expect(await validator.validate(structuredClone(document))).toEqual({ valid: true })
    expect(validator.version).toBe('3.1')
  })

  it('names each operation once, and has no broken reference', async () => {
    const { document } = await served()
    const ids = Object.values({ ...document.paths, ...document.webhooks }).flatMap((methods) =>
      Object.values(methods).map(({ operationId }) => operationId),
    )
    expect(new Set(ids).size).toBe(ids.length)
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(
      ([, target]) => target,
    )
    const known = Object.keys(document.components.schemas).map((name) => `#/components/schemas/${name}`)
    expect(references.filter((target) => !known.includes(target ?? ''))).toEqual([])
  })

  it('lists what is required', async () => {
    const { document } = await served()
    const create = document.paths['/v2/webhooks']?.['post']
    expect(create?.requestBody?.required).toBe(true)
    expect(document.paths['/v2/webhooks/{webhook_id}/rotate-secret']?.['post']?.requestBody?.required).toBe(
      false,
    )
    const listed = document.paths['/v2/webhooks/{webhook_id}/deliveries']?.['get']?.parameters
    expect(listed?.map(({ name, required }) => [name, required])).toEqual([
      ['webhook_id', true],
      ['status', false],
      ['limit', false],
      ['cursor', false],
    ])
  })

  it('has the board API: one operation for each method, with its actions', async () => {
    const { document } = await served()
    const { get, post } = document.paths['/api/board'] ?? {}
    const actionOf = (described?: Described) =>
      described?.parameters.find(({ name }) => name === 'action') as
        | { schema: { enum: string[] } }
        | undefined
    expect(actionOf(get)).toMatchObject({ required: true, schema: { enum: ['todo', 'doing', 'done'] } })
    expect(actionOf(post)).toMatchObject({ required: true, schema: { enum: ['add', 'move', 'chat'] } })
    expect(post?.requestBody?.content['application/json']?.schema).toEqual({
      anyOf: ['BoardAdd', 'BoardMove', 'BoardChat'].map((name) => ({ $ref: `#/components/schemas/${name}` })),
    })
    expect(document.components.schemas['BoardAdd']).toMatchObject({
      required: ['title'],
      properties: { due_date: {}, depends_on: {} },
    })
    expect(document.paths['/api/webhooks/create']?.['post']?.operationId).toBe('registerWebhook')
  })

  it('has the webhooks with the headers and payloads of every event type', async () => {
    const { document } = await served()
    expect(Object.keys(document.webhooks)).toEqual(webhookEventTypes)
    const completed = document.webhooks['task.completed']?.['post']
    expect(completed?.parameters.map(({ name, required }) => [name, required])).toEqual([
      ['X-Service-Event', true],
      ['X-Service-Delivery', true],
      ['X-Service-Signature', false],
      ['X-Service-Signatures', false],
    ])
    expect(completed?.requestBody?.content['application/json']?.schema).toMatchObject({
      properties: {
        event: { const: 'task.completed' },
        data: { properties: { duration_seconds: { type: 'integer' } } },
      },
    })
  })

  it('has the routes of other packages that describe themselves', async () => {
    const { document, page } = await served(undefined, (taskboard) => [
      protectedRoute(taskboard, {
        path: '/v2/extra',
        description: {
          get: {
            operationId: 'getExtra',
            summary: 'More',
            tags: ['extra'],
            parameters: [],
            responses: { 200: { description: 'Done.' } },
          },
        },
        answer: () => Promise.reject(new Error('not asked')),
        refuse: () => ({ status: 500, headers: {}, body: '' }),
      }),
    ])
    expect(document.paths['/v2/extra']?.['get']?.operationId).toBe('getExtra')
    expect(page).toContain('<article id="getExtra">')
    expect(await new Validator().validate(structuredClone(document))).toEqual({ valid: true })
  })

  it('lists no conflict for a read', async () => {
    const { document } = await served()
    const reads = Object.values(document.paths).flatMap(({ get }) => (get === undefined ? [] : [get]))
    expect(reads.length).toBeGreaterThan(10)
    expect(reads.filter(({ responses }) => '409' in responses)).toEqual([])
    expect(document.paths['/v2/tasks/{task_id}']?.['delete']?.responses).toHaveProperty('409')
  })

  it('has the paths that the host configured', async () => {
    const { document, page } = await served('/api/v2')
    expect(Object.keys(document.paths)).toContain('/api/v2/account')
    const others = Object.keys(document.paths).filter((path) => !path.startsWith('/api/v2/'))
    expect(others).toEqual(['/api/board', '/api/webhooks/create'])
    expect(page).toContain('<code>/api/v2/account</code>')
  })
})

describe('the reference', () => {
  it('has a section for each operation, with parameters, body and answer, and runs no script', async () => {
    const { document, page } = await served()
    for (const methods of Object.values({ ...document.paths, ...document.webhooks }))
      for (const { operationId } of Object.values(methods))
        expect(page).toContain(`<article id="${operationId}">`)
    expect(page).toContain('events: [&#34;task.created&#34;')
    expect(page).not.toContain('<script')
    expect(page).not.toMatch(/(src|href)="(?!#)/)
  })
})
