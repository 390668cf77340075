import { z } from 'zod'
import { boundedText, textOf } from '../errors/index.js'
import type { AgentChange, AgentProfile } from './agent.js'

/** Slug of a-z, 0-9, `-` and `_`, at most 64 characters: which runtime works the agent. */
const type = z
  .string({ error: 'must be text' })
  .regex(/^[a-z0-9][a-z0-9_-]{0,63}$/, 'must be a slug of a-z, 0-9, - and _')
const name = textOf({ most: 100, isBlankAllowed: false })
const label = textOf({ most: 100, isBlankAllowed: false })
const labels = z.array(label, { error: 'must be a list of texts' }).max(100, 'must be at most 100')

const profile = {
  model: textOf({ most: 200, isBlankAllowed: false }).nullish(),
  systemPrompt: boundedText(100_000).nullish(),
  capabilities: labels.nullish(),
  tools: labels.nullish(),
}

/** An agent as a host gives it. */
export const newAgentInput = z.object({ name, type, ...profile })

/** A change of an agent: null empties what can be empty. */
export const agentChangeInput = z.object({ name: name.optional(), type: type.optional(), ...profile })

const NONE: readonly string[] = Object.freeze([])

/** The profile of what was left out: no model, no prompt, no capabilities and no tools. */
export const emptyProfile: AgentProfile = Object.freeze({
  model: null,
  systemPrompt: null,
  capabilities: NONE,
  tools: NONE,
})

export function toNewAgent(input: z.output<typeof newAgentInput>) {
  const { model, systemPrompt, capabilities, tools } = input
  return {
    name: input.name,
    type: input.type,
    model: model ?? null,
    systemPrompt: systemPrompt ?? null,
    capabilities: unique(capabilities),
    tools: unique(tools),
  }
}

export function toAgentChange(input: z.output<typeof agentChangeInput>): AgentChange {
  const { model, systemPrompt, capabilities, tools } = input
  return {
    ...(input.name === undefined ? {} : { name: input.name }),
    ...(input.type === undefined ? {} : { type: input.type }),
    ...(model === undefined ? {} : { model }),
    ...(systemPrompt === undefined ? {} : { systemPrompt }),
    ...(capabilities === undefined ? {} : { capabilities: unique(capabilities) }),
    ...(tools === undefined ? {} : { tools: unique(tools) }),
  }
}

function unique(texts: readonly string[] | null | undefined): readonly string[] {
  return texts == null ? NONE : [...new Set(texts)]
}
