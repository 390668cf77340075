import type { Instant } from '../environment/index.js'

/** In the place of a type, that of a runtime for all agents whose own type no runtime serves. No agent has it as its type. */
export const anyAgentType = '*'

/**
 * `busy` while a task is under the agent's lease. Else `available` while somebody works for it: a runtime for its type or for `'*'`,
 * in any process, or a worker outside of the runtimes that claimed for it in the last 60 s (option `remoteWorkerTimeoutMs`). Else
 * `offline`. A runtime whose process ended without a word counts as there for up to 90 s.
 */
export type AgentStatus = 'available' | 'busy' | 'offline'

/** What a runtime is told of the agent that it works for. */
export interface AgentProfile {
  /** The identifier of a language model; null for the runtime's own choice. */
  readonly model: string | null
  readonly systemPrompt: string | null
  /** What it is good for, in words for people and programs that assign tasks. */
  readonly capabilities: readonly string[]
  /** The names of tools that the runtime may let it use. */
  readonly tools: readonly string[]
}

/** An agent of a workspace, as stored. The host's runtime for its `type` does its work. */
export interface Agent extends AgentProfile {
  readonly id: string
  readonly workspaceId: string
  readonly name: string
  readonly type: string
  /** What `agent.status` told last; `offline` before the first. See `AgentOverview` for how it is now. */
  readonly status: AgentStatus
  readonly createdAt: Instant
}

/** An agent with what it does and how well it does it. */
export interface AgentOverview extends Agent {
  /** How it is now. */
  readonly status: AgentStatus
  /** The tasks under its lease, and those in TODO without a hold that are assigned to it. */
  readonly currentWorkload: number
  /**
   * Of its last hundred attempts that were completed or failed, the part that was completed: 0 to 1; null before the first. One
   * that was retried or whose lease expired has failed; one that was held, handed back or taken away does not count.
   */
  readonly successRate: number | null
}

/** What is left out of its profile is empty. */
export type NewAgent = Pick<Agent, 'workspaceId' | 'name' | 'type'> & Partial<AgentProfile>

/** The fields to replace: those that are there. */
export type AgentChange = Partial<AgentProfile & Pick<Agent, 'name' | 'type'>>

/** What the past says of when a task will be done. */
export interface Forecast {
  readonly taskId: string
  /**
   * The median length in milliseconds of the last twenty attempts that the agent completed: the one that works the task, or is to.
   * Where there is none, or it has completed none lately, of those that all agents of the workspace completed; null for none.
   */
  readonly typicalMs: number | null
  /**
   * For a task that waits in TODO: how many of the same queue (those for the same agent, or for any) come before it, and how many
   * those who may take it work on. At most a thousand of each are counted. 0 for other tasks.
   */
  readonly ahead: number
  /** How many of the agents that may take it are not offline. */
  readonly agents: number
  /** The present. */
  readonly asOf: Instant
}

/** How many attempts a success rate looks back on. */
export const ratedAttempts = 100
/** How many durations a forecast looks back on. */
export const timedAttempts = 20
/** How many tasks a forecast counts at most. */
export const mostAhead = 1_000
