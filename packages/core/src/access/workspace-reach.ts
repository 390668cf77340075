import type { Environment } from '../environment/index.js'
import type { AccessStore } from './access-store.js'
import { reaches } from './permission.js'
import type { Principal } from './principal.js'

/** Tells which workspaces a caller reaches. */
export interface WorkspaceReach {
  /**
   * Whether a workspace is within a caller's reach: one of its account, and of those that it names. Immediate for a workspace whose
   * account is known in this process, which is looked up once, since workspaces stay with their account.
   */
  includes(principal: Principal, workspaceId: string): boolean | Promise<boolean>
}

export interface WorkspaceReachParts {
  readonly environment: Environment
  readonly store: Pick<AccessStore, 'getWorkspace'>
  /** Whether a host makes principals, which may name workspaces of other accounts. The storage's own name none. */
  readonly ofHost: boolean
  /** How many workspaces are remembered. Default 10,000. */
  readonly cacheSize?: number | undefined
}

const DEFAULT_CACHE_SIZE = 10_000

/** Remembers what it finds, oldest first to go; unknown workspaces are looked up each time. */
export function createWorkspaceReach(parts: WorkspaceReachParts): WorkspaceReach {
  const { environment, store, ofHost, cacheSize = DEFAULT_CACHE_SIZE } = parts
  const accountIds = new Map<string, string>()

  async function find(workspaceId: string): Promise<string | undefined> {
    const workspace = await store.getWorkspace(workspaceId, { now: environment.storageNow() })
    if (workspace === null) return undefined
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
      // Named by a principal of the storage's, it is of the same account.
      if (!ofHost && workspaceId === principal.defaultWorkspaceId) return isOf(principal.accountId)
      const known = accountIds.get(workspaceId)
      return known === undefined ? find(workspaceId).then(isOf) : isOf(known)
    },
  }
}
