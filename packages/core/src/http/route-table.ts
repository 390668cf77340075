import type { Route } from './http.js'

/** A route that matches a path, with what its parameters stand for. */
export interface FoundRoute {
  readonly route: Route
  readonly params: Readonly<Record<string, string>>
}

/** Routes by their paths, for hosts without a router. */
export interface RouteTable {
  /** The first route that matches; null when none does. A path that cannot be decoded matches no parameter. */
  find(path: string): FoundRoute | null
}

const NO_PARAMS: Readonly<Record<string, string>> = Object.freeze({})

export function createRouteTable(routes: readonly Route[]): RouteTable {
  const plain = new Map(routes.filter(({ path }) => !path.includes(':')).map((route) => [route.path, route]))
  const patterns = routes
    .filter(({ path }) => path.includes(':'))
    .map((route) => ({ route, segments: route.path.split('/') }))

  return {
    find(path) {
      const route = plain.get(path)
      if (route !== undefined) return { route, params: NO_PARAMS }
      const segments = path.split('/')
      for (const pattern of patterns) {
        const params = match(pattern.segments, segments)
        if (params !== null) return { route: pattern.route, params }
      }
      return null
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
    if (value === null || value === '') return null
    params[expected.slice(1)] = value
  }
  return params
}

function decoded(segment: string): string | null {
  try {
    return decodeURIComponent(segment)
  } catch {
    return null
  }
}
