/** The JSON of a `DeliveryTarget`, of webhook `alias` at the instant `present`. */
export function targetJson(alias: string, present: string): string {
  const a = alias
  return `jsonb_build_object('id', ${a}.id, 'workspaceId', ${a}.workspace_id,
    'accountId', (select o.account_id from taskboard.workspace o where o.id = ${a}.workspace_id), 'url', ${a}.url,
    'secrets', (
      select coalesce(jsonb_agg(s.value -> 'sealed' order by s.ordinality), '[]')
      from jsonb_array_elements(${a}.secrets) with ordinality as s
      where coalesce((s.value ->> 'expiresAt')::bigint > ${present}, true)
    ))`
}
