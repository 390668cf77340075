/** The condition that a key is within reach. `account` and `workspaces` are the parameters of `reachValues`. */
export function keyWithinReach(alias: string, account: string, workspaces: string): string {
  return `(${alias}.account_id = ${account}::text
    and (${workspaces}::text[] is null or ${alias}.workspace_id = any (${workspaces}::text[])))`
}

/** A reach as two parameters: the account, and its workspaces or null for all. */
export function reachValues({ accountId, workspaceIds }: Reach): readonly [string, readonly string[] | null] {
  return [accountId, workspaceIds === 'all' ? null : workspaceIds]
}

/** The condition that workspace `alias` is within reach. Its values are the parameter number `first` and the next one. */
export function withinReach(alias: string, first: number): string {
  return `${alias}.account_id = $${first}::text and ($${first + 1}::text[] is null or ${alias}.id = any ($${first + 1}::text[]))`
}
import type { Reach } from '@taskboard/core'
