import { reaches, type Principal } from '../../access/index.js'
import { isTaskboardError, TaskboardError } from '../../errors/index.js'
import type { Surface } from '../../surface.js'

/**
 * The workspace that a request is about: the named one, or the caller's default.
 * @throws TaskboardError `NOT_FOUND` (`workspaceId`) for one that the caller does not reach, as for one that does not exist.
 */
export async function workspaceOf(
  surface: Surface,
  principal: Principal,
  workspaceId: string | null | undefined,
): Promise<string> {
  const { workspaceIds, defaultWorkspaceId } = principal
  const wanted = workspaceId ?? defaultWorkspaceId
  // The default as well: a principal of the host's may have one that is beyond its own reach.
  if (workspaceIds !== 'all' && !workspaceIds.includes(wanted)) throw noSuchWorkspace()
  if (wanted !== defaultWorkspaceId && !(await isReached(surface, principal, wanted))) throw noSuchWorkspace()
  return wanted
}

async function isReached(surface: Surface, principal: Principal, workspaceId: string): Promise<boolean> {
  try {
    return reaches(principal, await surface.accounts.getWorkspace(workspaceId))
  } catch (error) {
    if (isTaskboardError(error, 'NOT_FOUND')) return false
    throw error
  }
}

function noSuchWorkspace(): TaskboardError {
  return new TaskboardError('NOT_FOUND', 'no such workspace', { field: 'workspaceId' })
}
