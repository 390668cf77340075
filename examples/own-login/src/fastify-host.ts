import { taskboardPlugin } from '@taskboard/fastify'
import { graphqlSubscriptions, taskboardGraphql } from '@taskboard/graphql'
import { attachRealtime } from '@taskboard/ws'
import Fastify from 'fastify'
import { BASE_PATH } from './board.js'
import type { Listen } from './host.js'

/** The host on Fastify: its own login, and everything of the board below one path. */
export const listenOnFastify: Listen = async (taskboard, sessions, port) => {
  const app = Fastify()
  // Fastify accepts only JSON, so no form of another site can log its visitors in.
  app.post('/login', (request, reply) => {
    const { name, password } = (request.body ?? {}) as {
      readonly name?: unknown
      readonly password?: unknown
    }
    const cookie = sessions.logIn(name, password)
    if (cookie === null) return reply.code(401).send()
    return reply.header('set-cookie', cookie).code(204).send()
  })
  app.post('/logout', (request, reply) => {
    sessions.logOut(request.headers.cookie)
    return reply.code(204).send()
  })
  const routes = [taskboardGraphql(taskboard)]
  await app.register(taskboardPlugin, { prefix: BASE_PATH, taskboard, routes })
  attachRealtime(app.server, taskboard, { basePath: BASE_PATH, protocols: [graphqlSubscriptions(taskboard)] })

  const url = await app.listen({ host: '127.0.0.1', port })
  return { url, close: () => taskboard.close().then(() => app.close()) }
}
