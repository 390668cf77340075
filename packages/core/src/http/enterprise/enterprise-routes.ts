import type { Surface } from '../../surface.js'
import type { Route } from '../http.js'
import { enterpriseOperations } from './enterprise-operations.js'
import { handleEnterpriseRequest } from './handle.js'
import { mountedPath } from './mounted-path.js'
import type { Method, Operation } from './operation.js'

/**
 * The enterprise API (v2) as routes, below the configured path. Parameters have the form `:name`, and a path without parameters
 * comes before those that would match it.
 * @example
 * ```ts
 * import { createTaskboard } from '@taskboard/core'
 * import { enterpriseRoutes } from '@taskboard/core/transport'
 * import { memoryStorage } from '@taskboard/memory'
 *
 * const taskboard = createTaskboard({ storage: memoryStorage() })
 * console.log(enterpriseRoutes(taskboard).every(({ path }) => path.startsWith('/v2/'))) // true
 * ```
 */
export function enterpriseRoutes({ surface }: { readonly surface: Surface }): readonly Route[] {
  const paths = new Map<string, Map<Method, Operation>>()
  for (const operation of enterpriseOperations(surface)) {
    const operations = paths.get(operation.path) ?? new Map<Method, Operation>()
    paths.set(operation.path, operations.set(operation.method, operation))
  }
  return [...paths]
    .toSorted(([one], [other]) => (patternOrder(one) < patternOrder(other) ? -1 : 1))
    .map(([path, operations]) => ({
      path: mountedPath(surface, path).replaceAll(/\{(\w+)\}/g, ':$1'),
      handle: (request) => handleEnterpriseRequest(surface, request, operations),
    }))
}

/** Sorts parameters after every name. */
function patternOrder(path: string): string {
  return path.replaceAll('{', '\u{10ffff}')
}
