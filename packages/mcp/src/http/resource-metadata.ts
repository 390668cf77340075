import type { HttpRequest, Route } from '@taskboard/core/transport'
import type { McpOptions } from '../mcp-options.js'

const WELL_KNOWN = '/.well-known/oauth-protected-resource'

/** The metadata of the endpoint as a protected resource (RFC 9728). */
export interface ResourceMetadata {
  readonly route: Route
  /** The challenge of a rejected request, which names the metadata. */
  challenge(request: HttpRequest): string
}

/** Null when the host names no authorization server. Without `resource`, answer only requests to a listed host. */
export function resourceMetadata(
  path: string,
  { authorizationServers = [], resource }: Pick<McpOptions, 'authorizationServers' | 'resource'>,
): ResourceMetadata | null {
  if (authorizationServers.length === 0) return null
  const originOf = (request: HttpRequest): string =>
    resource === undefined
      ? (request.targetOrigin ?? `http://${request.header('host') ?? ''}`)
      : new URL(resource).origin
  const pathOf = (request: HttpRequest): string => (resource === undefined ? pathBefore(request) : '') + path
  const document = (request: HttpRequest) => ({
    resource: resource ?? originOf(request) + pathOf(request),
    authorization_servers: authorizationServers,
    bearer_methods_supported: ['header'],
    scopes_supported: ['tasks:read', 'tasks:write', 'account:read'],
  })
  return {
    route: {
      path: WELL_KNOWN + path,
      readsOrigin: true,
      handle: async (request) => ({
        status: 200,
        headers: {
          'content-type': 'application/json; charset=utf-8',
          'access-control-allow-origin': '*',
          'cache-control': 'no-store',
        },
        body: JSON.stringify(document(request)),
      }),
    },
    challenge: (request) => `Bearer resource_metadata="${originOf(request)}${WELL_KNOWN}${path}"`,
  }
}

/** What the host mounted the routes below. */
function pathBefore({ path }: HttpRequest): string {
  const at = path.indexOf(WELL_KNOWN)
  return at === -1 ? '' : path.slice(0, at)
}
