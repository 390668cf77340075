import type { Surface } from '../surface.js'
import { answerUnknownBoardPath } from './board/handle.js'
import { answerUnknownEnterprisePath } from './enterprise/handle.js'
import type { FallbackRoute } from './http.js'

/**
 * Answers 404 in the envelope of each API (`NOT_FOUND`, and `RESOURCE_NOT_FOUND` for the enterprise API) for the paths below
 * that API's own which no route answers. The answer is the same for every caller, so that no credential is asked for. A prefix
 * comes before one that it begins with.
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
