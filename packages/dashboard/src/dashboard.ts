import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { TaskboardError } from '@taskboard/core'
import {
  browserSessionRoutes,
  type HttpRequest,
  type HttpResponse,
  mountPath,
  baseUrlForm,
  toBaseUrl,
  type Route,
  type RouteGroup,
  routePath,
  type TransportServices,
  requireOptionNames,
  servicesOf,
} from '@taskboard/core/transport'
import { type Application, openApplication } from './application.js'
import type { DashboardOptions } from './dashboard-options.js'
import { describeHost } from './host-description.js'
import { answerFile, answerText, securityHeaders } from './responses.js'

/** The user, and where browsers find the board. */
export interface LoginLinkInput {
  /** The user's id. Either this or `email`. */
  readonly userId?: string | undefined
  readonly email?: string | undefined
  /** How long the link is valid: whole seconds, at most a day. Default ten minutes. */
  readonly ttlMs?: number | undefined
  /** The origin and the mount path: `https://app.example/kanban`. Default `publicUrl`. */
  readonly baseUrl?: string | undefined
}

/** The dashboard, for the `routes` of an HTTP adapter. */
export interface Dashboard extends RouteGroup {
  /**
   * A link that logs its first opener in as a user, once, without a password or a second factor. Only with Taskboard's login. Anyone who has
   * the link is that user, so pass it on as you would a password. The code in it is behind the `#`, which browsers don't send to servers.
   * @throws TaskboardError `NOT_FOUND` for an unknown user; `INVALID_FIELD` (`baseUrl` as well), `MISSING_FIELD`; `INVALID_CONFIG` with the
   *   host's login.
   */
  createLoginLink(input: LoginLinkInput): Promise<string>
}

/** Without what URL parsers drop from the text. */
const LOGIN_URL = /^(?:https?:\/\/[^\s/?#]|\/(?![/\\]))[^\s\p{Cc}\\]*$/u

/**
 * The dashboard: a web application for the people who work with the board. Its pages call API v2 and the realtime channel
 * of the same host.
 * @throws TaskboardError `INVALID_CONFIG` for an option that can't work.
 * @example
 * ```ts
 * import { createTaskboard } from '@taskboard/core'
 * import { taskboardDashboard } from '@taskboard/dashboard'
 * import { taskboardRouter } from '@taskboard/express'
 * import { memoryStorage } from '@taskboard/memory'
 * import express from 'express'
 *
 * const secret = 'at least 32 random bytes, in all processes'
 * const taskboard = createTaskboard({ storage: memoryStorage(), tokens: { secret } })
 * const dashboard = taskboardDashboard(taskboard)
 * express().use(taskboardRouter(taskboard, { routes: [dashboard] })) // GET /dashboard
 *
 * const owner = { email: 'ada@example.com', password: 'correct horse battery staple' }
 * await taskboard.accounts.create({ name: 'Ada', tier: 'professional', owner })
 * const link = await dashboard.createLoginLink({ email: owner.email, baseUrl: 'https://app.example' })
 * console.log(link.split('=')[0]) // https://app.example/dashboard/#login
 * ```
 */
export function taskboardDashboard(
  taskboard: { readonly services: TransportServices },
  options: DashboardOptions = {},
): Dashboard {
  const realtimePath = checkOptions(options)
  const services = servicesOf(taskboard)
  const path = services.paths.dashboard
  const application = openApplication(options.folder)
  const get = (below: string, answer: (request: HttpRequest) => Promise<HttpResponse>): Route => ({
    path: path + below,
    handle: async (request) => (isRead(request) ? answerSafely(services, request, answer) : refuseMethod()),
  })
  const page = (request: HttpRequest) => answerPage(application, request)
  const seen = publicPathOf(services)
  const sessions = { path: `${path}/session`, publicPath: seen && `${seen}/session` }

  return {
    routes: [
      get('', page),
      get('/', page),
      get('/config', async (request) =>
        describeHost(
          taskboard,
          { ...options, realtimePath, publicPath: seen },
          request,
          (await application()).version,
        ),
      ),
      get('/assets/:file', (request) => answerAsset(application, request)),
      ...browserSessionRoutes(taskboard, sessions).map(restricted),
    ],
    async createLoginLink({ baseUrl, ...input }) {
      if (services.login === null) {
        throw new TaskboardError('INVALID_CONFIG', 'login links require `tokens`: the host has its own login')
      }
      const address = parseBaseUrl(baseUrl ?? services.publicUrl)
      const { code } = await services.login.createLoginCode(input)
      return `${address}${path}/#login=${code}`
    },
  }
}

/** The dashboard's path as browsers see it, whatever a proxy rewrites; undefined without `publicUrl`: as the server sees it. */
function publicPathOf({ publicUrl, paths }: TransportServices): string | undefined {
  if (publicUrl === null) return undefined
  return mountPath('publicUrl', new URL(publicUrl).pathname) + paths.dashboard
}

/** Returns where the realtime channel is. */
function checkOptions(options: DashboardOptions): string | undefined {
  requireOptionNames<DashboardOptions>(options, { loginUrl: true, realtimePath: true, folder: true })
  const { loginUrl, folder } = options
  if (loginUrl !== undefined) {
    const isGood = typeof loginUrl === 'string' && LOGIN_URL.test(loginUrl)
    requireOption('loginUrl', isGood, 'must be an http(s) URL, or a path such as /login')
  }
  if (folder !== undefined) {
    const isBuilt = typeof folder === 'string' && existsSync(join(folder, 'manifest.json'))
    requireOption('folder', isBuilt, 'must be the path of the built application, with its manifest.json')
  }
  const { realtimePath } = options
  return realtimePath === undefined ? undefined : routePath('realtimePath', realtimePath)
}

function requireOption(field: keyof DashboardOptions, isGood: boolean, rule: string): void {
  if (!isGood) throw new TaskboardError('INVALID_CONFIG', `${field} ${rule}`, { field })
}

/** The origin and the mount path, to which the path of the dashboard is appended. */
function parseBaseUrl(value: string | null): string {
  const url = toBaseUrl(value)
  if (url !== null) return url
  const message = `baseUrl must be ${baseUrlForm}, unless the board has a publicUrl`
  throw new TaskboardError('INVALID_FIELD', message, { field: 'baseUrl' })
}

function restricted(route: Route): Route {
  return {
    ...route,
    async handle(request) {
      const { headers, ...answer } = await route.handle(request)
      return { ...answer, headers: { ...securityHeaders, ...headers } }
    },
  }
}

/** Relative addresses in the page are below its path with a slash at the end, whatever is in front of it. */
async function answerPage(
  application: () => Promise<Application>,
  request: HttpRequest,
): Promise<HttpResponse> {
  if (request.path.endsWith('/')) return answerFile(request, (await application()).page)
  const [name = ''] = request.path.split('/').slice(-1)
  const headers = { ...securityHeaders, location: `./${name}/`, 'cache-control': 'no-cache' }
  return { status: 307, headers, body: '' }
}

async function answerAsset(
  application: () => Promise<Application>,
  request: HttpRequest,
): Promise<HttpResponse> {
  const asset = (await application()).assets.get(request.params['file'] ?? '')
  return asset === undefined ? answerText(404, 'there is no such file') : answerFile(request, asset)
}

async function answerSafely(
  { environment: { logger } }: TransportServices,
  request: HttpRequest,
  answer: (request: HttpRequest) => Promise<HttpResponse>,
): Promise<HttpResponse> {
  try {
    return await answer(request)
  } catch (error) {
    logger.error({ err: error, path: request.path }, 'the dashboard cannot be served')
    return answerText(503, 'the dashboard cannot be served; the log of the server says why')
  }
}

function isRead({ method }: HttpRequest): boolean {
  return method === 'GET' || method === 'HEAD'
}

function refuseMethod(): HttpResponse {
  const { headers, ...rest } = answerText(405, 'use GET')
  return { ...rest, headers: { ...headers, allow: 'GET, HEAD' } }
}
