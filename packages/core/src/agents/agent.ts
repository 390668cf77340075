import { z } from 'zod'
import { typeRules } from '../board/index.js'
import type { Instant } from '../environment/index.js'
import { boundedList, boundedText, textOf, wholeNumber } from '../errors/index.js'
import type { AgentStatus } from '../events/index.js'
import { resourceFields } from '../fields/index.js'

export type { AgentStatus }

/** In place of a type: a runtime for all agents whose own type no runtime serves. No agent can have it as its type. */
export const anyAgentType = '*'

/** The fields of an agent that people and programs set. `agentFields` declares each of them. */
export interface AgentFields {
  readonly name: string
  /** Names the runtime that does the agent's work. */
  readonly type: string
  /** The identifier of a language model; null for the runtime's own choice. */
  readonly model: string | null
  readonly systemPrompt: string | null
  /** Its strengths, in words for people and programs that assign tasks. */
  readonly capabilities: readonly string[]
  /** The names of tools that the runtime may let it use. */
  readonly tools: readonly string[]
  /** While it is paused it takes no task. It continues the work that it has begun. */
  readonly paused: boolean
  /** How many tasks it works on at the same time, over all processes; null for as many as its runtime takes. */
  readonly maxConcurrent: number | null
}

/** An agent of a workspace, as stored. The host's runtime for its `type` does its work. */
export interface Agent extends AgentFields {
  readonly id: string
  readonly workspaceId: string
  /** The status of the last `agent.status`; `offline` before the first. See `AgentOverview` for the current one. */
  readonly status: AgentStatus
  readonly createdAt: Instant
}

/** An agent with its current work and its success rate. */
export interface AgentOverview extends Agent {
  /** The current status. */
  readonly status: AgentStatus
  /** The tasks under its lease, and those in TODO without a hold that are assigned to it. */
  readonly currentWorkload: number
  /**
   * The part of its last hundred attempts, completed or failed, that was completed: 0 to 1; null before the first. An attempt that was
   * retried or whose lease expired counts as failed. One that was held, returned or revoked doesn't count.
   */
  readonly successRate: number | null
  /** Whether no runtime of the host runs its tasks at present: a program outside of the host has to claim them. */
  readonly isRemote: boolean
  /** The time until which it takes no task because its own or its workspace budget is spent; null while neither is. */
  readonly budgetSpentUntil: Instant | null
  /** Until when it takes no task because the provider of its model couldn't work; null otherwise. */
  readonly restingUntil: Instant | null
}

/** An agent as it is when it is added. */
export type AddedAgent = Agent & Pick<AgentOverview, 'budgetSpentUntil'>

/** A validated agent to add. */
export type NewAgent = AgentFields & Pick<Agent, 'workspaceId'>

/** A validated change: the fields to replace. */
export type AgentChange = Partial<AgentFields>

/** What past attempts say about when a task will be done. */
export interface Forecast {
  readonly taskId: string
  /**
   * The median length in milliseconds of the last twenty attempts that the task's agent (now or by assignment) completed. Without such
   * attempts, the median over all agents of the workspace; null when there are none either.
   */
  readonly typicalMs: number | null
  /**
   * For a task in TODO: how many of the same queue (for the same agent, or for any) come before it. It adds how many tasks its possible
   * agents are running. Counts at most a thousand of each. 0 for other tasks.
   */
  readonly ahead: number
  /** How many of the agents that may take it, and aren't paused, aren't offline. */
  readonly agents: number
  /** The present. */
  readonly asOf: Instant
}

/** How many attempts a success rate covers. */
export const ratedAttempts = 100

/** How many durations a forecast covers. */
export const timedAttempts = 20

/** How many tasks a forecast counts at most. */
export const mostAhead = 1_000

/** The largest `maxConcurrent`: the same as for the concurrency of a runtime. */
const MOST_CONCURRENT = 100_000

const NONE: readonly string[] = Object.freeze([])

const label = textOf({ most: 100, isBlankAllowed: false })

/** Texts without repetition. */
const labels = {
  kind: 'texts',
  schema: boundedList(label, { of: 'texts', most: 100 }).transform((texts) => [...new Set(texts)]),
  empty: NONE,
  description: 'At most 100, each of 1 to 100 characters.',
} as const

/** The declaration of each field of an agent. All that the layers need of a field derives from it. */
export const agentFields = resourceFields<AgentFields>()({
  name: {
    kind: 'text',
    schema: textOf({ most: 100, isBlankAllowed: false }),
    description: '1 to 100 characters.',
  },
  type: {
    kind: 'text',
    schema: z
      .string({ error: 'must be text' })
      .trim()
      .pipe(
        textOf(typeRules).refine(
          (text) => text !== anyAgentType,
          `must not be ${anyAgentType}, which stands for agents of any type`,
        ),
      )
      .meta({ minLength: 1, maxLength: 64 }),
    description:
      '1 to 64 characters. It selects the runtime that works on the agent’s tasks; use `custom` for your own program.',
  },
  model: {
    kind: 'text',
    schema: textOf({ most: 200, isBlankAllowed: false }),
    empty: null,
    description: 'The identifier of a model, at most 200 characters.',
  },
  systemPrompt: {
    kind: 'text',
    schema: boundedText(100_000),
    empty: null,
    description: 'At most 100,000 characters.',
  },
  capabilities: labels,
  tools: labels,
  paused: {
    kind: 'boolean',
    schema: z.boolean(),
    empty: false,
    description: 'While it is paused it takes no task. It continues the work that it has begun.',
  },
  maxConcurrent: {
    kind: 'integer',
    schema: wholeNumber(1, MOST_CONCURRENT),
    empty: null,
    description: 'How many tasks it works on at the same time, 1 to 100,000; null: as its runtime does.',
  },
})

/** What the host gives for a new agent. */
export type NewAgentInput = Parameters<typeof agentFields.parseNew>[0]
/** A change of an agent by the host: the given fields are replaced, and null clears a field that can be empty. */
export type AgentChangeInput = Parameters<typeof agentFields.parseChange>[0]
