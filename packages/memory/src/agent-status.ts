import type { Agent, AgentStatus, Instant } from '@taskboard/core'
import { anyAgentType } from '@taskboard/core/storage'
import type { Database } from './database.js'
import type { LeaseIndex } from './lease-index.js'

/** The status of an agent at `now`: see `AgentStatus`. */
export function agentStatus(
  { tables }: Database,
  leases: LeaseIndex,
  { id, type }: Pick<Agent, 'id' | 'type'>,
  now: Instant,
): AgentStatus {
  if (leases.heldBy(id) > 0) return 'busy'
  const isLive = (until: Instant | undefined): boolean => until !== undefined && until > now
  const { runtimes, workers } = tables
  const isServed = isLive(runtimes.get(type)) || isLive(runtimes.get(anyAgentType)) || isLive(workers.get(id))
  return isServed ? 'available' : 'offline'
}
