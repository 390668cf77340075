import type { Surface } from '../../surface.js'

/** One path of an OpenAPI document: its operations by method, in lower case. */
export type PathDescription = Readonly<Record<string, Readonly<Record<string, unknown>>>>

/** The routes of other packages, by task board and path. */
const described = new WeakMap<Surface, Map<string, PathDescription>>()

/** Adds a route to the OpenAPI document and the reference page of a task board. */
export function describeRoute(surface: Surface, path: string, description: PathDescription): void {
  const known = described.get(surface) ?? new Map<string, PathDescription>()
  described.set(surface, known.set(path, description))
}

export function describedRoutes(surface: Surface): ReadonlyMap<string, PathDescription> {
  return described.get(surface) ?? new Map()
}
