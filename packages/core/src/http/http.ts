import { TaskboardError } from '../errors/index.js'

/**
 * An HTTP request as a plain value. Adapters make one from their framework's request. Except for `raw`, which no route reads, it contains no
 * object of a framework or the platform, so that any code can call routes.
 */
export interface HttpRequest {
  /** Upper case. */
  readonly method: string
  /** The path without the query, as the client sent it. */
  readonly path: string
  /** The path parameters of the route, decoded. */
  readonly params: Readonly<Record<string, string>>
  /** The query as the client sent it, without the question mark; read it with `parseQuery`. */
  readonly query: string
  /** One header by its lower-case name; undefined when absent. Repeated headers are joined as Node joins them. */
  header(name: string): string | undefined
  /**
   * The origin that the client addressed, as the host sees it through its trusted proxies: `https://example.com:8443`.
   * Absent: the one of the `host` header.
   */
  readonly targetOrigin?: string | undefined
  /** The client's address, as the host sees it through its trusted proxies. */
  readonly clientAddress: string
  /** The framework's request, read only by the host's `authenticate`. */
  readonly raw?: unknown
  /** The id that the host has given the request, if any: `X-Request-Id`. */
  readonly requestId?: string | undefined
  readonly body: RequestBody
  /** Aborts when the client disconnects. Created on first use. */
  readonly signal?: AbortSignal | undefined
}

/**
 * A body that is read only when a route needs it, so that a wrong credential is rejected before any byte is read.
 */
export type RequestBody =
  /** The request has no body, or an empty one. */
  | { readonly kind: 'none' }
  /**
   * The host has already read it. `value` is its parser's result (also an unparsed string or bytes), or undefined when it kept
   * nothing.
   */
  | { readonly kind: 'parsed'; readonly value: unknown }
  /**
   * Not read yet. `read` returns all bytes, or null as soon as there are more than `maxBytes`; the adapter handles the rest.
   * Immediate when they have arrived, else a promise, which rejects when the client disconnects. Called at most once.
   */
  | { readonly kind: 'unread'; read(maxBytes: number): Uint8Array | null | Promise<Uint8Array | null> }

/** An HTTP response as a plain value. Header names are lower case; the body is text, or the bytes of a file. */
export interface HttpResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** For HEAD too: the adapter omits it and keeps its length. */
  readonly body: string | Uint8Array
  /**
   * Sent instead of `body`, each chunk as it comes; the adapter cancels it when the client disconnects or its server closes. It has no
   * length. With the headers `cache-control: no-store, no-transform` and `x-accel-buffering: no`, proxies and middleware don't buffer
   * it either.
   */
  readonly stream?: ReadableStream<Uint8Array> | undefined
}

/**
 * A route as data. Adapters register it with their router under `path` for every method, and the handler checks the method. It rejects a
 * wrong credential before a wrong method. The handler never throws and never rejects.
 */
export interface Route {
  /**
   * Segments of the form `:name` match one segment each, and are decoded in `HttpRequest.params`. A segment with malformed percent-encoding
   * stays as sent, so that the handler treats it like any other value.
   */
  readonly path: string
  readonly handle: (request: HttpRequest) => Promise<HttpResponse>
  /** Whether `handle` reads `HttpRequest.targetOrigin`. Default: only with the host's login. */
  readonly readsOrigin?: boolean | undefined
}

/** Several routes that belong together, for the `routes` of an HTTP adapter. */
export interface RouteGroup {
  readonly routes: readonly Route[]
}

/**
 * The routes of a list of routes and groups, in its order.
 * @throws TaskboardError `INVALID_CONFIG` (`routes`) for anything else, such as a function that wasn't called.
 * @example
 * ```ts
 * import { flatRoutes, type Route } from '@taskboard/core/transport'
 *
 * const route = (path: string): Route => ({ path, handle: async () => ({ status: 204, headers: {}, body: '' }) })
 * const routes = flatRoutes([route('/one'), { routes: [route('/two'), route('/three')] }])
 * console.log(routes.map(({ path }) => path).join(' ')) // /one /two /three
 * ```
 */
export function flatRoutes(given: readonly (Route | RouteGroup)[]): readonly Route[] {
  if (!Array.isArray(given)) throw invalidRoutes('must be a list of routes')
  const routes = (given as readonly (Partial<Route & RouteGroup> | null)[]).flatMap(
    (one): readonly Partial<Route>[] => one?.routes ?? [one ?? {}],
  )
  return routes.map((route, index) => {
    if (typeof route.path === 'string' && typeof route.handle === 'function') return route as Route
    throw invalidRoutes(
      `has no route at index ${index}: pass what functions such as healthRoutes(taskboard) return`,
    )
  })
}

function invalidRoutes(rule: string): TaskboardError {
  return new TaskboardError('INVALID_CONFIG', `routes ${rule}`, { field: 'routes' })
}

/** Answers the prefix and every path below it without a route. Adapters register it after the routes, for every method. */
export interface FallbackRoute {
  readonly prefix: string
  readonly handle: Route['handle']
}
