/** The columns of an `Agent`, with `status` in the place of the stored status if given. `alias` names the table or expression. */
export function agentColumns(alias: string, status = `${alias}.status`): string {
  const a = alias
  return `${a}.id, ${a}.workspace_id as "workspaceId", ${a}.name, ${a}.type, ${a}.model, ${a}.system_prompt as "systemPrompt",
    ${a}.capabilities, ${a}.tools, ${a}.paused, ${a}.max_concurrent as "maxConcurrent", ${status} as status, ${a}.created_at::float8 as "createdAt"`
}

/** The column `budgetSpentUntil` of agent `alias` at the instant `present`: see `AgentOverview`. */
export function budgetSpentUntil(alias: string, present: string): string {
  return `case when ${alias}.spent_until > ${present} then ${alias}.spent_until::float8 end as "budgetSpentUntil"`
}

/** The status of agent `alias` at the instant `present`: see `AgentStatus`. */
export function agentStatus(alias: string, present: string): string {
  return /* sql */ `case
    when exists (select from taskboard.task t where t.lease_agent_id = ${alias}.id) then 'busy'
    when ${isServed(alias, present)} then 'available'
    else 'offline' end`
}

/** Whether a runtime, or a worker outside all runtimes, works for the agent. */
export function isServed(alias: string, present: string): string {
  return /* sql */ `(coalesce(${alias}.worked_until > ${present}, false) or ${hasRuntime(alias, present)})`
}

/** Whether a runtime of the host works for the agent. */
export function hasRuntime(alias: string, present: string): string {
  return /* sql */ `exists (
      select from taskboard.agent_runtime r
      where r.type in (${alias}.type, '*') and r.live_until > ${present}
    )`
}
