import {
  announcesBody,
  apiRoutes,
  discardRest,
  nextTurn,
  toHttpRequest,
  unreadBody,
  type ByteStream,
  type HttpResponse,
  type RequestBody,
  type Route,
  type Surface,
} from '@taskboard/core'
import type { FastifyContentTypeParser, FastifyPluginCallback, FastifyReply, FastifyRequest } from 'fastify'

export interface TaskboardPluginOptions {
  readonly taskboard: { readonly surface: Surface }
  /** What is served beside the task board's own routes, GraphQL for example. */
  readonly routes?: readonly Route[] | undefined
}

/** What Fastify says of a content type that it cannot make out, or (with the method QUERY) misses. */
const CONTENT_TYPE_ERROR = /^FST_ERR_(?:CTP_|ROUTE_MISSING_CONTENT_TYPE$)/

interface RouteConfig {
  readonly taskboardRoute?: Route
}

/**
 * A Fastify plugin with the task board's routes; `prefix` works as with any plugin. It is encapsulated: the host's parsers,
 * hooks and error handler stay as they are, and the host's hooks run for these routes too.
 */
export const taskboardPlugin: FastifyPluginCallback<TaskboardPluginOptions> = (instance, options, done) => {
  // Bodies stay on the wire until a request has shown its credential.
  instance.removeAllContentTypeParsers()
  instance.addContentTypeParser('*', leaveUnread)
  // By its own name too: Fastify takes the other types apart anew for each request.
  instance.addContentTypeParser('application/json', leaveUnread)

  // A content type that Fastify cannot make out is refused by the route, in its turn; all else is the host's to handle.
  instance.setErrorHandler<Error & { readonly code?: string }>(async (error, request, reply) => {
    const { taskboardRoute } = request.routeOptions.config as RouteConfig
    if (taskboardRoute === undefined || !CONTENT_TYPE_ERROR.test(error.code ?? '')) throw error
    return answer(taskboardRoute, request, reply)
  })

  for (const route of [...apiRoutes(options.taskboard), ...(options.routes ?? [])]) {
    const config: RouteConfig = { taskboardRoute: route }
    instance.all(route.path, { config }, (request, reply) => answer(route, request, reply))
  }
  done()
}

const leaveUnread: FastifyContentTypeParser = (_request, payload, parsed) => parsed(null, payload)

async function answer(route: Route, request: FastifyRequest, reply: FastifyReply): Promise<string> {
  const { raw } = request
  const stream = (request.body ?? raw) as ByteStream
  const plain = toHttpRequest(raw, {
    target: raw.url ?? request.url,
    response: reply.raw,
    clientAddress: () => request.ip,
    body: announcesBody(raw) ? unreadBody(stream) : NO_BODY,
    params: request.params as Readonly<Record<string, string>>,
  })
  const { status, headers, body }: HttpResponse = await route.handle(plain)
  await nextTurn()
  discardRest(stream)
  reply.code(status).headers(headers)
  return body
}

const NO_BODY: RequestBody = { kind: 'none' }
