import type { Reach } from '../access/index.js'
import type { Task } from '../board/index.js'
import type { At } from '../environment/index.js'
import type { Created, IdempotencyClaim } from '../idempotency/index.js'
import type { Agent, AgentChange, AgentOverview, AgentStatus, Forecast, NewAgent } from './agent.js'

/** Which agents to list: those after `afterId`, in the order of their ids, which is the order of their creation. */
export interface AgentQuery {
  /** Null for all of the board. */
  readonly reach: Reach | null
  /** Null for all within reach. */
  readonly workspaceId: string | null
  /** Only these ids, as far as they exist; absent for all. */
  readonly agentIds?: readonly string[] | undefined
  readonly limit: number
  readonly afterId: string | null
}

export type ForecastTask = Pick<Task, 'id' | 'workspaceId' | 'assignedTo' | 'lease'>

/** Who works for agents, and for how long from now. */
export type AgentPresenceReport =
  /**
   * A runtime of each of these types; with `liveMs` null, until another report. From this report on, claims for any type (`'*'`) leave
   * agents to the runtime of their own type. They take the agents over with the first report of any runtime after that runtime's time
   * has ended.
   */
  | { readonly agentTypes: readonly string[]; readonly liveMs: number | null }
  /** A worker outside of the runtimes, for one agent. An unknown agent is ignored. */
  | { readonly workspaceId: string; readonly agentId: string; readonly liveMs: number }

/** The agents of all workspaces. Verbs that name an agent throw `NOT_FOUND` when the workspace has none with that id. */
export interface AgentStore<Tx = unknown> {
  /**
   * Adds an agent; the `status` in the answer is its current one.
   * @throws TaskboardError `NOT_FOUND` for an unknown workspace; `CONFLICT` for an idempotency key that was used with another
   *   fingerprint.
   */
  insertAgent(
    insertion: { readonly agent: NewAgent; readonly idempotency: IdempotencyClaim | null },
    at: At<Tx>,
  ): Promise<Created<Agent>>
  /** One agent of any workspace within reach; with null, of the whole board. @throws TaskboardError `NOT_FOUND`. */
  getAgent(
    named: { readonly reach: Reach | null; readonly agentId: string },
    at: At<Tx>,
  ): Promise<AgentOverview>
  /** Agents as stored: those of a workspace, oldest first; or those of the ids that exist, of any workspace, in no order. */
  listAgents(
    which: { readonly workspaceId: string } | { readonly agentIds: readonly string[] },
    at: At<Tx>,
  ): Promise<readonly Agent[]>
  /**
   * The agents within reach, with their current work. The cost does not depend on the number of attempts.
   * @throws TaskboardError `NOT_FOUND` (`workspaceId`) for a workspace that is not within reach.
   */
  surveyAgents(query: AgentQuery, at: At<Tx>): Promise<readonly AgentOverview[]>
  /** Replaces the given fields. */
  updateAgent(
    update: { readonly workspaceId: string; readonly agentId: string; readonly change: AgentChange },
    at: At<Tx>,
  ): Promise<Agent>
  /**
   * Deletes an agent. Tasks in DONE that were assigned to it lose their assignee; attempts keep its id. A concurrent claim may still
   * give it a task.
   * @throws TaskboardError `CONFLICT` while it has a task under lease, or one that is not in DONE is assigned to it.
   */
  deleteAgent(named: { readonly workspaceId: string; readonly agentId: string }, at: At<Tx>): Promise<void>
  /** Sets the status, with `agent.status` in the event log when it differs. Unknown agents are ignored. */
  reportAgentStatus(
    report: { readonly workspaceId: string; readonly agentId: string; readonly status: AgentStatus },
    at: At<Tx>,
  ): Promise<void>
  /** Records who is at work for agents. Their status and the claims for any type depend on it. */
  reportPresence(report: AgentPresenceReport, at: At<Tx>): Promise<void>
  /** One for each task, in their order. */
  readForecasts(tasks: readonly ForecastTask[], at: At<Tx>): Promise<readonly Forecast[]>
}
