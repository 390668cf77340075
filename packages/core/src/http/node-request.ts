import type { HttpRequest, RequestBody } from './http.js'
import { joinChunks } from './json-body.js'
import { splitTarget } from './query.js'

/** The used part of a Node readable stream of bytes. */
export interface ByteStream {
  /** True once a whole HTTP message has arrived, though not all of it may have been read; absent on other streams. */
  readonly complete?: boolean | undefined
  /** The head of an HTTP message; absent on other streams. */
  readonly headers?: Readonly<Record<string, string | string[] | undefined>> | undefined
  /** How many bytes are buffered. */
  readonly readableLength?: number | undefined
  readonly destroyed?: boolean | undefined
  readonly readableEnded?: boolean | undefined
  /** All buffered bytes; null when there are none. */
  read(): Uint8Array | null
  on(event: string, listener: (...values: never[]) => void): unknown
  removeListener(event: string, listener: (...values: never[]) => void): unknown
  destroy(): unknown
}

/** How much of a rejected body is discarded, so that the client gets its answer and can reuse the connection. */
const DISCARDED_BYTES = 4 * 1024 * 1024

const NO_BYTES = new Uint8Array(0)

/**
 * All bytes of a stream, or null as soon as there are more than `maxBytes`; then the rest is discarded as in `discardRest`.
 * A small message has usually arrived by then, and its bytes are returned at the same time, without an event or a promise. Rejects when
 * the stream closes early.
 */
function readStream(stream: ByteStream, maxBytes: number): Uint8Array | null | Promise<Uint8Array | null> {
  if (!hasArrived(stream)) return collect(stream, maxBytes)
  const bytes = stream.read() ?? NO_BYTES
  return bytes.length > maxBytes ? null : bytes
}

/** Whether all bytes are buffered: the message is complete, or as many have arrived as its `content-length`. */
function hasArrived({ complete, destroyed, headers, readableLength }: ByteStream): boolean {
  if (destroyed === true) return false
  if (complete === true) return true
  const length = headers?.['content-length']
  return length !== undefined && readableLength !== 0 && Number(length) === readableLength
}

function collect(stream: ByteStream, maxBytes: number): Promise<Uint8Array | null> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = []
    let total = 0
    const settle = (work: () => void): void => {
      stream.removeListener('data', onData)
      stream.removeListener('end', onEnd)
      stream.removeListener('error', onCut)
      stream.removeListener('close', onCut)
      work()
    }
    const onData = (chunk: Uint8Array): void => {
      total += chunk.length
      if (total <= maxBytes) chunks.push(chunk)
      else
        settle(() => {
          discard(stream)
          resolve(null)
        })
    }
    const onEnd = (): void => settle(() => resolve(joinChunks(chunks, total)))
    const onCut = (): void => settle(() => reject(new Error('the client disconnected before the body ended')))
    if (stream.destroyed === true || stream.readableEnded === true) return onCut()
    stream.on('data', onData)
    stream.on('end', onEnd)
    stream.on('error', onCut)
    stream.on('close', onCut)
  })
}

/**
 * Discards the rest of a rejected body, up to 4 MiB; closes the connection of a client that sends more.
 * Call it after the response is sent; does nothing for a message that has arrived completely.
 * @example
 * ```ts
 * import { discardRest } from '@taskboard/core/transport'
 * import { createServer } from 'node:http'
 *
 * const server = createServer((request, response) => {
 *   response.writeHead(413).end('too large')
 *   discardRest(request)
 * })
 * await new Promise<void>((resolve) => server.listen(0, resolve))
 * const address = server.address()
 * const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
 * const { status } = await fetch(url, { method: 'POST', body: 'x'.repeat(100_000) })
 * console.log(status) // 413
 * server.close()
 * server.closeAllConnections()
 * ```
 */
export function discardRest(stream: ByteStream): void {
  if (stream.complete === true || stream.destroyed === true || stream.readableEnded === true) return
  discard(stream)
}

function discard(stream: ByteStream): void {
  let remaining = DISCARDED_BYTES
  stream.on('error', () => undefined)
  stream.on('data', (chunk: Uint8Array) => {
    remaining -= chunk.length
    if (remaining < 0) stream.destroy()
  })
}

/** The part of an `http.IncomingMessage` (or its HTTP/2 counterpart) that adapters for Node servers use. */
export interface NodeMessage extends ByteStream {
  readonly method?: string | undefined
  readonly url?: string | undefined
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly httpVersionMajor: number
  /** The id that a middleware, such as `pino-http`, has given the request. */
  readonly id?: unknown
}

/** The used part of an `http.ServerResponse`. */
export interface NodeResponse {
  getHeader?(name: string): unknown
  readonly writableFinished: boolean
  on(event: 'close', listener: () => void): unknown
}

/** What a framework adds to Node's message. */
export interface NodeRequestContext {
  /** Shows that the client has disconnected: it closes unfinished. */
  readonly response: NodeResponse
  /** `HttpRequest.raw`. Default: the message. */
  readonly raw?: object | undefined
  /** The id that the host has given the request. Default: the `X-Request-Id` of `response`, else the `id` of the message. */
  readonly requestId?: (() => unknown) | undefined
  /** The target of the request line, including any mount path. */
  readonly target: string
  /** Called only when the address is needed. */
  clientAddress(): string
  /** `HttpRequest.targetOrigin`, called only when needed: with the host's login, because browsers send its cookies. */
  targetOrigin?: (() => string) | undefined
  readonly body: RequestBody
  readonly params?: Readonly<Record<string, string>> | undefined
}

const NO_PARAMS: Readonly<Record<string, string>> = Object.freeze({})

/**
 * A Node server's request as a plain value. It is lazy: it reads and creates little before it is needed.
 * @example
 * ```ts
 * import { announcesBody, toHttpRequest, unreadBody } from '@taskboard/core/transport'
 * import { createServer } from 'node:http'
 *
 * const server = createServer((message, response) => {
 *   const request = toHttpRequest(message, {
 *     response,
 *     target: message.url ?? '/',
 *     clientAddress: () => message.socket.remoteAddress ?? '',
 *     body: announcesBody(message) ? unreadBody(message) : { kind: 'none' },
 *   })
 *   response.end(`${request.method} ${request.path} ${request.query} ${request.body.kind}`)
 * })
 * await new Promise<void>((resolve) => server.listen(0, resolve))
 * const address = server.address()
 * const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
 * console.log(await (await fetch(`${url}/v2/tasks?limit=5`)).text()) // GET /v2/tasks limit=5 none
 * server.close()
 * server.closeAllConnections()
 * ```
 */
export function toHttpRequest(message: NodeMessage, context: NodeRequestContext): HttpRequest {
  return new NodeRequest(message, context)
}

/**
 * A class only for its accessors. An object literal with a getter gets its own hidden class in V8. The next major collection must clear it
 * with everything in the getter's scope. That doubled the cost of a request.
 */
class NodeRequest implements HttpRequest {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly params: Readonly<Record<string, string>>
  readonly body: RequestBody
  readonly #message: NodeMessage
  readonly #context: NodeRequestContext
  #signal: AbortSignal | undefined

  constructor(message: NodeMessage, context: NodeRequestContext) {
    const { path, query } = splitTarget(context.target)
    this.method = message.method ?? 'GET'
    this.path = path
    this.query = query
    this.params = context.params ?? NO_PARAMS
    this.body = context.body
    this.#message = message
    this.#context = context
  }

  get requestId(): string | undefined {
    const { response, requestId = () => response.getHeader?.('x-request-id') ?? this.#message.id } =
      this.#context
    const own = requestId()
    return typeof own === 'string' ? own : undefined
  }

  get clientAddress(): string {
    return this.#context.clientAddress()
  }

  get raw(): unknown {
    return this.#context.raw ?? this.#message
  }

  get targetOrigin(): string | undefined {
    return this.#context.targetOrigin?.()
  }

  get signal(): AbortSignal {
    this.#signal ??= goneSignal(this.#context.response)
    return this.#signal
  }

  header(name: string): string | undefined {
    return joined(this.#message.headers[name])
  }
}

/**
 * Whether a request with this head has a body. HTTP/2 shows that only by its frames, so there it may have one.
 * @example
 * ```ts
 * import { announcesBody } from '@taskboard/core/transport'
 * import { createServer } from 'node:http'
 *
 * const server = createServer((request, response) => response.end(`body: ${announcesBody(request)}`))
 * await new Promise<void>((resolve) => server.listen(0, resolve))
 * const address = server.address()
 * const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
 * console.log(await (await fetch(url)).text()) // body: false
 * console.log(await (await fetch(url, { method: 'POST', body: '{}' })).text()) // body: true
 * server.close()
 * server.closeAllConnections()
 * ```
 */
export function announcesBody({ headers, httpVersionMajor }: NodeMessage): boolean {
  const length = headers['content-length']
  if (length !== undefined) return length !== '0'
  return headers['transfer-encoding'] !== undefined || httpVersionMajor > 1
}

/**
 * An unread body on `stream`: the message itself, or the stream that the host pipes it through.
 * @example
 * ```ts
 * import { unreadBody } from '@taskboard/core/transport'
 * import { PassThrough } from 'node:stream'
 *
 * const stream = new PassThrough()
 * stream.end('{}')
 * const body = unreadBody(stream)
 * if (body.kind === 'unread') console.log(String(await body.read(1_000))) // {}
 * ```
 */
export function unreadBody(stream: ByteStream): RequestBody {
  return new UnreadBody(stream)
}

/** A class, so that no function is created for each request. */
class UnreadBody {
  readonly kind = 'unread'
  readonly #stream: ByteStream

  constructor(stream: ByteStream) {
    this.#stream = stream
  }

  read(maxBytes: number): Uint8Array | null | Promise<Uint8Array | null> {
    return readStream(this.#stream, maxBytes)
  }
}

function joined(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(', ') : value
}

function goneSignal(response: NodeResponse): AbortSignal {
  const controller = new AbortController()
  response.on('close', () => {
    if (!response.writableFinished) controller.abort()
  })
  return controller.signal
}
