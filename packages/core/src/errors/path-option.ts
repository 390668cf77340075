import { TaskboardError } from './taskboard-error.js'

/** Without `.` and `..`, which browsers resolve, and without what routers read as a pattern. */
const ROUTE_PATH = /^(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._~-]+)+$/
/** As browsers write paths: other characters are percent-encoded. */
const MOUNT_PATH = /^(?:\/(?!(?:\.|%2[Ee]){1,2}(?:\/|$))(?:[A-Za-z0-9._~!$&'()*+,=:@-]|%[\dA-Fa-f]{2})+)*$/

/**
 * The path of a route, from an option of a host. A final slash is dropped, so `/tasks/` is `/tasks`.
 * @throws TaskboardError `INVALID_CONFIG` naming `field`, for anything that no request could match.
 * @example
 * ```ts
 * import { routePath } from '@taskboard/core/transport'
 *
 * console.log(routePath('path', '/tools/')) // /tools
 * ```
 */
export function routePath(field: string, value: unknown): `/${string}` {
  const path = withoutFinalSlash(value)
  if (path !== null && ROUTE_PATH.test(path)) return path as `/${string}`
  throw invalid(field, 'must be a path that begins with /, of letters, digits, ".", "_", "~" and "-"')
}

/**
 * The path at which a host mounts routes, from one of its options, as it comes before the path of a route. A final slash is dropped, and
 * `/` is the root, which is empty.
 * @throws TaskboardError `INVALID_CONFIG` naming `field`, for anything that no request could match.
 * @example
 * ```ts
 * import { mountPath } from '@taskboard/core/transport'
 *
 * console.log(mountPath('basePath', '/kanban/') + '/v2/tasks') // /kanban/v2/tasks
 * ```
 */
export function mountPath(field: string, value: unknown): string {
  const path = withoutFinalSlash(value)
  if (path !== null && MOUNT_PATH.test(path)) return path
  throw invalid(field, 'must be a path as browsers write it, such as /kanban')
}

/** What `toBaseUrl` takes, in errors. */
export const baseUrlForm = 'an http(s) URL without a query, such as https://app.example/kanban'

/**
 * An origin and a mount path as browsers see them, such as `https://app.example/kanban`, without a final slash. Null for anything else:
 * another scheme, a query, a fragment, credentials.
 * @example
 * ```ts
 * import { toBaseUrl } from '@taskboard/core/transport'
 *
 * console.log(toBaseUrl('https://app.example/kanban/'), toBaseUrl('/kanban')) // https://app.example/kanban null
 * ```
 */
export function toBaseUrl(value: unknown): string | null {
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : null
  const isGood =
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    !/[?#]/.test(url.href) &&
    url.username + url.password === '' &&
    !url.pathname.endsWith('//')
  return isGood ? url.href.replace(/\/$/, '') : null
}

function withoutFinalSlash(value: unknown): string | null {
  if (typeof value !== 'string') return null
  return value.endsWith('/') ? value.slice(0, -1) : value
}

function invalid(field: string, rule: string): TaskboardError {
  return new TaskboardError('INVALID_CONFIG', `${field} ${rule}`, { field })
}
