/** The columns of a `Delivery`. `alias` names the table or expression. */
export function deliveryColumns(alias: string): string {
  const a = alias
  return `${a}.id, ${a}.webhook_id as "webhookId", ${a}.workspace_id as "workspaceId", ${a}.event, ${a}.status,
    ${a}.attempt_count as "attemptCount", ${a}.attempts,
    coalesce(${a}.planned_at, ${a}.next_attempt_at)::float8 as "nextAttemptAt",
    ${a}.created_at::float8 as "createdAt"`
}
