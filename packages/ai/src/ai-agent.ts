import { defineAgent, type AgentDefinition } from '@taskboard/core'
import { parseAiAgentOptions, type AiAgentOptions } from './ai-agent-options.js'
import { answerChat } from './chat.js'
import { workTask } from './work-task.js'

/**
 * An agent for `createTaskboard` that works on tasks by a language model. The stored agent decides. Its `model` picks the model, through
 * your function, and its `systemPrompt` leads the prompt. Its `tools` names the tools of yours that it can call.
 *
 * A tool with `needsApproval` is called when a person has approved that call on the board. Usage is reported after each call of the model, so that
 * budgets hold. The model gets the task content as data, between marks that no text of the task can contain.
 * @throws TaskboardError `INVALID_CONFIG` naming the field.
 * @example
 * ```ts
 * import { aiAgent } from '@taskboard/ai'
 * import { createTaskboard } from '@taskboard/core'
 * import { memoryStorage } from '@taskboard/memory'
 * import { MockLanguageModelV3 } from 'ai/test'
 *
 * const agent = aiAgent({ model: () => new MockLanguageModelV3() })
 * const taskboard = createTaskboard({ storage: memoryStorage(), agents: [agent] })
 * console.log(agent.type) // *
 * await taskboard.close()
 * ```
 */
export function aiAgent(options: AiAgentOptions): AgentDefinition {
  const settings = parseAiAgentOptions(options)
  const { type = '*', concurrency, name, leaseMs } = options
  return defineAgent({
    type,
    concurrency,
    name,
    leaseMs,
    run: (task, context) => workTask(settings, task, context),
    chat: (message, context) => answerChat(settings, message, context),
  })
}
