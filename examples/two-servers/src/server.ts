import { createHash } from 'node:crypto'
import { EventEmitter } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { Taskboard } from '@taskboard/core'
import { healthRoutes, toFetchHandler } from '@taskboard/core/transport'
import { taskboardDashboard } from '@taskboard/dashboard'
import { taskboardRouter } from '@taskboard/express'
import type { PgConnection } from '@taskboard/postgres'
import { attachRealtime } from '@taskboard/ws'
import express from 'express'
import type pg from 'pg'
import type { Directory } from './directory.js'

export type Board = {
  readonly name: string
  readonly pool: pg.Pool
  readonly taskboard: Taskboard<PgConnection>
}

/** One server for all boards: each request goes to the board of its account. */
export function createRoutedServer(directory: Directory, boards: readonly Board[]) {
  const app = express()
  const server = createServer(app)
  const routed = boards.map(({ name, taskboard }) => {
    const upgrades = Object.assign(new EventEmitter(), { address: () => server.address() })
    attachRealtime(upgrades, taskboard)
    const handle = taskboardRouter(taskboard, {
      routes: [taskboardDashboard(taskboard)],
      notFound: 'envelope',
    })
    return { name, upgrades, handle, ready: toFetchHandler(taskboard, { routes: [healthRoutes(taskboard)] }) }
  })

  /** The route of the first name that is known. Otherwise, any board can reject the request. */
  async function routeOf(names: readonly string[]) {
    const [place] = (await Promise.all(names.map((name) => directory.find(name)))).filter((found) => found)
    return { account: place?.account, route: routed.find(({ name }) => name === place?.board) ?? routed[0] }
  }

  // Ready while any board is: other processes have the same ones.
  app.get('/readyz', (_, response, next) => {
    const asked = routed.map(async ({ name, ready }) => {
      const answered = await ready(new Request('http://board/readyz'))
      return [name, await answered.json()] as const
    })
    Promise.all(asked).then((states) => {
      const isReady = states.some(([, state]) => (state as { readonly status: string }).status === 'ok')
      return response.status(isReady ? 200 : 503).json(Object.fromEntries(states))
    }, next)
  })
  app.use(express.json({ limit: '1mb' }), (request, response, next) => {
    const { email } = (request.body ?? {}) as { readonly email?: unknown }
    routeOf(namesIn(request, typeof email === 'string' ? email : '')).then(({ account, route }) => {
      // For what names nobody: refresh tokens, and the realtime channel in browsers.
      if (account !== undefined) response.cookie('account', account, { sameSite: 'strict' })
      return route?.handle(request, response, next)
    }, next)
  })
  server.on('upgrade', (request, socket, head) => {
    const upgrade = ({ route }: Awaited<ReturnType<typeof routeOf>>) =>
      route?.upgrades.emit('upgrade', request, socket, head)
    routeOf(namesIn(request)).then(upgrade, () => socket.destroy())
  })
  return server
}

/** The names that a request carries: a login's address, a key, a token's user (which the board verifies), a parameter, or the cookie. */
function namesIn({ headers, url = '' }: IncomingMessage, email = ''): readonly string[] {
  const token = headers.authorization?.replace(/^Bearer /i, '') ?? ''
  const claims = Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()
  const user = /"sub":"(\w+)"/.exec(claims)?.[1]
  const parameter = new URL(url, 'http://board').searchParams.get('account')
  const cookie = /\baccount=(\w+)/.exec(headers.cookie ?? '')?.[1]
  const digest = createHash('sha256').update(token).digest('hex')
  return [email.normalize('NFKC').trim().toLowerCase(), digest, user ?? '', parameter ?? '', cookie ?? '']
}
