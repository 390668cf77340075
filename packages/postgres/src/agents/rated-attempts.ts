import { ratedAttempts, timedAttempts } from '@taskboard/core/storage'

/** A query of the agent's last attempts that were completed or failed. */
export function ratedAttemptsOf(agentId: string): string {
  return /* sql */ `
    select e.outcome, e.started_at, e.ended_at from taskboard.attempt e
    where e.agent_id = ${agentId} and e.outcome in ('completed', 'failed', 'retried', 'expired')
    order by e.ended_at desc limit ${ratedAttempts}`
}

/** Those of them that were completed, the last few. */
export function timedAttemptsOf(agentId: string): string {
  return /* sql */ `
    select r.started_at, r.ended_at from (${ratedAttemptsOf(agentId)}) r
    where r.outcome = 'completed' order by r.ended_at desc limit ${timedAttempts}`
}
