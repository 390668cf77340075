import type { Reach } from '../access/index.js'
import type { Environment, InTransaction } from '../environment/index.js'
import { LARGEST_PAGE, requireLimit, TaskboardError } from '../errors/index.js'
import type { IdempotencyClaim } from '../idempotency/index.js'
import {
  type AgentChangeInput,
  type AgentFields,
  agentFields,
  type AgentOverview,
  type NewAgentInput,
} from './agent.js'
import type { AgentStore } from './agent-store.js'

export interface AgentFilter {
  /** Only of this workspace. Default: of all within reach. */
  readonly workspaceId?: string | null | undefined
  /** 1 to 1,000, default 100. */
  readonly limit?: number | undefined
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined
}

export interface AgentPage {
  readonly agents: readonly AgentOverview[]
  /** Null on the last page. */
  readonly nextCursor: string | null
}

/**
 * The stored agents of all workspaces. The host's runtime for an agent's `type` does its work, and receives the stored profile.
 * All methods throw `TaskboardError`: `INVALID_FIELD` and `MISSING_FIELD` name the field, `NOT_FOUND` means an unknown id.
 */
export interface Agents<Tx = unknown> {
  /**
   * Adds an agent to a workspace. A retry with the same `idempotency` returns the first one's agent as it was created.
   * @throws TaskboardError `CONFLICT` when the key was used for another request.
   */
  create(
    workspaceId: string,
    input: NewAgentInput,
    options?: InTransaction<Tx> & { readonly idempotency?: IdempotencyClaim | undefined },
  ): Promise<AgentOverview>
  /** The first thousand of a workspace, oldest first. */
  list(workspaceId: string, options?: InTransaction<Tx>): Promise<readonly AgentOverview[]>
  get(workspaceId: string, agentId: string, options?: InTransaction<Tx>): Promise<AgentOverview>
  /** The agent's next run in this process uses the change; in other processes within a second. */
  update(
    workspaceId: string,
    agentId: string,
    change: AgentChangeInput,
    options?: InTransaction<Tx>,
  ): Promise<AgentOverview>
  /**
   * Tasks in DONE that were assigned to it lose their assignee.
   * @throws TaskboardError `CONFLICT` while it works on a task, or a task that isn't in DONE is assigned to it.
   */
  delete(workspaceId: string, agentId: string, options?: InTransaction<Tx>): Promise<void>
  /** Agents of all workspaces within reach, oldest first. A workspace beyond it: `NOT_FOUND` (`workspaceId`). */
  listWithin(reach: Reach, filter?: AgentFilter & InTransaction<Tx>): Promise<AgentPage>
  /** The agents with at most a thousand ids that are within reach, in one round trip and in no order. */
  findAll(
    reach: Reach,
    agentIds: readonly string[],
    options?: InTransaction<Tx>,
  ): Promise<readonly AgentOverview[]>
  /** One agent of any workspace within reach. */
  find(reach: Reach, agentId: string, options?: InTransaction<Tx>): Promise<AgentOverview>
}

/** Further methods for transports: the same for values that a request's schema has validated. */
export interface TransportAgents<Tx = unknown> extends Agents<Tx> {
  createParsed(
    workspaceId: string,
    agent: AgentFields,
    options?: InTransaction<Tx> & { readonly idempotency?: IdempotencyClaim | undefined },
  ): Promise<AgentOverview>
  updateParsed(
    workspaceId: string,
    agentId: string,
    change: Partial<AgentFields>,
    options?: InTransaction<Tx>,
  ): Promise<AgentOverview>
}

export interface AgentsDeps<Tx> {
  readonly environment: Environment
  readonly store: AgentStore<Tx>
  /** Called after the creation, change or deletion of an agent, committed or not. */
  readonly onChanged?: ((agentId: string) => void) | undefined
}

const WORK = ['work'] as const
const DEFAULT_PAGE = 100
const LONGEST_ID = 64

export function createAgents<Tx>(deps: AgentsDeps<Tx>): TransportAgents<Tx> {
  const { environment, store, onChanged } = deps

  async function find(
    reach: Reach | null,
    agentId: string,
    options?: InTransaction<Tx>,
  ): Promise<AgentOverview> {
    const [agent] = await store.listAgents(
      { reach, agentIds: [agentId], parts: WORK },
      environment.call(options),
    )
    if (agent === undefined) throw unknownAgent()
    return agent
  }

  const createParsed: TransportAgents<Tx>['createParsed'] = async (workspaceId, agent, options) => {
    const { value } = await store.insertAgent(
      { agent: { workspaceId, ...agent }, idempotency: options?.idempotency ?? null },
      environment.call(options),
    )
    onChanged?.(value.id)
    // Before its first task, only a runtime makes it available, and it cannot rest.
    const isRemote = value.status === 'offline'
    return { ...value, currentWorkload: 0, successRate: null, isRemote, restingUntil: null }
  }

  const updateParsed: TransportAgents<Tx>['updateParsed'] = async (workspaceId, agentId, change, options) => {
    await store.updateAgent({ workspaceId, agentId, change }, environment.call(options))
    onChanged?.(agentId)
    return find(null, agentId, options)
  }

  return {
    create: (workspaceId, input, options) => createParsed(workspaceId, agentFields.parseNew(input), options),
    createParsed,
    list: (id, options) => {
      // A query without a workspace is for all of the board, and an id from JavaScript may be undefined.
      const workspaceId = (id as string | undefined) ?? ''
      return store.listAgents(
        { reach: null, workspaceId, limit: LARGEST_PAGE, parts: WORK },
        environment.call(options),
      )
    },
    async get(workspaceId, agentId, options) {
      const agent = await find(null, agentId, options)
      if (agent.workspaceId !== workspaceId) throw unknownAgent()
      return agent
    },
    update: (workspaceId, agentId, input, options) =>
      updateParsed(workspaceId, agentId, agentFields.parseChange(input), options),
    updateParsed,
    async delete(workspaceId, agentId, options) {
      await store.deleteAgent({ workspaceId, agentId }, environment.call(options))
      onChanged?.(agentId)
    },
    async listWithin(reach, { workspaceId = null, limit = DEFAULT_PAGE, cursor, tx } = {}) {
      requireLimit(limit)
      const afterId = cursor === undefined ? null : parseCursor(cursor)
      const query = { reach, workspaceId, limit: limit + 1, afterId, parts: WORK }
      const found = await store.listAgents(query, environment.call({ tx }))
      const agents = found.slice(0, limit)
      return { agents, nextCursor: found.length > limit ? (agents.at(-1)?.id ?? null) : null }
    },
    findAll: (reach, agentIds, options) =>
      store.listAgents({ reach, agentIds, limit: LARGEST_PAGE, parts: WORK }, environment.call(options)),
    find,
  }
}

function unknownAgent(): TaskboardError {
  return new TaskboardError('NOT_FOUND', 'no such agent')
}

/** A cursor is the last id of the page before. */
function parseCursor(cursor: string): string {
  if (cursor.length <= LONGEST_ID && /^agent_[0-9a-z]+$/.test(cursor)) return cursor
  throw new TaskboardError('INVALID_FIELD', 'cursor must be the next_cursor of an earlier page', {
    field: 'cursor',
  })
}
