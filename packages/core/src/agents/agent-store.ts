import type { Reach } from '../access/index.js'
import type { Task } from '../board/index.js'
import type { CallContext } from '../environment/index.js'
import type { Created, IdempotencyClaim } from '../idempotency/index.js'
import type {
  AddedAgent,
  Agent,
  AgentChange,
  AgentOverview,
  AgentStatus,
  Forecast,
  NewAgent,
} from './agent.js'

/** The readable part of an agent besides its record: `work` adds the fields of `AgentOverview`, and makes its status current. */
export type AgentPart = 'work'

/** Which agents to list, and what of each. */
export interface AgentQuery<Part extends AgentPart = AgentPart> {
  /** Null for all of the board. */
  readonly reach: Reach | null
  /** Absent or null for all within reach. */
  readonly workspaceId?: string | null | undefined
  /** Only these ids, as far as they exist within reach; absent for all. */
  readonly agentIds?: readonly string[] | undefined
  /** Only those with a greater id. */
  readonly afterId?: string | null | undefined
  /** Absent for any number. */
  readonly limit?: number | undefined
  /** Absent or empty: each agent as stored, with the status that was reported last. */
  readonly parts?: readonly Part[] | undefined
}

/** An agent, with the requested parts. */
export type AgentReading<Part extends AgentPart = never> = [Part] extends [never] ? Agent : AgentOverview

export type ForecastTask = Pick<Task, 'id' | 'workspaceId' | 'assignedTo' | 'lease' | 'type'>

/** The workers of agents, and for how long from now; or who can't work. A report about an unknown agent is ignored. */
export type AgentPresenceReport =
  /**
   * A runtime of each of these types; with `liveMs` null, until another report. From this report on, claims for any type (`'*'`) leave
   * agents to the runtime with their own type. They take over the agents with the first report of any runtime after that runtime's time is over.
   */
  | { readonly agentTypes: readonly string[]; readonly liveMs: number | null }
  /** A worker outside of the runtimes, for one agent. */
  | { readonly workspaceId: string; readonly agentId: string; readonly liveMs: number }
  /**
   * The agent can't work now: no claim gives it a task for so long from now, at most an hour. A longer rest stands. A change of the agent stops it.
   */
  | { readonly workspaceId: string; readonly agentId: string; readonly restMs: number }
  /** The status that the agent's runtime announces: it is stored, with `agent.status` in the event log when it differs. */
  | { readonly workspaceId: string; readonly agentId: string; readonly status: AgentStatus }

/**
 * The agents of all workspaces. Each verb is atomic. `updateAgent` and `deleteAgent` throw `NOT_FOUND` when the workspace has no agent
 * with that id.
 */
export interface AgentStore<Tx = unknown> {
  /**
   * Adds an agent; the `status` in the answer is its current one.
   * @throws TaskboardError `NOT_FOUND` for an unknown workspace; `CONFLICT` for an idempotency key that was used with another
   *   fingerprint.
   */
  insertAgent(
    insertion: { readonly agent: NewAgent; readonly idempotency: IdempotencyClaim | null },
    call: CallContext<Tx>,
  ): Promise<Created<AddedAgent>>
  /**
   * The agents that a query selects, in the order of their ids, which is the order of their creation. Leaves out ids that don't exist or
   * are beyond reach. The cost doesn't depend on the number of attempts.
   * @throws TaskboardError `NOT_FOUND` (`workspaceId`) for a workspace that doesn't exist or isn't within reach.
   */
  listAgents<Part extends AgentPart = never>(
    query: AgentQuery<Part>,
    call: CallContext<Tx>,
  ): Promise<readonly AgentReading<Part>[]>
  /** Replaces the given fields. Returns the agent as stored. */
  updateAgent(
    update: { readonly workspaceId: string; readonly agentId: string; readonly change: AgentChange },
    call: CallContext<Tx>,
  ): Promise<Agent>
  /**
   * Deletes an agent. Tasks in DONE that were assigned to it lose their assignee, with `task.updated` by the system; attempts keep its id. A concurrent claim may still
   * give it a task.
   * @throws TaskboardError `CONFLICT` while it has a task under lease, or one that isn't in DONE is assigned to it.
   */
  deleteAgent(
    named: { readonly workspaceId: string; readonly agentId: string },
    call: CallContext<Tx>,
  ): Promise<void>
  /** Records who is at work for agents, or an agent's status. The current status of agents and the claims for any type depend on it. */
  reportPresence(report: AgentPresenceReport, call: CallContext<Tx>): Promise<void>
  /**
   * Raises `agent.status` for agents of workers outside of the runtimes whose current status differs from their last `agent.status`, for at
   * most `limit`. Concurrent calls raise each change once. Resolves to how many it raised, and whether such an agent is busy or its worker
   * is present. In that case its status can change again by time alone.
   */
  announceAgents(
    sweep: { readonly limit: number },
    call: CallContext<Tx>,
  ): Promise<{ readonly announced: number; readonly isAnyPresent: boolean }>
  /** The forecasts of the tasks: one for each, in their order. Tasks are taken as given, including unknown ones. */
  readForecasts(
    query: { readonly tasks: readonly ForecastTask[] },
    call: CallContext<Tx>,
  ): Promise<readonly Forecast[]>
}
