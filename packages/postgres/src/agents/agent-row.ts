import { agentFields } from '@taskboard/core/storage'
import { resourceColumns } from '../database/resource-columns.js'

export const fieldColumns = resourceColumns(agentFields.fields)

/** The columns of an `Agent`, with `status` in the place of the stored status if given. `alias` names the table or expression. */
export function agentColumns(alias: string, status = `${alias}.status`): string {
  const a = alias
  return `${a}.id, ${a}.workspace_id as "workspaceId", ${fieldColumns.read(a)}, ${status} as status, ${a}.created_at::float8 as "createdAt"`
}

/** The column `budgetSpentUntil` of agent `alias` at the instant `present`: see `AgentOverview`. */
export function budgetSpentUntil(alias: string, present: string): string {
  return `case when ${alias}.spent_until > ${present} then ${alias}.spent_until::float8 end as "budgetSpentUntil"`
}
