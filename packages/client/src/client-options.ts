import type { RetryOptions } from './retry.js'

/** An email and its password. The code of a second factor is good for one login only. */
export interface LoginCredential {
  readonly email: string
  readonly password: string
  readonly mfaCode?: string | undefined
}

/**
 * Returns the access token for a call. It is called for each call, so it keeps what it fetched. After a 401 it is called once more
 * with the token that was `rejected`.
 */
export type TokenFunction = (state: { readonly rejected: string | null }) => string | Promise<string>

/** One of an API key, a login, and your own source of access tokens; none for the cookies of the host's own login. */
export type ClientCredential =
  | { readonly key: string; readonly login?: undefined; readonly token?: undefined }
  | { readonly login: LoginCredential; readonly key?: undefined; readonly token?: undefined }
  | { readonly token: TokenFunction; readonly key?: undefined; readonly login?: undefined }
  | { readonly key?: undefined; readonly login?: undefined; readonly token?: undefined }

/** Where the routes are below `baseUrl`: the `paths` of `createTaskboard`, without a slash at the end. */
export interface ClientPaths {
  /** Default `/api/board`. */
  readonly board: string
  /** Default `/api/webhooks/create`. */
  readonly webhooks: string
  /** Default `/v2`. */
  readonly v2: string
}

/** The part of `fetch` that the client uses. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** The part of a WebSocket that the client uses: the browser's, the one of Node.js 22, or `ws`. */
export interface WebSocketLike {
  readonly readyState: number
  send(data: string): void
  close(code?: number, reason?: string): void
  addEventListener(type: 'open' | 'message' | 'close' | 'error', listener: (event: object) => void): void
}

/** Opens a WebSocket: the global `WebSocket`, or the one of `ws`. */
export type WebSocketConstructor = new (url: string) => WebSocketLike

/** Waits of the realtime part, in milliseconds. */
export interface RealtimeTimings {
  /** The longest wait before the second connection; twice as long each time. Default 1,000. */
  readonly firstDelayMs: number
  /** Default 30,000. */
  readonly longestDelayMs: number
  /** After how long without a message the server is asked for one. Default 25,000. */
  readonly pingMs: number
  /** How long it can take to answer. Default 10,000. */
  readonly answerMs: number
}

/** The options of a client besides its credential. */
export interface ClientSettings {
  /**
   * Where the host mounted the routes, such as `https://app.example/kanban`, without a query and a password. In a browser it can be a
   * path: `/kanban`. Redirects are rejected.
   */
  readonly baseUrl: string
  /** For a host that renamed its routes. */
  readonly paths?: Partial<ClientPaths> | undefined
  /** Default: the global one. */
  readonly fetch?: Fetch | undefined
  /** Default: the global one, which Node.js has from version 22. */
  readonly WebSocket?: WebSocketConstructor | undefined
  /** Waits of the realtime part. */
  readonly realtime?: Partial<RealtimeTimings> | undefined
  /** `false`: no call is retried. */
  readonly retry?: RetryOptions | false | undefined
}

/** The options of `createClient`. */
export type ClientOptions = ClientSettings & ClientCredential

/** Options of one call. */
export interface CallOptions {
  /** Rejects the call immediately with the signal's reason. The server may have carried it out. */
  readonly signal?: AbortSignal | undefined
  /** Replaces the random key that creates get. Retry a create of another process with the key that it used. */
  readonly idempotencyKey?: string | undefined
  /** How long the call can take with its repeats, as `retry.deadlineMs`. */
  readonly timeoutMs?: number | undefined
  /** Replaces options of the client for this call. */
  readonly retry?: RetryOptions | false | undefined
}
