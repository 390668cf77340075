import type { TransportServices, RoutePaths } from '../../wiring/transport-services.js'

/** A documented path below the host's prefix. */
export function mountedPath({ paths }: { readonly paths: RoutePaths }, path: string): string {
  return path.startsWith('/v2/') ? paths.v2 + path.slice('/v2'.length) : path
}

/** One path of an OpenAPI document: its operations by method, in lower case. */
export type PathDescription = Readonly<Record<string, Readonly<Record<string, unknown>>>>

/** The routes of other packages, by task board and path. */
const described = new WeakMap<TransportServices, Map<string, PathDescription>>()

/** Adds a route to the OpenAPI document and the reference page of a task board. */
export function describeRoute(services: TransportServices, path: string, description: PathDescription): void {
  const known = described.get(services) ?? new Map<string, PathDescription>()
  described.set(services, known.set(path, description))
}

export function describedRoutes(services: TransportServices): ReadonlyMap<string, PathDescription> {
  return described.get(services) ?? new Map()
}
