import { z } from 'zod'
import { refuseOtherOrigins, type Login, type LoginOrigin, type SessionTokens } from '../access/index.js'
import { boundedText, isTaskboardError, mountPath, routePath, TaskboardError } from '../errors/index.js'
import type { TransportServices } from '../wiring/transport-services.js'
import { v2ErrorEnvelope } from './v2/envelope.js'
import { answerHeaders, loginOriginOf, requestIdOf } from './v2/admission.js'
import { isInternal } from './error-envelope.js'
import { parseFields } from './field-names.js'
import type { HttpRequest, HttpResponse, Route } from './http.js'
import { readJsonObject } from './json-body.js'

export interface BrowserSessionOptions {
  /** The path of the login, below the mount path. The other routes are below it. Example: `/dashboard/session`. */
  readonly path: string
  /** The same path as browsers see it, if a proxy rewrites paths. Default: as the server sees it, with the mount path. */
  readonly publicPath?: string | undefined
}

const text = z.string({ error: 'must be text' })
const nothing = z.object({})
const credentials = z.object({ email: text, password: text, mfa_code: text.nullish() })
const code = z.object({ code: boundedText(2_048) })
const acceptance = z.object({ token: boundedText(256), password: text })

/** Far more than a login needs, and cheap to handle for a caller without a credential. */
const BODY_BYTES = 16_384
const JSON_TYPE = 'application/json; charset=utf-8'
const COOKIE = 'taskboard-session'
const MOST_COOKIES = 2
const LOOPBACK = /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[::1\])$/
/** The characters that the `Path` of a cookie may have, so that it ends nothing. */
const COOKIE_PATH = /^\/[\w.~!$&'()*+,=:@%/-]*$/

/** Who would be logged in. */
interface Shown {
  readonly email: string
  readonly accountName: string
}

/** The effect of a request on a browser session: the tokens that it gets, null when the session is over, or undefined to only look. */
interface Step {
  readonly suffix: string
  readonly body: z.ZodObject
  run(login: Login, call: StepCall): Promise<SessionTokens | Shown | null>
}

interface StepCall {
  readonly body: Readonly<Record<string, unknown>>
  readonly origin: LoginOrigin
  /** The refresh tokens of the request's cookies. A browser has one; a second one is from someone else. */
  readonly refreshTokens: readonly string[]
}

const steps: readonly Step[] = [
  {
    suffix: '',
    body: credentials,
    run({ sessions }, { body, origin }) {
      const { email, password, mfa_code: mfaCode } = body as z.output<typeof credentials>
      return sessions.login({ email, password, mfaCode }, origin)
    },
  },
  {
    suffix: '/code',
    body: code,
    run: ({ sessions }, { body, origin }) =>
      sessions.loginByCode((body as z.output<typeof code>).code, origin),
  },
  {
    suffix: '/code/show',
    body: code,
    run: ({ sessions }, { body, origin }) => sessions.showCode((body as z.output<typeof code>).code, origin),
  },
  {
    suffix: '/invitation/show',
    body: z.object({ token: boundedText(256) }),
    run: ({ invitations }, { body, origin }) =>
      invitations.show((body as { readonly token: string }).token, origin),
  },
  {
    suffix: '/invitation',
    body: acceptance,
    run: ({ invitations }, { body, origin }) =>
      invitations.accept(body as z.output<typeof acceptance>, origin),
  },
  {
    suffix: '/refresh',
    body: nothing,
    run({ sessions }, { refreshTokens, origin }) {
      const [refreshToken, other] = refreshTokens
      if (refreshToken === undefined) throw new TaskboardError('UNAUTHORIZED', 'there is no session')
      // A page of a sibling subdomain can add a cookie, but not replace one: its session must not take the place of the user's.
      if (other !== undefined) {
        throw new TaskboardError(
          'UNAUTHORIZED',
          'the request has several session cookies; remove the cookies of this site, then log in',
        )
      }
      return sessions.refresh(refreshToken, origin)
    },
  },
  {
    suffix: '/logout',
    body: nothing,
    async run({ sessions }, { refreshTokens, origin }) {
      for (const refreshToken of refreshTokens) await sessions.logout({ refreshToken }, origin)
      return null
    },
  },
]

/**
 * The sessions of Taskboard's login for pages in a browser, as routes. `POST` to `path` (`email`, `password`, `mfa_code`), `…/code`
 * (`code`, a one-time login code), `…/code/show` (whom a code logs in). Also `…/invitation` (`token`, `password`), `…/invitation/show`,
 * `…/refresh` and `…/logout`. The answers have the access token. The refresh token is in a cookie that scripts can't read and that
 * browsers send only to these routes. Only pages of the same origin can use them.
 *
 * Two tabs that refresh at the same moment show the same token: one gets 401, and succeeds when it tries again, with the new cookie. None
 * with the host's login, or without a login.
 * @example
 * ```ts
 * import { createTaskboard } from '@taskboard/core'
 * import { browserSessionRoutes } from '@taskboard/core/transport'
 * import { memoryStorage } from '@taskboard/memory'
 *
 * const secret = 'at least 32 random bytes, in all processes'
 * const taskboard = createTaskboard({ storage: memoryStorage(), tokens: { secret } })
 * const routes = browserSessionRoutes(taskboard, { path: '/panel/session' })
 * console.log(routes.map(({ path }) => path).at(-1)) // /panel/session/logout
 * ```
 */
export function browserSessionRoutes(
  { services }: { readonly services: TransportServices },
  options: BrowserSessionOptions,
): readonly Route[] {
  const path = routePath('path', options.path)
  const publicPath =
    options.publicPath === undefined ? undefined : mountPath('publicPath', options.publicPath)
  const { login: ours } = services
  if (ours === null) return []
  return steps.map((step) => ({
    path: path + step.suffix,
    readsOrigin: true,
    async handle(request) {
      const requestId = requestIdOf(request, services.environment)
      try {
        const cookie = cookieOf(request, publicPath ?? withoutSuffix(request.path, step.suffix))
        const tokens = await take(ours, step, request, parseCookies(request, cookie.name))
        return toResponse(requestId, tokens, cookie)
      } catch (error) {
        return toErrorResponse(services, request, requestId, error)
      }
    },
  }))
}

async function take(
  login: Login,
  step: Step,
  request: HttpRequest,
  refreshTokens: readonly string[],
): Promise<SessionTokens | Shown | null> {
  if (request.method !== 'POST') {
    throw new TaskboardError('METHOD_NOT_ALLOWED', 'use POST', { allow: ['POST'] })
  }
  const refusal = refuseOtherOrigins(request)
  if (refusal !== null) throw refusal
  const given = await readJsonObject(request, BODY_BYTES)
  const body = parseFields(step.body, given)
  return step.run(login, { body, origin: loginOriginOf(request), refreshTokens })
}

interface Cookie {
  readonly name: string
  readonly attributes: string
}

/**
 * Over plain HTTP on this machine, where some browsers keep no `Secure` cookie, it is an ordinary one. Its name has the port, because browsers
 * send the cookies of a host to all of its ports. A proxy on this machine may address the process by such an origin as well: then the page's
 * own origin is another one.
 */
function cookieOf(request: HttpRequest, path: string): Cookie {
  const target = toUrl(request.targetOrigin ?? `http://${request.header('host') ?? ''}`)
  const page = toUrl(request.header('origin') ?? target.href)
  const isSecure = ![target, page].every(isPlainLoopback)
  const { port } = target
  const attributes = `Path=${COOKIE_PATH.test(path) ? path : '/'}; HttpOnly; SameSite=Strict`
  return isSecure
    ? { name: `__Secure-${COOKIE}`, attributes: `${attributes}; Secure` }
    : { name: port === '' ? COOKIE : `${COOKIE}-${port}`, attributes }
}

function toUrl(address: string): URL {
  return new URL(URL.canParse(address) ? address : 'unknown:')
}

function isPlainLoopback({ protocol, hostname }: URL): boolean {
  return protocol === 'http:' && LOOPBACK.test(hostname)
}

function withoutSuffix(path: string, suffix: string): string {
  const trimmed = path.endsWith('/') ? path.slice(0, -1) : path
  return trimmed.slice(0, trimmed.length - suffix.length)
}

/** The values of the cookies of a name. More than two aren't needed to notice that one isn't the user's. */
function parseCookies(request: HttpRequest, name: string): readonly string[] {
  const pairs = (request.header('cookie') ?? '').split(/;\s*/).filter((pair) => pair.startsWith(`${name}=`))
  return [...new Set(pairs.map((pair) => pair.slice(name.length + 1)))].slice(0, MOST_COOKIES)
}

function toResponse(
  requestId: string,
  tokens: SessionTokens | Shown | null,
  { name, attributes }: Cookie,
): HttpResponse {
  const headers = answerHeaders({ requestId, limits: {} })
  if (tokens === null) {
    headers['set-cookie'] = `${name}=; ${attributes}; Max-Age=0`
    return { status: 204, headers, body: '' }
  }
  if ('email' in tokens) {
    headers['content-type'] = JSON_TYPE
    return {
      status: 200,
      headers,
      body: JSON.stringify({ email: tokens.email, account_name: tokens.accountName }),
    }
  }
  const { accessToken, refreshToken, expiresInS, refreshExpiresInS, tokenType } = tokens
  headers['set-cookie'] = `${name}=${refreshToken}; ${attributes}; Max-Age=${refreshExpiresInS}`
  headers['content-type'] = JSON_TYPE
  const body = { access_token: accessToken, expires_in: expiresInS, token_type: tokenType }
  return { status: 200, headers, body: JSON.stringify(body) }
}

/** A failed refresh keeps the cookie: another tab may just have got the next one. */
function toErrorResponse(
  { environment: { logger, clock } }: TransportServices,
  { method, path }: HttpRequest,
  requestId: string,
  error: unknown,
): HttpResponse {
  const line = { err: error, method, path, requestId }
  if (isInternal(error)) logger.error(line, 'a request failed')
  else if (isTaskboardError(error, 'SERVICE_UNAVAILABLE')) logger.warn(line, 'a request could not be served')
  const { status, headers, body } = v2ErrorEnvelope(error, { requestId, now: clock.now() })
  return {
    status,
    headers: Object.assign(answerHeaders({ requestId, limits: {} }), { 'content-type': JSON_TYPE }, headers),
    body: JSON.stringify(body),
  }
}
