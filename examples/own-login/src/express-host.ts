import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { closeServer } from '@taskboard/core/transport'
import { taskboardRouter } from '@taskboard/express'
import { graphqlSubscriptions, taskboardGraphql } from '@taskboard/graphql'
import { attachRealtime } from '@taskboard/ws'
import express from 'express'
import { BASE_PATH } from './board.js'
import type { Listen } from './host.js'

/** The host on Express: its own login, and everything of the board below one path. */
export const listenOnExpress: Listen = async (taskboard, sessions, port) => {
  const app = express()
  // Only JSON, so that no form of another site can log its visitors in.
  app.post('/login', express.json(), (request, response) => {
    const { name, password } = (request.body ?? {}) as {
      readonly name?: unknown
      readonly password?: unknown
    }
    const cookie = sessions.logIn(name, password)
    if (cookie === null) return void response.sendStatus(401)
    response.set('set-cookie', cookie).sendStatus(204)
  })
  app.post('/logout', (request, response) => {
    sessions.logOut(request.get('cookie'))
    response.sendStatus(204)
  })
  app.use(BASE_PATH, taskboardRouter(taskboard, { routes: [taskboardGraphql(taskboard)] }))

  const server = createServer(app)
  attachRealtime(server, taskboard, { basePath: BASE_PATH, protocols: [graphqlSubscriptions(taskboard)] })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => closeServer(server, taskboard),
  }
}
