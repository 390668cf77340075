import type { Surface } from '../surface.js'
import { answerUnknownBoardPath } from './board/handle.js'
import { answerUnknownEnterprisePath } from './enterprise/handle.js'
import type { FallbackRoute } from './http.js'

/**
 * Answers unknown paths below those of each API with 404 in that API's envelope (`NOT_FOUND`, and `RESOURCE_NOT_FOUND` for the
 * enterprise API). The answer is the same for every caller, so no credential is required. A longer prefix comes before a shorter
 * one that it begins with.
 * @example
 * ```ts
 * import { createTaskboard } from '@taskboard/core'
 * import { fallbackRoutes } from '@taskboard/core/transport'
 * import { memoryStorage } from '@taskboard/memory'
 *
 * const taskboard = createTaskboard({ storage: memoryStorage() })
 * console.log(fallbackRoutes(taskboard).map(({ prefix }) => prefix)) // [ '/api/webhooks/create', '/api/board', '/v2' ]
 * ```
 */
export function fallbackRoutes({ surface }: { readonly surface: Surface }): readonly FallbackRoute[] {
  const { board, webhooks, enterprise } = surface.paths
  const fallbacks: readonly FallbackRoute[] = [
    { prefix: board, handle: async (request) => answerUnknownBoardPath(surface, request) },
    { prefix: webhooks, handle: async (request) => answerUnknownBoardPath(surface, request) },
    { prefix: enterprise, handle: async (request) => answerUnknownEnterprisePath(surface, request) },
  ]
  return fallbacks.toSorted((one, other) => other.prefix.length - one.prefix.length)
}
