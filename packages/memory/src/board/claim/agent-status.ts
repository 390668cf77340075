import type { Agent, AgentStatus, Instant } from '@taskboard/core'
import { anyAgentType } from '@taskboard/core/storage'
import type { Database } from '../../tables/database.js'
import type { LeaseIndex } from './lease-index.js'

/** The status of an agent at `now`: see `AgentStatus`. */
export function agentStatus(
  database: Database,
  leases: LeaseIndex,
  { id, type }: Pick<Agent, 'id' | 'type'>,
  now: Instant,
): AgentStatus {
  if (leases.heldBy(id) > 0) return 'busy'
  const isServed = hasRuntime(database, type, now) || isLive(database.tables.workers.get(id), now)
  return isServed ? 'available' : 'offline'
}

/** Whether a runtime of the host works for agents of a type at `now`. */
export function hasRuntime({ tables: { runtimes } }: Database, type: string, now: Instant): boolean {
  return isLive(runtimes.get(type), now) || isLive(runtimes.get(anyAgentType), now)
}

function isLive(until: Instant | undefined, now: Instant): boolean {
  return until !== undefined && until > now
}
