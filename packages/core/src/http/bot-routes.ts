import type { BotRoute } from '../bots/index.js'
import { TaskboardError } from '../errors/index.js'
import type { TransportServices } from '../wiring/transport-services.js'
import { boardErrorEnvelope } from './v1/envelope.js'
import type { HttpRequest, HttpResponse, Route } from './http.js'
import { tracedRoute } from './traced-route.js'

/** Updates of messengers are a few kilobytes. */
const MOST_BYTES = 65_536

const NONE = new Uint8Array(0)
const encoder = new TextEncoder()

/** The bytes of a body that middleware, such as a parser's `verify`, or a serverless platform keeps. */
interface Kept {
  readonly rawBody?: unknown
}

function keptBytes(value: unknown): Uint8Array | null {
  if (value instanceof Uint8Array) return value
  return typeof value === 'string' ? encoder.encode(value) : null
}

/**
 * The bytes of a body of any media type, as they were sent: a signature is about them.
 * @throws TaskboardError `PAYLOAD_TOO_LARGE`; `INTERNAL_ERROR` when a parser of the host has read them, and kept no `rawBody`.
 */
export async function readBodyBytes(request: HttpRequest, maxBytes: number): Promise<Uint8Array> {
  const { body, raw } = request
  if (body.kind === 'none') return NONE
  const bytes =
    body.kind === 'unread'
      ? await body.read(maxBytes)
      : (keptBytes((raw as Kept | null | undefined)?.rawBody) ?? keptBytes(body.value))
  if (body.kind === 'parsed' && bytes === null) {
    const rule =
      'a body parser has read the body. Mount Taskboard above the line that adds it, such as app.use(express.urlencoded()), or keep request.rawBody with its verify option'
    throw new TaskboardError('INTERNAL_ERROR', rule)
  }
  if (bytes === null || bytes.length > maxBytes) {
    throw new TaskboardError('PAYLOAD_TOO_LARGE', `the body must have at most ${maxBytes} bytes`)
  }
  return bytes
}

/** Where the messengers of bots send their updates. */
export function botRoutes({ services }: { readonly services: TransportServices }): readonly Route[] {
  return services.bots.routes.map((route) =>
    tracedRoute(services, {
      path: route.path,
      handle: (request) => handleUpdate(services, route, request),
    }),
  )
}

async function handleUpdate(
  { environment }: TransportServices,
  route: BotRoute,
  request: HttpRequest,
): Promise<HttpResponse> {
  try {
    const bytes = await readBodyBytes(request, MOST_BYTES)
    const { method } = request
    const {
      status,
      type,
      body = '',
    } = await route.handle({ method, bytes, header: (name) => request.header(name) })
    const headers = { 'cache-control': 'no-store', ...(type === undefined ? {} : { 'content-type': type }) }
    return { status, headers, body }
  } catch (error) {
    const isOurs = error instanceof TaskboardError && error.code !== 'INTERNAL_ERROR'
    if (!isOurs) environment.logger.error({ err: error, path: route.path }, 'an update of a messenger failed')
    const known = isOurs ? error : new TaskboardError('INTERNAL_ERROR', 'the update could not be handled')
    const { status, body } = boardErrorEnvelope(known)
    return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
  }
}
