import type { SurfacePaths } from '../../surface.js'

/** A documented path below the host's prefix. */
export function mountedPath({ paths }: { readonly paths: SurfacePaths }, path: string): string {
  return paths.enterprise + path.slice('/v2'.length)
}
