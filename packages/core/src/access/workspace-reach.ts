import type { Environment } from '../environment/index.js'
import type { AccessStore } from './access-store.js'
import { reaches } from './permission.js'
import type { Principal } from './principal.js'

/** Determines which workspaces are within a caller's reach. */
export interface WorkspaceReach {
  /**
   * Whether a workspace is within a caller's reach: it belongs to the caller's account and is among the principal's workspaces.
   * Synchronous for a workspace whose account this process knows. The account is looked up once, because it never changes.
   */
  includes(principal: Principal, workspaceId: string): boolean | Promise<boolean>
}

export interface WorkspaceReachParts {
  readonly environment: Environment
  readonly store: Pick<AccessStore, 'listWorkspaces'>
  /** Whether a host makes principals, which may name workspaces of other accounts. The storage's own principals name none. */
  readonly ofHost: boolean
  /** How many workspaces it caches. Default 10,000. */
  readonly cacheSize?: number | undefined
}

const DEFAULT_CACHE_SIZE = 10_000

/** Caches known workspaces and evicts the oldest first. Looks up unknown ones each time. */
export function createWorkspaceReach(parts: WorkspaceReachParts): WorkspaceReach {
  const { environment, store, ofHost, cacheSize = DEFAULT_CACHE_SIZE } = parts
  const accountIds = new Map<string, string>()

  async function find(workspaceId: string): Promise<string | undefined> {
    const [workspace] = await store.listWorkspaces({ workspaceId }, { now: environment.storageNow() })
    if (workspace === undefined) return undefined
    for (const oldest of accountIds.keys()) {
      if (accountIds.size < cacheSize) break
      accountIds.delete(oldest)
    }
    accountIds.set(workspaceId, workspace.accountId)
    return workspace.accountId
  }

  return {
    includes(principal, workspaceId) {
      const isOf = (accountId: string | undefined): boolean =>
        accountId !== undefined && reaches(principal, { id: workspaceId, accountId })
      // Named by a principal of the storage, so it is of the same account.
      if (!ofHost && workspaceId === principal.defaultWorkspaceId) return isOf(principal.accountId)
      const known = accountIds.get(workspaceId)
      return known === undefined ? find(workspaceId).then(isOf) : isOf(known)
    },
  }
}
