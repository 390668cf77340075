import { once } from 'node:events'
import { createServer, ServerResponse, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TaskboardOptions } from '@taskboard/core'
import { closeServer } from '@taskboard/core/transport'
import { taskboardRouter } from '@taskboard/express'
import { graphqlSubscriptions, taskboardGraphql } from '@taskboard/graphql'
import { attachRealtime } from '@taskboard/ws'
import express, { type Request, type RequestHandler, type Response } from 'express'
import session from 'express-session'
import passport from 'passport'
import { BASE_PATH } from './board.js'
import type { SessionHost } from './host.js'
import { toPrincipal, type Member } from './sessions.js'

/** A host on Express with the sessions of express-session, and passport on them. The board takes the user of both. */
export function expressSessionHost(members: readonly Member[]): SessionHost {
  const login = new passport.Passport()
  login.serializeUser((user, done) => done(null, (user as Member).name))
  login.deserializeUser((name, done) => done(null, members.find((each) => each.name === name) ?? false))
  const middlewares = [
    session({
      secret: 'kept by the host',
      resave: false,
      saveUninitialized: false,
      cookie: { httpOnly: true, sameSite: 'lax' },
    }),
    login.session(),
  ] as readonly RequestHandler[]

  const authenticate: TaskboardOptions['authenticate'] = async ({ raw, isConnection }) => {
    const request = isConnection ? await passAgain(raw as IncomingMessage, middlewares) : (raw as Request)
    return request.user === undefined ? null : toPrincipal(request.user as Member)
  }

  return {
    authenticate,
    async listen(taskboard, port) {
      const app = express()
      app.use(...middlewares)
      app.post('/login', express.json(), (request, response, next) => {
        const { name, password } = (request.body ?? {}) as {
          readonly name?: unknown
          readonly password?: unknown
        }
        const member = members.find((each) => each.name === name && each.password === password)
        if (member === undefined) return void response.sendStatus(401)
        request.login(member, (error) => (error == null ? response.sendStatus(204) : next(error)))
      })
      app.post('/logout', (request, response, next) => {
        request.session.destroy((error) => (error == null ? response.sendStatus(204) : next(error)))
      })
      app.use(BASE_PATH, taskboardRouter(taskboard, { routes: [taskboardGraphql(taskboard)] }))

      const server = createServer(app)
      const protocols = [graphqlSubscriptions(taskboard)]
      attachRealtime(server, taskboard, { basePath: BASE_PATH, protocols })
      server.listen(port, '127.0.0.1')
      await once(server, 'listening')
      return {
        url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
        close: () => closeServer(server, taskboard),
      }
    },
  }
}

/**
 * The request that opened a connection, as the middlewares leave it now. No middleware has seen the upgrade of a WebSocket, and its session
 * may have expired since the last check: each check passes a new copy.
 */
async function passAgain(opened: IncomingMessage, middlewares: readonly RequestHandler[]): Promise<Request> {
  const request = Object.assign(Object.create(opened) as Request, { session: undefined, user: undefined })
  const response = new ServerResponse(opened) as Response
  for (const middleware of middlewares) {
    await new Promise<void>((resolve, reject) => {
      void middleware(request as Request, response, (error: unknown) =>
        error == null ? resolve() : reject(new Error('a middleware failed', { cause: error })),
      )
    })
  }
  return request as Request
}
