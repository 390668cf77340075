import type { RecordClaim } from '../board/index.js'
import type { Environment, Instant } from '../environment/index.js'
import type { AgentStore } from './agent-store.js'

/** How many notes are taken in the time for which one counts. */
const NOTES_PER_TIMEOUT = 12
const MOST_KEPT = 10_000

/**
 * Notes that a worker outside of the runtimes claims for an agent, so that the agent counts as available. A worker claims often,
 * mostly without a task: one claim in `timeoutMs / 12` is noted, so the agent may count as gone that much too early.
 */
export function createClaimRecorder<Tx>(
  { clock }: Environment,
  store: Pick<AgentStore<Tx>, 'reportPresence'>,
  timeoutMs: number,
): RecordClaim<Tx> {
  const leastGapMs = Math.floor(timeoutMs / NOTES_PER_TIMEOUT)
  const notedAt = new Map<string, Instant>()

  return async (workspaceId, agentId, call) => {
    // A note in the host's transaction may be rolled back with it.
    if (call.tx !== undefined) return store.reportPresence({ workspaceId, agentId, liveMs: timeoutMs }, call)
    const key = `${workspaceId} ${agentId}`
    const now = clock.now()
    const last = notedAt.get(key)
    if (last !== undefined && now >= last && now - last < leastGapMs) return
    if (notedAt.size >= MOST_KEPT) notedAt.clear()
    notedAt.set(key, now)
    try {
      await store.reportPresence({ workspaceId, agentId, liveMs: timeoutMs }, call)
    } catch (error) {
      notedAt.delete(key)
      throw error
    }
  }
}
