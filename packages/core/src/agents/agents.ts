import { z } from 'zod'
import type { At, Environment } from '../environment/index.js'
import { parseInput, textOf } from '../errors/index.js'
import type { Agent, AgentStore } from './agent.js'

interface InTransaction<Tx> {
  /** The host's open transaction to take part in. */
  readonly tx?: Tx | undefined
}

/** The stored agents of all workspaces. The host's runtime for an agent's `type` does its work. */
export interface Agents<Tx = unknown> {
  /**
   * Gives a workspace one more agent.
   * @throws TaskboardError `MISSING_FIELD` or `INVALID_FIELD` naming the field, `NOT_FOUND` for an unknown workspace.
   */
  create(
    workspaceId: string,
    input: { name: string; type: string },
    options?: InTransaction<Tx>,
  ): Promise<Agent>
  /** Oldest first. */
  list(workspaceId: string): Promise<readonly Agent[]>
  /** @throws TaskboardError `NOT_FOUND`. */
  get(workspaceId: string, agentId: string): Promise<Agent>
}

const newAgentInput = z.object({
  name: textOf({ most: 100, isBlankAllowed: false }),
  type: z.string().regex(/^[a-z0-9][a-z0-9_-]{0,63}$/, 'must be a slug of a-z, 0-9, - and _'),
})

export function createAgents<Tx>(parts: { environment: Environment; store: AgentStore<Tx> }): Agents<Tx> {
  const { environment, store } = parts
  const at = (options?: InTransaction<Tx>): At<Tx> => ({ now: environment.storageNow(), tx: options?.tx })
  return {
    async create(workspaceId, input, options) {
      return store.insertAgent({ workspaceId, ...parseInput(newAgentInput, input) }, at(options))
    },
    list: (workspaceId) => store.listAgents(workspaceId, at()),
    get: (workspaceId, agentId) => store.getAgent(workspaceId, agentId, at()),
  }
}
