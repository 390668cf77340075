import type { Surface } from '../../surface.js'

/** What an OpenAPI document says of one path: its operations by their methods in lower case. */
export type PathDescription = Readonly<Record<string, Readonly<Record<string, unknown>>>>

/** By their paths: of each task board the routes that other packages serve beside its own. */
const described = new WeakMap<Surface, Map<string, PathDescription>>()

/** Lets the OpenAPI document and the reference page of a task board say of a route what it is. */
export function describeRoute(surface: Surface, path: string, description: PathDescription): void {
  const known = described.get(surface) ?? new Map<string, PathDescription>()
  described.set(surface, known.set(path, description))
}

export function describedRoutes(surface: Surface): ReadonlyMap<string, PathDescription> {
  return described.get(surface) ?? new Map()
}
