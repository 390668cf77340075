/** The columns of a `LoggedEvent`. `alias` names the table or expression. */
export function eventColumns(alias: string): string {
  const a = alias
  return `${a}.type, ${a}.facts as data, ${a}.id, ${a}.workspace_id as "workspaceId", ${a}.seq::float8, ${a}.at::float8,
    ${a}.payload_version as "payloadVersion"`
}
