import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { aiAgent } from '@taskboard/ai'
import type { AgentDefinition } from '@taskboard/core'
import type { ModelSettings } from './settings.js'

/** An agent that works on tasks of every type by a language model: the stored agent's own, or the one of the settings. */
export function modelAgent({ url, name, key }: ModelSettings): AgentDefinition {
  const provider = createOpenAICompatible({
    name: 'demo',
    baseURL: url,
    includeUsage: true,
    ...(key !== null && { apiKey: key }),
  })
  return aiAgent({ name: 'Model agent', streaming: true, model: (agent) => provider(agent.model ?? name) })
}
