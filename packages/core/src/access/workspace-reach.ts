import type { Environment, Instant } from '../environment/index.js'
import type { AccessStore } from './access-store.js'
import { reaches } from './permission.js'
import type { Principal } from './principal.js'

/** Determines which workspaces are within a caller's reach. */
export interface WorkspaceReach {
  /**
   * Whether a workspace is within a caller's reach: it belongs to the caller's account and is among the principal's workspaces.
   * Synchronous for a workspace that this process looked up less than a second ago: it may be deleted.
   */
  includes(principal: Principal, workspaceId: string): boolean | Promise<boolean>
  /** Drops the look-ups of all workspaces. Called when this process deletes one. */
  forget(): void
}

export interface WorkspaceReachDeps {
  readonly environment: Environment
  readonly store: Pick<AccessStore, 'listWorkspaces'>
  /** Whether a host makes principals, which may name workspaces of other accounts. The storage's own principals name none. */
  readonly ofHost: boolean
  /** How many workspaces it caches. Default 10,000. */
  readonly cacheSize?: number | undefined
}

const DEFAULT_CACHE_SIZE = 10_000
/** As long as the principals of credentials stay valid. */
const CACHE_TTL_MS = 1_000

/** Caches known workspaces for a moment and evicts the oldest first. Looks up unknown ones each time. */
export function createWorkspaceReach(deps: WorkspaceReachDeps): WorkspaceReach {
  const { environment, store, ofHost, cacheSize = DEFAULT_CACHE_SIZE } = deps
  const { clock } = environment
  const known = new Map<string, { readonly accountId: string; readonly foundAt: Instant }>()

  function peek(workspaceId: string): string | undefined {
    const found = known.get(workspaceId)
    if (found === undefined) return undefined
    const ageMs = clock.now() - found.foundAt
    return ageMs >= 0 && ageMs < CACHE_TTL_MS ? found.accountId : undefined
  }

  async function find(workspaceId: string): Promise<string | undefined> {
    const foundAt = clock.now()
    const [workspace] = await store.listWorkspaces({ workspaceId }, environment.call())
    known.delete(workspaceId)
    if (workspace === undefined) return undefined
    for (const oldest of known.keys()) {
      if (known.size < cacheSize) break
      known.delete(oldest)
    }
    known.set(workspaceId, { accountId: workspace.accountId, foundAt })
    return workspace.accountId
  }

  return {
    includes(principal, workspaceId) {
      const isOf = (accountId: string | undefined): boolean =>
        accountId !== undefined && reaches(principal, { id: workspaceId, accountId })
      // Named by a principal of the storage, so it is of the same account.
      if (!ofHost && workspaceId === principal.defaultWorkspaceId) return isOf(principal.accountId)
      const accountId = peek(workspaceId)
      return accountId === undefined ? find(workspaceId).then(isOf) : isOf(accountId)
    },
    forget: () => known.clear(),
  }
}
