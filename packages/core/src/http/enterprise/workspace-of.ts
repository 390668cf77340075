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
  if (workspaceId == null || workspaceId === principal.defaultWorkspaceId) return principal.defaultWorkspaceId
  const { workspaceIds } = principal
  if (workspaceIds !== 'all' && !workspaceIds.includes(workspaceId)) throw noSuchWorkspace()
  if (!(await isReached(surface, principal, workspaceId))) throw noSuchWorkspace()
  return workspaceId
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
