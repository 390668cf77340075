import { createTaskboard } from '@taskboard/core'
import type { Route } from '@taskboard/core/transport'
import { memoryStorage } from '@taskboard/memory'
import { fastify, type FastifyServerOptions } from 'fastify'
import { describe, expect, it } from 'vitest'
import { taskboardPlugin, type TaskboardPluginOptions } from './index.js'

const taskboard = createTaskboard({ storage: memoryStorage(), logger: false })
const page = (path: string): Route => ({
  path,
  handle: async (request) => ({ status: 200, headers: {}, body: `${path} at ${request.path}` }),
})

const servers: readonly (readonly [string, FastifyServerOptions])[] = [
  ['without options', {}],
  ['with ignoreTrailingSlash as an option of the router', { routerOptions: { ignoreTrailingSlash: true } }],
  ['with ignoreTrailingSlash as an option of the server', { ignoreTrailingSlash: true }],
]

describe.each(servers)('a server %s', (_, options) => {
  it.each(['', '/kanban', '/kanban/'])('serves both forms of a path, with the prefix %j', async (prefix) => {
    const app = fastify(options)
    app.register(taskboardPlugin, { taskboard, routes: [page('/panel'), page('/panel/')], prefix })
    const mount = prefix === '' ? '' : '/kanban'
    const bodies = ['/panel', '/panel/'].map(async (path) => (await app.inject(mount + path)).body)
    const [without, withSlash] = await Promise.all(bodies)
    expect(without).toBe(`/panel at ${mount}/panel`)
    expect(withSlash).toMatch(new RegExp(`^/panel/? at ${mount}/panel/$`))
    await app.close()
  })
})

it('leaves malformed paths to the board below a prefix with a final slash', async () => {
  const app = fastify()
  app.register(taskboardPlugin, { taskboard, prefix: '/kanban/' })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  expect((await fetch(`${url}/kanban/v2/tasks/%zz`)).status).toBe(401)
  await app.close()
})

describe('a registration that cannot work', () => {
  const invalid: readonly (readonly [string, object, object])[] = [
    ['no board', {}, { code: 'INVALID_CONFIG', field: 'taskboard' }],
    [
      'a list of functions as routes',
      { taskboard, routes: [page] },
      { code: 'INVALID_CONFIG', field: 'routes' },
    ],
    ['one route as routes', { taskboard, routes: page('/one') }, { code: 'INVALID_CONFIG', field: 'routes' }],
    ['a misspelled option', { taskboard, route: [] }, { code: 'INVALID_CONFIG', field: 'route' }],
    ['another notFound', { taskboard, notFound: 'page' }, { code: 'INVALID_CONFIG', field: 'notFound' }],
    ['null as a route', { taskboard, routes: [null] }, { code: 'INVALID_CONFIG', field: 'routes' }],
    ['a path that is taken', { taskboard, routes: [page('/host')] }, { code: 'FST_ERR_DUPLICATED_ROUTE' }],
  ]
  it("takes Fastify's own options", async () => {
    const app = fastify({ logger: { level: 'fatal' } })
    app.register(taskboardPlugin, { taskboard, prefix: '/kanban', logLevel: 'warn', logSerializers: {} })
    expect((await app.inject('/kanban/v2/tasks')).statusCode).toBe(401)
    await app.close()
  })

  it.each(invalid)('rejects ready(): %s', async (_, options, error) => {
    // Without the time-out of plugins, an error that nobody passes on would never arrive.
    const app = fastify({ pluginTimeout: 0 })
    app.get('/host', () => 'host')
    app.register(taskboardPlugin, options as TaskboardPluginOptions)
    await expect(app.ready()).rejects.toMatchObject(error)
  })

  it('rejects ready(): the plugin twice at one path', async () => {
    const app = fastify({ pluginTimeout: 0 })
    for (const again of [taskboard, taskboard]) app.register(taskboardPlugin, { taskboard: again })
    await expect(app.ready()).rejects.toMatchObject({ code: 'FST_ERR_DUPLICATED_ROUTE' })
  })
})
