import type { Account } from '../access/index.js'
import type { Environment } from '../environment/index.js'
import type { Storage } from '../storage/index.js'

/** The account that has a workspace; undefined for a workspace that is gone. */
export async function findAccount<Tx>(
  {
    environment,
    storage,
  }: { readonly environment: Environment; readonly storage: Pick<Storage<Tx>, 'access'> },
  workspaceId: string,
): Promise<Account | undefined> {
  const [workspace] = await storage.access.listWorkspaces({ workspaceId }, environment.call())
  if (workspace === undefined) return undefined
  const { accountId } = workspace
  const [account] = await storage.access.listAccounts({ accountId }, environment.call())
  return account
}
