import { TaskboardError } from '../errors/index.js'
import type { Workspace } from './access-store.js'
import type { Principal, Scope } from './principal.js'

/**
 * @throws TaskboardError `FORBIDDEN` when the principal lacks the scope.
 * @example
 * ```ts
 * import { isTaskboardError, type Principal } from '@taskboard/core'
 * import { requireScope } from '@taskboard/core/transport'
 *
 * const principal: Principal = {
 *   id: 'ak_1',
 *   kind: 'api_key',
 *   accountId: 'acct_1',
 *   tier: 'custom',
 *   scopes: ['tasks:read'],
 *   workspaceIds: 'all',
 *   defaultWorkspaceId: 'ws_1',
 * }
 * requireScope(principal, 'tasks:read')
 * try {
 *   requireScope(principal, 'tasks:write')
 * } catch (error) {
 *   console.log(isTaskboardError(error, 'FORBIDDEN')) // true
 * }
 * ```
 */
export function requireScope(principal: Principal, scope: Scope): void {
  if (principal.scopes.includes(scope)) return
  throw new TaskboardError('FORBIDDEN', `the credential lacks the scope ${scope}`)
}

/** Whether a caller may give a task a higher budget than it has, or none: who sets the budgets of agents and workspaces. */
export const mayRaiseBudget = ({ scopes }: Pick<Principal, 'scopes'>): boolean =>
  scopes.includes('account:write')

/**
 * Whether a workspace is within the principal's reach. Needs the workspace's account, because 'all' means all workspaces of the
 * principal's account. Answer a workspace beyond reach exactly as one that doesn't exist.
 * @example
 * ```ts
 * import { type Principal } from '@taskboard/core'
 * import { reaches } from '@taskboard/core/transport'
 *
 * const principal: Principal = {
 *   id: 'user_1',
 *   kind: 'user',
 *   accountId: 'acct_1',
 *   tier: 'custom',
 *   scopes: [],
 *   workspaceIds: ['ws_1'],
 *   defaultWorkspaceId: 'ws_1',
 * }
 * console.log(reaches(principal, { id: 'ws_1', accountId: 'acct_1' })) // true
 * console.log(reaches(principal, { id: 'ws_2', accountId: 'acct_1' })) // false
 * ```
 */
export function reaches(principal: Principal, workspace: Pick<Workspace, 'id' | 'accountId'>): boolean {
  if (workspace.accountId !== principal.accountId) return false
  return principal.workspaceIds === 'all' || principal.workspaceIds.includes(workspace.id)
}
