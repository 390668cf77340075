import { TaskboardError } from '@taskboard/core'
import type { HttpRequest } from '@taskboard/core/transport'
import type { McpOptions } from '../mcp-options.js'

const LOCAL = ['localhost', '127.0.0.1', '[::1]']

/**
 * Why a request is rejected by the host that it addresses or the page that sent it; null when it may pass. Without such a check, a
 * page could reach a server on the user's own machine by a name that its owner points there (DNS rebinding).
 */
export function refusePage(
  request: Pick<HttpRequest, 'header' | 'targetOrigin'>,
  { allowedHosts, allowedOrigins = [] }: Pick<McpOptions, 'allowedHosts' | 'allowedOrigins'>,
): TaskboardError | null {
  const refused = refuseHost(request, { allowedHosts })
  if (refused !== null) return refused
  const target = addressed(request)
  const origin = request.header('origin')
  if (origin === undefined || allowedOrigins.includes(origin)) return null
  const isOwn = hostOf(origin, 'host') === hostOf(target, 'host')
  if (isOwn && isAmong(hostOf(target), allowedHosts ?? LOCAL)) return null
  return new TaskboardError(
    'FORBIDDEN',
    'a page of another origin sent this request, and allowedOrigins does not list it',
  )
}

/** Why a request is rejected by the host name that it addresses; null when it may pass. */
export function refuseHost(
  request: Pick<HttpRequest, 'header' | 'targetOrigin'>,
  { allowedHosts }: Pick<McpOptions, 'allowedHosts'>,
): TaskboardError | null {
  if (allowedHosts === undefined || isAmong(hostOf(addressed(request)), allowedHosts)) return null
  return new TaskboardError('FORBIDDEN', 'this server is not addressed by this host name')
}

function addressed(request: Pick<HttpRequest, 'header' | 'targetOrigin'>): string {
  return request.targetOrigin ?? `http://${request.header('host') ?? ''}`
}

function hostOf(url: string, part: 'hostname' | 'host' = 'hostname'): string | null {
  return URL.canParse(url) ? new URL(url)[part] : null
}

function isAmong(host: string | null, hosts: readonly string[]): boolean {
  return host !== null && hosts.some((each) => each.toLowerCase() === host)
}
