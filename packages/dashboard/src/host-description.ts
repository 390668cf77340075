import { webhookEventTypes } from '@taskboard/core'
import {
  type HttpRequest,
  type HttpResponse,
  notificationEventTypes,
  realtimeEndpoint,
  type TransportServices,
} from '@taskboard/core/transport'
import type { DashboardOptions } from './dashboard-options.js'
import { securityHeaders } from './responses.js'

/** The facts about their host that the pages need before anyone has logged in. It has no secrets. */
interface HostDescription {
  /**
   * How people log in. `taskboard`: by the routes below `…/session`. `host`: by the host's own session, which browsers send by themselves.
   * `none`: only API keys are credentials.
   */
  readonly login: 'taskboard' | 'host' | 'none'
  /** Where people log in with the host's login; null when the host hasn't said. */
  readonly loginUrl: string | null
  /** Where the host mounted the board, as browsers see it: `/kanban`, or empty. */
  readonly mount: string
  /** Below `mount`. */
  readonly paths: { readonly board: string; readonly v2: string; readonly realtime: string }
  /** The dashboard's. */
  readonly version: string
  /** The types of events that webhooks and notification channels can receive. */
  readonly events: { readonly webhooks: readonly string[]; readonly channels: readonly string[] }
  readonly features: {
    /** Whether people have passwords and second factors here, and accounts have members. */
    readonly users: boolean
  }
}

/** `GET …/config`. */
export function describeHost(
  taskboard: { readonly services: TransportServices },
  {
    loginUrl,
    realtimePath,
    publicPath,
  }: Omit<DashboardOptions, 'folder'> & { readonly publicPath: string | undefined },
  request: HttpRequest,
  version: string,
): HttpResponse {
  const { login, paths, readsHeaders } = taskboard.services
  const isOurs = login !== null && !readsHeaders
  const seen = publicPath ?? request.path.replace(/\/[^/]*\/?$/, '')
  const description: HostDescription = {
    login: isOurs ? 'taskboard' : readsHeaders ? 'host' : 'none',
    loginUrl: isOurs ? null : (loginUrl ?? null),
    mount: seen.slice(0, seen.length - paths.dashboard.length),
    paths: {
      board: paths.board,
      v2: paths.v2,
      realtime: realtimePath ?? realtimeEndpoint(taskboard).channel.path,
    },
    version,
    events: { webhooks: webhookEventTypes, channels: notificationEventTypes },
    features: { users: isOurs },
  }
  const headers = {
    ...securityHeaders,
    'cache-control': 'no-store',
    'content-type': 'application/json; charset=utf-8',
  }
  return { status: 200, headers, body: JSON.stringify(description) }
}
