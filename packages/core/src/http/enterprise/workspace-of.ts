import type { Principal } from '../../access/index.js'
import { TaskboardError } from '../../errors/index.js'
import type { Surface } from '../../surface.js'

/**
 * The workspace of a request: the given one, or the caller's default.
 * @throws TaskboardError `NOT_FOUND` (`workspaceId`) for one beyond the caller's reach, as for one that does not exist.
 */
export async function workspaceOf(
  surface: Surface,
  principal: Principal,
  workspaceId: string | null | undefined,
): Promise<string> {
  const wanted = workspaceId ?? principal.defaultWorkspaceId
  if (await surface.reach.includes(principal, wanted)) return wanted
  throw new TaskboardError('NOT_FOUND', 'no such workspace', { field: 'workspaceId' })
}
