/** The columns of an `Agent`, of the table or expression that `alias` names, with the stored status or `status` in its place. */
export function agentColumns(alias: string, status = `${alias}.status`): string {
  const a = alias
  return `${a}.id, ${a}.workspace_id as "workspaceId", ${a}.name, ${a}.type, ${a}.model, ${a}.system_prompt as "systemPrompt",
    ${a}.capabilities, ${a}.tools, ${status} as status, ${a}.created_at::float8 as "createdAt"`
}

/** How the agent that `alias` names is at the instant `present`: see `AgentStatus`. */
export function agentStatus(alias: string, present: string): string {
  return /* sql */ `case
    when exists (select from taskboard.task t where t.lease_agent_id = ${alias}.id) then 'busy'
    when ${isServed(alias, present)} then 'available'
    else 'offline' end`
}

/** Whether a runtime, or somebody outside of all runtimes, works for the agent. */
export function isServed(alias: string, present: string): string {
  return /* sql */ `(coalesce(${alias}.worked_until > ${present}, false) or exists (
      select from taskboard.agent_runtime r
      where r.type in (${alias}.type, '*') and r.live_until > ${present}
    ))`
}
