import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import { healthRoutes } from '@taskboard/core/transport'
import { drainable, START_PAGE_HEADERS, startPage, type DemoServer } from '@taskboard/example-demo'
import { taskboardRouter } from '@taskboard/express'
import { graphqlSubscriptions, taskboardGraphql } from '@taskboard/graphql'
import { taskboardMcp } from '@taskboard/mcp'
import { attachRealtime } from '@taskboard/ws'
import express from 'express'

/** Serves a board with Express, next to a route of the host's own. */
export const expressDemo: DemoServer = {
  framework: 'Express',
  async listen(taskboard, { host, port }, { dashboard, commands }) {
    const app = express()
    app.disable('x-powered-by')
    const routes = [taskboardGraphql(taskboard), taskboardMcp(taskboard), dashboard, healthRoutes(taskboard)]
    app.use(taskboardRouter(taskboard, { routes, notFound: 'envelope' }))
    app.get('/', (_request, response) => void response.set(START_PAGE_HEADERS).send(startPage('Express')))
    app.get('/commands', (_request, response) => void response.type('text/plain').send(commands()))
    app.get('/health', (_request, response) => void response.json({ ok: true }))

    const server = createServer(app)
    const connections = drainable(server)
    attachRealtime(server, taskboard, { protocols: [graphqlSubscriptions(taskboard)] })
    server.listen(port, host)
    await once(server, 'listening')
    return {
      port: (server.address() as AddressInfo).port,
      drain: (drainMs) => connections.drain(promisify(server.close.bind(server)), drainMs),
      ended: () => connections.ended(),
    }
  },
}
