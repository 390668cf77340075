import type { FallbackRoute, Route } from './http.js'

/** A route (or a fallback) that matches a path, with the values of its parameters. */
export interface FoundRoute {
  readonly route: Pick<Route, 'handle' | 'readsOrigin'>
  readonly params: Readonly<Record<string, string>>
}

/**
 * Routes by path, for hosts without a router, and for paths that a router refuses to decode. A final slash makes no difference, but where a
 * route has one.
 */
export interface RouteTable {
  /** The first matching route, else the first matching fallback; null without either. */
  find(path: string): FoundRoute | null
}

const NO_PARAMS: Readonly<Record<string, string>> = Object.freeze({})

/**
 * Creates a table of routes, and of fallbacks for the paths without one.
 * @example
 * ```ts
 * import { createTaskboard } from '@taskboard/core'
 * import { apiRoutes, createRouteTable, fallbackRoutes } from '@taskboard/core/transport'
 * import { memoryStorage } from '@taskboard/memory'
 *
 * const taskboard = createTaskboard({ storage: memoryStorage() })
 * const table = createRouteTable(apiRoutes(taskboard), fallbackRoutes(taskboard))
 * console.log(table.find('/v2/tasks/task_1')?.params) // { task_id: 'task_1' }
 * console.log(table.find('/elsewhere')) // null
 * ```
 */
export function createRouteTable(
  routes: readonly Route[],
  fallbacks: readonly FallbackRoute[] = [],
): RouteTable {
  const plain = new Map(routes.filter(({ path }) => !path.includes(':')).map((route) => [route.path, route]))
  const patterns = routes
    .filter(({ path }) => path.includes(':'))
    .map((route) => ({ route, segments: route.path.split('/') }))

  function findRoute(path: string): FoundRoute | null {
    const route = plain.get(path)
    if (route !== undefined) return { route, params: NO_PARAMS }
    const segments = path.split('/')
    for (const pattern of patterns) {
      const params = match(pattern.segments, segments)
      if (params !== null) return { route: pattern.route, params }
    }
    return null
  }

  return {
    find(path) {
      const found = findRoute(path) ?? (path.endsWith('/') ? findRoute(path.slice(0, -1)) : null)
      if (found !== null) return found
      const fallback = fallbacks.find(({ prefix }) => path === prefix || path.startsWith(`${prefix}/`))
      return fallback === undefined ? null : { route: fallback, params: NO_PARAMS }
    },
  }
}

function match(
  pattern: readonly string[],
  segments: readonly string[],
): Readonly<Record<string, string>> | null {
  if (pattern.length !== segments.length) return null
  const params: Record<string, string> = {}
  for (const [index, expected] of pattern.entries()) {
    const segment = segments[index] ?? ''
    if (!expected.startsWith(':')) {
      if (expected !== segment) return null
      continue
    }
    const value = decoded(segment)
    if (value === '') return null
    params[expected.slice(1)] = value
  }
  return params
}

/** A malformed escape stays unchanged. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
