import fastifyCookie from '@fastify/cookie'
import fastifySession from '@fastify/session'
import { taskboardPlugin } from '@taskboard/fastify'
import { graphqlSubscriptions, taskboardGraphql } from '@taskboard/graphql'
import { attachRealtime } from '@taskboard/ws'
import Fastify, { type FastifyInstance, type FastifyRequest, type Session } from 'fastify'
import { BASE_PATH } from './board.js'
import type { SessionHost } from './host.js'
import { toPrincipal, type Member } from './sessions.js'

declare module 'fastify' {
  interface Session {
    member?: string
  }
}

/** A host on Fastify with the sessions of @fastify/session, which the board takes. */
export function fastifySessionHost(members: readonly Member[]): SessionHost {
  const app = Fastify()
  return {
    async authenticate(request) {
      const { session } = request.isConnection
        ? await sessionOf(request.header('cookie'), app)
        : (request.raw as FastifyRequest)
      const { member: name } = session
      const member = members.find((each) => each.name === name)
      return member === undefined ? null : toPrincipal(member)
    },
    async listen(taskboard, port) {
      await app.register(fastifyCookie)
      await app.register(fastifySession, {
        secret: 'kept by the host, of 32 characters or more',
        saveUninitialized: false,
        // `true` when the host is served over https.
        cookie: { secure: false, sameSite: 'lax' },
      })
      app.post('/login', async (request, reply) => {
        const { name, password } = (request.body ?? {}) as {
          readonly name?: unknown
          readonly password?: unknown
        }
        const member = members.find((each) => each.name === name && each.password === password)
        if (member === undefined) return reply.code(401).send()
        // An attacker who planted a cookie in the browser does not know the new one.
        await request.session.regenerate()
        request.session.member = member.name
        return reply.code(204).send()
      })
      app.post('/logout', async (request, reply) => {
        await request.session.destroy()
        return reply.code(204).send()
      })
      await app.register(taskboardPlugin, {
        prefix: BASE_PATH,
        taskboard,
        routes: [taskboardGraphql(taskboard)],
      })
      const protocols = [graphqlSubscriptions(taskboard)]
      attachRealtime(app.server, taskboard, { basePath: BASE_PATH, protocols })
      const url = await app.listen({ host: '127.0.0.1', port })
      return { url, close: () => app.close() }
    },
  }
}

/** The session of a cookie as it is now: the session of an open connection may have expired since the last check. */
async function sessionOf(cookie: string | undefined, app: FastifyInstance): Promise<{ session: Session }> {
  const { sessionId = '' } = app.parseCookie(cookie ?? '')
  const found: { session?: Session } = {}
  await new Promise<void>((resolve, reject) => {
    app.decryptSession(sessionId, found, (error: unknown) =>
      error == null ? resolve() : reject(error as Error),
    )
  })
  return found as { session: Session }
}
