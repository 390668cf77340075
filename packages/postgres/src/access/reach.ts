import type { Reach } from '@taskboard/core/storage'

/** The condition that workspace `alias` is within reach. Its values are the parameter number `first` and the next one. */
export function withinReach(alias: string, first: number): string {
  return `${alias}.account_id = $${first}::text and ($${first + 1}::text[] is null or ${alias}.id = any ($${first + 1}::text[]))`
}

/** The two values of `withinReach`. */
export function reachValues({ accountId, workspaceIds }: Reach): readonly [string, readonly string[] | null] {
  return [accountId, workspaceIds === 'all' ? null : workspaceIds]
}
