import {
  announcesBody,
  apiRoutes,
  discardRest,
  nextTurn,
  toHttpRequest,
  unreadBody,
  type HttpResponse,
  type RequestBody,
  type Route,
  type Surface,
} from '@taskboard/core'
import { Router, type Request, type Response } from 'express'

export interface TaskboardRouterOptions {
  /** What is served beside the task board's own routes, GraphQL for example. */
  readonly routes?: readonly Route[] | undefined
}

/**
 * An Express router (for Express 4 and 5) with the task board's routes. Mount it anywhere: the routes' paths are below the
 * mount path. Requests for other paths pass through, and parsers that the host has mounted before may have read the body.
 */
export function taskboardRouter(
  taskboard: { readonly surface: Surface },
  { routes = [] }: TaskboardRouterOptions = {},
): Router {
  const router = Router()
  for (const { path, handle } of [...apiRoutes(taskboard), ...routes]) {
    router.all(path, (request, response, next) => {
      const plain = toHttpRequest(request, {
        target: request.baseUrl + request.url,
        response,
        clientAddress: () => request.ip ?? '',
        body: bodyOf(request),
        params: request.params as Readonly<Record<string, string>>,
      })
      answerInTurn(handle(plain), request, response).then(undefined, next)
    })
  }
  return router
}

/** Express 4's parsers set an empty `body` on requests that they leave alone, so what counts is whether bytes were read. */
function bodyOf(request: Request): RequestBody {
  if (!announcesBody(request)) return { kind: 'none' }
  if (!request.readableDidRead && !request.readableEnded) return unreadBody(request)
  const value: unknown = request.body
  return { kind: 'parsed', value }
}

async function answerInTurn(
  answer: Promise<HttpResponse>,
  request: Request,
  response: Response,
): Promise<void> {
  const answered = await answer
  await nextTurn()
  send(request, response, answered)
}

function send(request: Request, response: Response, { status, headers, body }: HttpResponse): void {
  // The host may have answered meanwhile, a time-out of its own for example.
  if (response.headersSent) return
  response.statusCode = status
  for (const name in headers) response.setHeader(name, headers[name] as string)
  // Node works the length out by itself, but not for HEAD; 204 has none (RFC 9110, 8.6).
  if (status !== 204) response.setHeader('content-length', Buffer.byteLength(body))
  response.end(body)
  discardRest(request)
}
