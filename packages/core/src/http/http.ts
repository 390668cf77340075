/**
 * An HTTP request as a plain value. Adapters make one from their framework's request; nothing in it is a framework's or
 * the platform's object, so that routes can be called by anything.
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
   * The origin that the client addressed, as the host sees it, its trusted proxies taken into account: `https://example.com:8443`.
   * Absent: that of the `host` header.
   */
  readonly targetOrigin?: string | undefined
  /** The client's address as the host sees it, its trusted proxies taken into account. */
  readonly clientAddress: string
  readonly body: RequestBody
  /** Aborts when the client goes away. Made when it is first asked for. */
  readonly signal?: AbortSignal | undefined
}

/**
 * A body that is read only when a route asks for it, so that a request is refused for its credential before a byte of it
 * is taken in.
 */
export type RequestBody =
  /** The request came without a body, or with one of no bytes. */
  | { readonly kind: 'none' }
  /**
   * The host has read it already; `value` is what its parser made of it (also a string or bytes that it left as is), and
   * undefined when it kept nothing.
   */
  | { readonly kind: 'parsed'; readonly value: unknown }
  /**
   * Still on the wire. `read` gives all bytes, or null as soon as there are more than `maxBytes`; the rest is left to the
   * adapter. At once when they have arrived, else as a promise, which rejects when the client goes away. Called at most
   * once.
   */
  | { readonly kind: 'unread'; read(maxBytes: number): Uint8Array | null | Promise<Uint8Array | null> }

/** An HTTP response as a plain value. Header names are lower case; the body is the finished text. */
export interface HttpResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** For HEAD too: the adapter leaves it out, and keeps its length. */
  readonly body: string
}

/**
 * A route as data: adapters register it with their own router under `path` for every method, and the handler sorts methods
 * out itself (a wrong credential is told before a wrong method). The handler never throws and never rejects.
 */
export interface Route {
  /**
   * Segments of the form `:name` match one segment each, and come decoded in `HttpRequest.params`. A segment whose
   * percent-encoding is malformed comes as it was sent, so that the handler answers it like any other value.
   */
  readonly path: string
  readonly handle: (request: HttpRequest) => Promise<HttpResponse>
}

/** Answers the prefix and every path below it that no route answers. Adapters register it after the routes, for every method. */
export interface FallbackRoute {
  readonly prefix: string
  readonly handle: Route['handle']
}
