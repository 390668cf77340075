import type { Surface } from '../surface.js'
import { boardRoutes } from './board/board-routes.js'
import { enterpriseRoutes } from './enterprise/enterprise-routes.js'
import type { Route } from './http.js'

/**
 * Every route of a task board: the board API (v1) and the enterprise API (v2).
 * @example
 * ```ts
 * import { createTaskboard } from '@taskboard/core'
 * import { apiRoutes } from '@taskboard/core/transport'
 * import { memoryStorage } from '@taskboard/memory'
 *
 * const taskboard = createTaskboard({ storage: memoryStorage() })
 * const paths = apiRoutes(taskboard).map(({ path }) => path)
 * console.log(paths.includes('/v2/tasks/:task_id')) // true
 * ```
 */
export function apiRoutes(taskboard: { readonly surface: Surface }): readonly Route[] {
  return [...boardRoutes(taskboard), ...enterpriseRoutes(taskboard)]
}
