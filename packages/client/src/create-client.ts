import type { CallOptions, ClientOptions, ClientPaths, WebSocketConstructor } from './client-options.js'
import { cookies, type CredentialSource, credentialSource, type SessionCalls } from './credential.js'
import { type Graphql, graphqlCaller } from './graphql.js'
import { lazyRealtime, lazyWorker } from './lazy-parts.js'
import { type Methods, methods } from './methods.js'
import { type Operating, operating } from './operation.js'
import type { Realtime, RealtimeOptions } from './realtime/index.js'
import { retryPolicy } from './retry.js'
import type { Connection } from './send.js'
import type { LogoutBody, Tokens } from './wire.js'
import type { Worker, WorkerOptions } from './worker/index.js'

/** Sessions of users. */
export interface AuthMethods extends Omit<Methods['auth'], 'logout'> {
  /** Revokes the session of a refresh token. Without one: the session of the client, which then logs in again for the next call. */
  logout(body?: LogoutBody, options?: CallOptions): Promise<void>
}

/** The calls of a client. */
interface Calls extends Omit<Methods, 'auth'> {
  /** Sessions of users. A client with `login` needs only `logout`. `login` leaves the credential of the client as it is. */
  readonly auth: AuthMethods
  /** Sends one GraphQL document, and returns its data. */
  readonly graphql: Graphql
}

/** The methods of the board API (v1), for the default workspace of the caller. */
export type BoardMethods = Methods['board']

/** A client of one task board. See `createClient`. */
export interface TaskboardClient extends Calls {
  /** Follows what happens on the boards. */
  readonly realtime: Realtime
  /**
   * Works on the tasks of a stored agent in this process, from now on.
   * @throws TypeError for options with which it would never work.
   */
  worker(options: WorkerOptions<TaskboardClient>): Worker
}

const defaultPaths: ClientPaths = {
  board: '/api/board',
  webhooks: '/api/webhooks/create',
  v2: '/v2',
}

/**
 * Makes a client of the task board at `baseUrl`. It opens nothing until the first call. Bodies, queries and answers have the names
 * of the wire, as the OpenAPI document has them.
 * @throws TypeError for a `baseUrl` that isn't an address of a server, and where there is no `fetch`.
 * @example
 * ```ts
 * import { createClient } from '@taskboard/client'
 * import { createTaskboard } from '@taskboard/core'
 * import { toFetchHandler } from '@taskboard/core/transport'
 * import { memoryStorage } from '@taskboard/memory'
 *
 * const taskboard = createTaskboard({ storage: memoryStorage() })
 * const { workspace } = await taskboard.accounts.create({ name: 'Acme', tier: 'professional' })
 * const { key } = await taskboard.accounts.createKey({
 *   workspaceId: workspace.id,
 *   name: 'scripts',
 *   scopes: ['tasks:read', 'tasks:write'],
 * })
 *
 * const handle = toFetchHandler(taskboard)
 * const client = createClient({
 *   baseUrl: 'https://app.example', // leave out `fetch` to call a server
 *   key,
 *   fetch: async (url, init) => handle(new Request(url, init)),
 * })
 * const task = await client.tasks.create({ title: 'Compare the offers' })
 * console.log(task.status) // pending
 * ```
 */
export function createClient(options: ClientOptions): TaskboardClient {
  const connection = connectionOf(options)
  const client: TaskboardClient = {
    ...callsOf(connection),
    realtime: lazyRealtime(() => realtimeOptionsOf(connection, options.realtime)),
    worker: (working) => lazyWorker(client, working),
  }
  return client
}

/** The channel is below the address of the routes, which can be relative to the page. */
function realtimeOptionsOf(
  { baseUrl, paths, WebSocket, credential, retry }: Connection,
  timings: ClientOptions['realtime'],
): RealtimeOptions {
  const { location } = globalThis as { location?: { readonly href: string } }
  const url = new URL(`${baseUrl}${paths.v2}/realtime`, location?.href)
  url.protocol = url.protocol.replace('http', 'ws')
  return {
    url: url.href,
    token: (rejected) => credential.token(rejected),
    WebSocket,
    timings,
    random: retry.random,
  }
}

function callsOf(connection: Connection): Calls {
  const made = operating(connection)
  const all = made.methods(methods) as Methods
  const auth = { ...all.auth, logout: logoutMethod(made, connection.credential) }
  return { ...all, auth, graphql: graphqlCaller(connection) }
}

/** Also revokes the session that the client itself has. */
function logoutMethod({ call }: Operating, credential: CredentialSource): AuthMethods['logout'] {
  const { logout } = methods.auth
  return async (body, options) => {
    if (body?.refresh_token != null) return void (await call(logout, { body }, options))
    const refresh = credential.end()
    if (refresh === null) return
    await call(
      logout,
      refresh === undefined ? { body, sendsCredential: true } : { body: { refresh_token: refresh } },
      options,
    )
  }
}

function connectionOf(options: ClientOptions): Connection {
  const given = options.fetch ?? globalThis.fetch
  if (typeof given !== 'function') throw new TypeError('fetch must be given where there is no global one')
  const policy = retryPolicy(options.retry)
  const connection = {
    baseUrl: addressOf(options),
    paths: { ...defaultPaths, ...options.paths },
    WebSocket: options.WebSocket ?? (globalThis as { WebSocket?: WebSocketConstructor }).WebSocket,
    // Browsers refuse to call theirs as a method of another object.
    fetch: (url: string, init: RequestInit) => given(url, init),
    retry: policy,
  }
  const session = operating({ ...connection, credential: cookies })
  const calls: SessionCalls = {
    login: (body) =>
      session.call(methods.auth.login, {
        body,
        repeats: 'mfa_code' in body ? 'never' : 'repeatable',
      }) as Promise<Tokens>,
    // A repeat within ten seconds has no effect: after a lost answer the password begins another session.
    refresh: (body) => session.call(methods.auth.refresh, { body, repeats: 'repeatable' }) as Promise<Tokens>,
  }
  return { ...connection, credential: credentialSource(options, calls, policy.now) }
}

/** Without a slash at its end. The message doesn't contain the address, which can contain a password. */
function addressOf({ baseUrl, fetch }: ClientOptions): string {
  const { location } = globalThis as { location?: unknown }
  try {
    // Only a page, and a `fetch` of the caller, know what a path is relative to.
    const { protocol, username, password } = new URL(baseUrl, location || fetch ? 'http://host' : undefined)
    if (/^https?:$/.test(protocol) && username + password === '' && !/[?#]/.test(baseUrl)) {
      return baseUrl.trim().replace(/\/+$/, '')
    }
  } catch {
    // No address at all.
  }
  throw new TypeError('baseUrl must be an http or https address without a query and a password')
}
