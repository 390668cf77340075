import type { Environment, Instant } from '../environment/index.js'
import type { Agent } from './agent.js'
import type { AgentStore } from './agent-store.js'

/**
 * The agents of the current runs, as stored. Concurrent lookups share a statement. An entry stays valid for a second, or until this
 * process changes the agent.
 */
export interface AgentDirectory {
  /** The agent; null for one that was deleted. Synchronous when it is cached. */
  get(agentId: string): Agent | Promise<Agent | null>
  /** Drops the cached entry of an agent. */
  forget(agentId: string): void
}

const TRUSTED_MS = 1_000
const MOST_KEPT = 10_000

interface Entry {
  readonly agent: Agent
  readonly readAt: Instant
}

interface Lookup {
  readonly ids: Set<string>
  readonly found: Promise<ReadonlyMap<string, Agent>>
}

export function createAgentDirectory<Tx>(
  environment: Environment,
  store: Pick<AgentStore<Tx>, 'listAgents'>,
): AgentDirectory {
  const { clock } = environment
  const entries = new Map<string, Entry>()
  /** Changes in this process since its start: a lookup that began before one may be stale. */
  let changes = 0
  let waiting: Lookup | null = null

  function join(agentId: string): Lookup {
    waiting ??= begin()
    waiting.ids.add(agentId)
    return waiting
  }

  function begin(): Lookup {
    const ids = new Set<string>()
    return { ids, found: Promise.resolve().then(() => look(ids)) }
  }

  async function look(ids: ReadonlySet<string>): Promise<ReadonlyMap<string, Agent>> {
    waiting = null
    const readAt = clock.now()
    const before = changes
    const query = { reach: null, agentIds: [...ids] }
    const agents = await store.listAgents(query, environment.call())
    if (before === changes) for (const agent of agents) keep(agent, readAt)
    return new Map(agents.map((agent) => [agent.id, agent]))
  }

  function keep(agent: Agent, readAt: Instant): void {
    if (entries.size >= MOST_KEPT) entries.clear()
    entries.set(agent.id, { agent, readAt })
  }

  return {
    get(agentId) {
      const known = entries.get(agentId)
      // When the clock stepped back to before the lookup, the entry does not stay valid for longer.
      const ageMs = known === undefined ? NaN : clock.now() - known.readAt
      if (known !== undefined && ageMs >= 0 && ageMs < TRUSTED_MS) return known.agent
      return join(agentId).found.then((found) => found.get(agentId) ?? null)
    },
    forget(agentId) {
      changes += 1
      entries.delete(agentId)
    },
  }
}
