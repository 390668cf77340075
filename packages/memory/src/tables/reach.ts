import type { Reach } from '@taskboard/core'
import type { Database } from './database.js'

/** Whether a workspace is among those that a caller sees. */
export function isWithin(
  { tables }: Database,
  { accountId, workspaceIds }: Reach,
  workspaceId: string,
): boolean {
  if (tables.workspaces.get(workspaceId)?.accountId !== accountId) return false
  return workspaceIds === 'all' || workspaceIds.includes(workspaceId)
}
