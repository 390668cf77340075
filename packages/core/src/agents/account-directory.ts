import type { AccessStore } from '../access/index.js'
import { tracked, type Environment } from '../environment/index.js'

/** The accounts of workspaces, for runs. */
export interface AccountDirectory {
  /** The id of the account; null when the workspace was deleted. Synchronous when it is known: a workspace never changes its account. */
  accountOf(workspaceId: string): string | Promise<string | null>
}

const MOST_KEPT = 10_000

/** Looks up each workspace once, including for runs that ask at the same time. */
export function createAccountDirectory<Tx>(
  environment: Environment,
  store: Pick<AccessStore<Tx>, 'listWorkspaces'>,
): AccountDirectory {
  const known = new Map<string, string>()
  const lookups = new Map<string, Promise<string | null>>()

  async function find(workspaceId: string): Promise<string | null> {
    try {
      const [workspace] = await store.listWorkspaces({ workspaceId }, environment.call())
      if (workspace === undefined) return null
      if (known.size >= MOST_KEPT) known.clear()
      known.set(workspaceId, workspace.accountId)
      return workspace.accountId
    } finally {
      lookups.delete(workspaceId)
    }
  }

  return {
    accountOf(workspaceId) {
      const accountId = known.get(workspaceId)
      if (accountId !== undefined) return accountId
      const lookup =
        lookups.get(workspaceId) ?? tracked(environment.clock, 'account-lookup', () => find(workspaceId))
      lookups.set(workspaceId, lookup)
      return lookup
    },
  }
}
