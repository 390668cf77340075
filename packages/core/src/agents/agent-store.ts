import type { Reach } from '../access/index.js'
import type { Task } from '../board/index.js'
import type { At } from '../environment/index.js'
import type { Created, IdempotencyClaim } from '../idempotency/index.js'
import type { Agent, AgentChange, AgentOverview, AgentStatus, Forecast, NewAgent } from './agent.js'

/** Which agents are asked for: those after `afterId`, in the order of their ids, which is that of their ages. */
export interface AgentQuery {
  /** Null for all of the board. */
  readonly reach: Reach | null
  /** Null for all within reach. */
  readonly workspaceId: string | null
  /** Only those of these that there are; absent for all. */
  readonly agentIds?: readonly string[] | undefined
  readonly limit: number
  readonly afterId: string | null
}

export type ForecastTask = Pick<Task, 'id' | 'workspaceId' | 'assignedTo' | 'lease'>

/** Who works for agents, and for how long from now. */
export type AgentPresenceReport =
  /**
   * A runtime of each of these types; `liveMs` null for as long as nothing else is reported. Claims for any type (`'*'`) leave agents to
   * the runtime of their own type from this report of it on, and take them over with the first report of any runtime after that one's
   * time is over.
   */
  | { readonly agentTypes: readonly string[]; readonly liveMs: number | null }
  /** Somebody outside of the runtimes, for one agent. An unknown agent is ignored. */
  | { readonly workspaceId: string; readonly agentId: string; readonly liveMs: number }

/** The agents of all workspaces. Verbs that name an agent throw `NOT_FOUND` when the workspace has none with that id. */
export interface AgentStore<Tx = unknown> {
  /**
   * Adds an agent; the `status` of the answer is how the agent is now.
   * @throws TaskboardError `NOT_FOUND` for an unknown workspace; `CONFLICT` for an idempotency key that was used with another
   *   fingerprint.
   */
  insertAgent(
    insertion: { readonly agent: NewAgent; readonly idempotency: IdempotencyClaim | null },
    at: At<Tx>,
  ): Promise<Created<Agent>>
  /** One agent of any workspace within reach, all of the board for null. @throws TaskboardError `NOT_FOUND`. */
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
   * The agents within reach, with what they do. What it costs does not grow with the number of attempts.
   * @throws TaskboardError `NOT_FOUND` (`workspaceId`) for a workspace that is not within reach.
   */
  surveyAgents(query: AgentQuery, at: At<Tx>): Promise<readonly AgentOverview[]>
  /** Replaces the fields that the change has. */
  updateAgent(
    update: { readonly workspaceId: string; readonly agentId: string; readonly change: AgentChange },
    at: At<Tx>,
  ): Promise<Agent>
  /**
   * Deletes an agent. Tasks in DONE that were assigned to it are assigned to nobody then; attempts keep its id. A claim of the very
   * same moment may still give it a task.
   * @throws TaskboardError `CONFLICT` while it has a task under lease, or one that is not in DONE is assigned to it.
   */
  deleteAgent(named: { readonly workspaceId: string; readonly agentId: string }, at: At<Tx>): Promise<void>
  /** Sets the status, with `agent.status` in the event log when it differs. Unknown agents are ignored. */
  reportAgentStatus(
    report: { readonly workspaceId: string; readonly agentId: string; readonly status: AgentStatus },
    at: At<Tx>,
  ): Promise<void>
  /** Notes who is at work for agents, from which their status and the claims for any type follow. */
  reportPresence(report: AgentPresenceReport, at: At<Tx>): Promise<void>
  /** In the order of the tasks, one each. */
  readForecasts(tasks: readonly ForecastTask[], at: At<Tx>): Promise<readonly Forecast[]>
}
