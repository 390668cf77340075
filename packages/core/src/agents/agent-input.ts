import { z } from 'zod'
import { typeRules } from '../board/index.js'
import { boundedList, boundedText, parseInput, textOf } from '../errors/index.js'
import { anyAgentType, type AgentChange, type AgentProfile, type NewAgent } from './agent.js'

/** Names the runtime that does the agent's work. */
const type = textOf(typeRules).refine(
  (text) => text !== anyAgentType,
  `must not be ${anyAgentType}, which stands for agents of any type`,
)
const name = textOf({ most: 100, isBlankAllowed: false })
const label = textOf({ most: 100, isBlankAllowed: false })
const labels = boundedList(label, { of: 'texts', most: 100 })

const profile = {
  model: textOf({ most: 200, isBlankAllowed: false }).nullish(),
  systemPrompt: boundedText(100_000).nullish(),
  capabilities: labels.nullish(),
  tools: labels.nullish(),
}

/** An agent as a host gives it. */
export const newAgentInput = z.object({ name, type, ...profile })

/** A change of an agent. Null clears a field that can be empty. */
export const agentChangeInput = z.object({ name: name.optional(), type: type.optional(), ...profile })

const NONE: readonly string[] = Object.freeze([])

/** The default profile: no model, no prompt, no capabilities and no tools. */
export const emptyProfile: AgentProfile = Object.freeze({
  model: null,
  systemPrompt: null,
  capabilities: NONE,
  tools: NONE,
})

/**
 * Checks an agent to add, and fills in the defaults.
 * @throws TaskboardError `MISSING_FIELD` or `INVALID_FIELD`, naming the field.
 */
export function readNewAgent(input: z.input<typeof newAgentInput>): Omit<Required<NewAgent>, 'workspaceId'> {
  const { model, systemPrompt, capabilities, tools, ...named } = parseInput(newAgentInput, input)
  return {
    ...named,
    model: model ?? null,
    systemPrompt: systemPrompt ?? null,
    capabilities: unique(capabilities),
    tools: unique(tools),
  }
}

/**
 * Checks a change of an agent. A field that is present replaces the stored one.
 * @throws TaskboardError `INVALID_FIELD`, naming the field.
 */
export function readAgentChange(input: z.input<typeof agentChangeInput>): AgentChange {
  const { model, systemPrompt, capabilities, tools, ...named } = parseInput(agentChangeInput, input)
  return {
    ...(named.name === undefined ? {} : { name: named.name }),
    ...(named.type === undefined ? {} : { type: named.type }),
    ...(model === undefined ? {} : { model }),
    ...(systemPrompt === undefined ? {} : { systemPrompt }),
    ...(capabilities === undefined ? {} : { capabilities: unique(capabilities) }),
    ...(tools === undefined ? {} : { tools: unique(tools) }),
  }
}

function unique(texts: readonly string[] | null | undefined): readonly string[] {
  return texts == null ? NONE : [...new Set(texts)]
}
