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
