import { TaskboardError } from '../errors/index.js'

/**
 * The origins, besides its own, whose pages a host trusts with its users' cookies: `https://app.example`, without a path. `'any'`
 * turns the check off, for hosts that have their own protection in front of the board.
 */
export type AllowedOrigins = readonly string[] | 'any'

/** What identifies the page that made a browser send a request. Every `HttpRequest` has it. */
export interface BrowserRequest {
  readonly method: string
  header(name: string): string | undefined
  /**
   * The origin that the client addressed, as the host's framework determines it with its trusted proxies: `https://example.com:8443`.
   * Absent: the `host` header's.
   */
  readonly targetOrigin?: string | undefined
}

/** Prevents pages of other sites from using the cookies that a browser adds to their requests. */
export interface OriginGuard {
  /** Why a request must not change anything; null when it may, or when its method is safe. */
  refuse(request: BrowserRequest): TaskboardError | null
  /** Why a WebSocket must not be opened; null when it may. Its handshake is a GET, which browsers let every page send. */
  refuseUpgrade(request: BrowserRequest): TaskboardError | null
}

/** Safe methods (RFC 9110, 9.2.1) change nothing, and other origins can't read the answers. */
const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])
/** Schemes whose credentials browsers keep and add to every request for a site, as they do with cookies (RFC 9110, 11). */
const KEPT_BY_BROWSERS = /^(?:basic|digest|negotiate|ntlm)(?:\s|$)/i
const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@\\*]+$/

/**
 * A guard that accepts a request when it
 * - has no credential that a browser adds on its own: no cookie, and no `Authorization` of a scheme such as Basic, whose password it keeps;
 * - has another `Authorization` header, which browsers send across origins only with the host's consent (CORS);
 * - comes from the host's own pages or from no page, by its `Sec-Fetch-Site` (`same-origin`, `none`);
 * - comes from one of `allowedOrigins`, by its `Origin`;
 * - has no `Sec-Fetch-Site`, and its `Origin` is the one that the request addresses.
 *
 * A sibling subdomain (`same-site`) is another origin.
 * @throws TaskboardError `INVALID_CONFIG` (`allowedOrigins`).
 */
export function createOriginGuard(allowedOrigins: AllowedOrigins = []): OriginGuard {
  const allowed = allowedOrigins === 'any' ? null : new Set(toOrigins(allowedOrigins))
  const judge = (request: BrowserRequest): TaskboardError | null =>
    allowed === null ? null : judgeOrigin(request, allowed)
  return {
    refuse: (request) => (SAFE_METHODS.has(request.method) ? null : judge(request)),
    refuseUpgrade: judge,
  }
}

/**
 * Why a request comes not surely from a page of the host itself; null when it does. For routes that set cookies: without this check, a
 * page of another origin could log a user in as someone else.
 */
export function refuseOtherOrigins(request: BrowserRequest): TaskboardError | null {
  const site = request.header('sec-fetch-site')
  const origin = request.header('origin')
  const isOwn =
    site === undefined ? origin !== undefined && isAddressed(origin, request) : site === 'same-origin'
  return isOwn ? null : new TaskboardError('FORBIDDEN', 'only a page of this origin may send this request')
}

function judgeOrigin(request: BrowserRequest, allowed: ReadonlySet<string>): TaskboardError | null {
  const authorization = request.header('authorization')
  const isKept = authorization !== undefined && KEPT_BY_BROWSERS.test(authorization)
  if (authorization !== undefined && !isKept) return null
  if (request.header('cookie') === undefined && !isKept) return null
  const site = request.header('sec-fetch-site')
  if (site === 'same-origin' || site === 'none') return null
  const origin = request.header('origin')
  if (origin !== undefined) {
    if (allowed.has(origin)) return null
    if (site === undefined && isAddressed(origin, request)) return null
  } else if (site === undefined) {
    // A program with a password: for a page that sends data, browsers set `Origin`.
    if (isKept) return null
    return new TaskboardError(
      'FORBIDDEN',
      'a request with a cookie requires an Origin or a Sec-Fetch-Site header, or an Authorization header instead',
    )
  }
  return new TaskboardError(
    'FORBIDDEN',
    'a page of another origin sent this request with the credentials of a user, and allowedOrigins does not list that origin',
  )
}

/**
 * Whether a page's origin is the origin that its request addresses. Behind a proxy that terminates TLS, the process sees plain
 * HTTP, so an https page counts as the same origin. The reverse is a downgrade.
 */
function isAddressed(origin: string, request: BrowserRequest): boolean {
  const target = request.targetOrigin ?? `http://${request.header('host') ?? ''}`
  const source = parseUrl(origin)
  if (source === null || !/^https?:$/.test(source.protocol)) return false
  if (source.protocol === 'http:' && target.startsWith('https:')) return false
  // With the page's scheme, so that both omit a default port.
  return parseUrl(target.replace(/^https?:/, source.protocol))?.host === source.host
}

function parseUrl(text: string): URL | null {
  return URL.canParse(text) ? new URL(text) : null
}

/** Origins as browsers write them in `Origin`. */
function toOrigins(allowed: readonly string[]): readonly string[] {
  if (Array.isArray(allowed)) return allowed.map(toOrigin)
  throw invalid("must be a list of origins, or 'any'")
}

function toOrigin(text: unknown): string {
  const origin = typeof text === 'string' ? text.toLowerCase() : ''
  const url = parseUrl(origin)
  const isWeb = /^https?:\/\//.test(origin)
  if (ORIGIN.test(origin) && url !== null && (!isWeb || url.host !== '')) return isWeb ? url.origin : origin
  throw invalid(`must list origins such as https://app.example, without a path, not ${JSON.stringify(text)}`)
}

function invalid(rule: string): TaskboardError {
  return new TaskboardError('INVALID_CONFIG', `allowedOrigins ${rule}`, { field: 'allowedOrigins' })
}
