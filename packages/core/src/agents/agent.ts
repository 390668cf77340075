import { z } from 'zod'
import { typeRules } from '../board/index.js'
import type { Instant } from '../environment/index.js'
import { boundedList, boundedText, parseInput, textOf, wholeNumber } from '../errors/index.js'
import type { AgentStatus } from '../events/index.js'

export type { AgentStatus }

/** In place of a type: a runtime for all agents whose own type no runtime serves. No agent can have it as its type. */
export const anyAgentType = '*'

/** The profile of an agent: what its runtime gets, and how much it takes. */
export interface AgentProfile {
  /** The identifier of a language model; null for the runtime's own choice. */
  readonly model: string | null
  readonly systemPrompt: string | null
  /** What it is good at, in words for people and programs that assign tasks. */
  readonly capabilities: readonly string[]
  /** The names of tools that the runtime may let it use. */
  readonly tools: readonly string[]
  /** While it is paused it takes no task. What it works goes on. */
  readonly paused: boolean
  /** How many tasks it works at once, over all processes; null for as many as its runtime takes. */
  readonly maxConcurrent: number | null
}

/** An agent of a workspace, as stored. The host's runtime for its `type` does its work. */
export interface Agent extends AgentProfile {
  readonly id: string
  readonly workspaceId: string
  readonly name: string
  readonly type: string
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
   * retried or whose lease expired counts as failed. One that was held, returned or revoked does not count.
   */
  readonly successRate: number | null
  /** Whether no runtime of the host runs its tasks at present: a program outside of the host has to claim them. */
  readonly isRemote: boolean
  /** Until when it takes no task because its budget, or that of its workspace, is spent; null while neither is. */
  readonly budgetSpentUntil: Instant | null
  /** Until when it takes no task because the provider of its model could not work; null otherwise. */
  readonly restingUntil: Instant | null
}

/** An agent as it is when it is added. */
export type AddedAgent = Agent & Pick<AgentOverview, 'budgetSpentUntil'>

/** Omitted fields of its profile are empty. */
export type NewAgent = Pick<Agent, 'workspaceId' | 'name' | 'type'> & Partial<AgentProfile>

/** The fields to replace. */
export type AgentChange = Partial<AgentProfile & Pick<Agent, 'name' | 'type'>>

/** What past attempts say about when a task will be done. */
export interface Forecast {
  readonly taskId: string
  /**
   * The median length in milliseconds of the last twenty attempts that the task's agent (now or by assignment) completed. Without such
   * attempts, the median over all agents of the workspace; null when there are none either.
   */
  readonly typicalMs: number | null
  /**
   * For a task in TODO: how many of the same queue (for the same agent, or for any) come before it, plus how many tasks its possible
   * agents work on. Counts at most a thousand of each. 0 for other tasks.
   */
  readonly ahead: number
  /** How many of the agents that may take it, and are not paused, are not offline. */
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

/** Names the runtime that does the agent's work. */
const type = z
  .string({ error: 'must be text' })
  .trim()
  .pipe(
    textOf(typeRules).refine(
      (text) => text !== anyAgentType,
      `must not be ${anyAgentType}, which stands for agents of any type`,
    ),
  )

/** The largest `maxConcurrent`: that of a runtime's concurrency. */
const MOST_CONCURRENT = 100_000

const name = textOf({ most: 100, isBlankAllowed: false })

const label = textOf({ most: 100, isBlankAllowed: false })

const labels = boundedList(label, { of: 'texts', most: 100 })

const profile = {
  model: textOf({ most: 200, isBlankAllowed: false }).nullish(),
  systemPrompt: boundedText(100_000).nullish(),
  capabilities: labels.nullish(),
  tools: labels.nullish(),
  paused: z.boolean().nullish(),
  maxConcurrent: wholeNumber(1, MOST_CONCURRENT).nullish(),
}

/** An agent as a host gives it. */
export const newAgentInput = z.strictObject({ name, type, ...profile })

/** A change of an agent. Null clears a field that can be empty. */
export const agentChangeInput = z.strictObject({ name: name.optional(), type: type.optional(), ...profile })

const NONE: readonly string[] = Object.freeze([])

/** The default profile: no model, no prompt, no capabilities, no tools and no bounds. */
export const emptyProfile: AgentProfile = Object.freeze({
  model: null,
  systemPrompt: null,
  capabilities: NONE,
  tools: NONE,
  paused: false,
  maxConcurrent: null,
})

/**
 * Checks an agent to add, and fills in the defaults.
 * @throws TaskboardError `MISSING_FIELD` or `INVALID_FIELD`, naming the field.
 */
export function parseNewAgent(input: z.input<typeof newAgentInput>): Omit<Required<NewAgent>, 'workspaceId'> {
  const { name: given, type: kind, ...profiled } = parseInput(newAgentInput, input)
  return { name: given, type: kind, ...emptyProfile, ...parseProfile(profiled) }
}

/**
 * Checks a change of an agent. A field that is present replaces the stored one.
 * @throws TaskboardError `INVALID_FIELD`, naming the field.
 */
export function parseAgentChange(input: z.input<typeof agentChangeInput>): AgentChange {
  const { name: given, type: kind, ...profiled } = parseInput(agentChangeInput, input)
  return {
    ...(given === undefined ? {} : { name: given }),
    ...(kind === undefined ? {} : { type: kind }),
    ...parseProfile(profiled),
  }
}

type ProfileInput = z.output<z.ZodObject<typeof profile>>

/** The fields that are given, with null as the empty value. */
function parseProfile(input: ProfileInput): Partial<AgentProfile> {
  const { model, systemPrompt, capabilities, tools, paused, maxConcurrent } = input
  return {
    ...(model === undefined ? {} : { model }),
    ...(systemPrompt === undefined ? {} : { systemPrompt }),
    ...(capabilities === undefined ? {} : { capabilities: unique(capabilities) }),
    ...(tools === undefined ? {} : { tools: unique(tools) }),
    ...(paused === undefined ? {} : { paused: paused ?? false }),
    ...(maxConcurrent === undefined ? {} : { maxConcurrent }),
  }
}

function unique(texts: readonly string[] | null | undefined): readonly string[] {
  return texts == null ? NONE : [...new Set(texts)]
}
