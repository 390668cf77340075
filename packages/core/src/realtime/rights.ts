import type { Principal } from '../access/index.js'

/** Whether two credentials have the same rights. */
export function hasSameRights(before: Principal, after: Principal): boolean {
  return before === after || rightsOf(before) === rightsOf(after)
}

function rightsOf({ accountId, scopes, workspaceIds }: Principal): string {
  return JSON.stringify([
    accountId,
    scopes.toSorted(),
    workspaceIds === 'all' ? null : workspaceIds.toSorted(),
  ])
}
