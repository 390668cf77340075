/** The columns of a `StoredWebhook`, of the table or expression that `alias` names. */
export function webhookColumns(alias: string): string {
  const a = alias
  return `${a}.id, ${a}.workspace_id as "workspaceId", ${a}.url, ${a}.events, ${a}.secrets, ${a}.enabled,
    ${a}.disabled_reason as "disabledReason", ${a}.failing_since::float8 as "failingSince",
    ${a}.created_at::float8 as "createdAt", ${a}.updated_at::float8 as "updatedAt"`
}

/** A webhook's row as the JSON of a `StoredWebhook`. */
export function webhookJson(alias: string): string {
  const a = alias
  return `jsonb_build_object('id', ${a}.id, 'workspaceId', ${a}.workspace_id, 'url', ${a}.url, 'events', ${a}.events,
    'secrets', ${a}.secrets, 'enabled', ${a}.enabled, 'disabledReason', ${a}.disabled_reason,
    'failingSince', ${a}.failing_since, 'createdAt', ${a}.created_at, 'updatedAt', ${a}.updated_at)`
}
