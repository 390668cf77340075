import { TaskboardError } from '../errors/index.js'
import type { Workspace } from './access-store.js'
import type { Principal, Scope } from './principal.js'

/** @throws TaskboardError `FORBIDDEN` when the principal lacks the scope. */
export function requireScope(principal: Principal, scope: Scope): void {
  if (principal.scopes.includes(scope)) return
  throw new TaskboardError('FORBIDDEN', `the credential lacks the scope ${scope}`)
}

/**
 * Whether a workspace is within the principal's reach. Needs the workspace's account, because 'all' means all workspaces of the
 * principal's account. Answer a workspace beyond reach exactly as one that does not exist.
 */
export function reaches(principal: Principal, workspace: Pick<Workspace, 'id' | 'accountId'>): boolean {
  if (workspace.accountId !== principal.accountId) return false
  return principal.workspaceIds === 'all' || principal.workspaceIds.includes(workspace.id)
}
