import { defineAgent, TaskFailure, type AgentDefinition } from '@taskboard/core'

/** The part of `query` of `@anthropic-ai/claude-agent-sdk` that this uses. Pass that function. */
export type ClaudeQuery = (call: {
  readonly prompt: string
  readonly options: {
    readonly model?: string
    readonly systemPrompt?: string
    readonly allowedTools: string[]
    readonly maxTurns: number
    readonly abortController: AbortController
    readonly canUseTool: (name: string, input: Record<string, unknown>) => Promise<ClaudePermission>
  }
}) => AsyncIterable<ClaudeMessage>

type ClaudePermission =
  | { readonly behavior: 'allow'; readonly updatedInput: Record<string, unknown> }
  | { readonly behavior: 'deny'; readonly message: string; readonly interrupt?: boolean }

/** Messages of other types are for hosts that show them. */
export type ClaudeMessage =
  | {
      readonly type: 'assistant'
      readonly message: {
        readonly id: string
        readonly model: string
        readonly usage: { readonly input_tokens: number; readonly output_tokens: number }
      }
    }
  | { readonly type: 'result'; readonly subtype: string; readonly result?: string }
  | { readonly type: 'system' }

const MOST_TURNS = 20

/** Works tasks by the Claude Agent SDK. Every call of a tool that the stored agent does not name waits for a person's approval. */
export function claudeAgent(query: ClaudeQuery): AgentDefinition {
  return defineAgent({
    type: '*',
    async run({ title, description }, { agent, claim, signal, approval, usage }) {
      const abortController = new AbortController()
      signal.addEventListener('abort', () => abortController.abort(signal.reason), { once: true })
      const thread = claim.comments.map(({ kind, body }) => ({ kind, body }))
      const messages = query({
        prompt: JSON.stringify({ title, description, thread }),
        options: {
          ...(agent.model !== null && { model: agent.model }),
          ...(agent.systemPrompt !== null && { systemPrompt: agent.systemPrompt }),
          allowedTools: [...agent.tools],
          maxTurns: MOST_TURNS,
          abortController,
          async canUseTool(name, input) {
            const { decision, comment } = await approval({ action: name, summary: `Call ${name}`, input })
            if (decision === 'approved') return { behavior: 'allow', updatedInput: input }
            return { behavior: 'deny', message: comment ?? 'a person rejected this call' }
          },
        },
      })
      const counted = new Set<string>()
      for await (const message of messages) {
        signal.throwIfAborted()
        if (message.type === 'assistant' && !counted.has(message.message.id)) {
          const { id, model, usage: used } = message.message
          // One answer comes as several messages, each with the same usage.
          counted.add(id)
          await usage({ model, inputTokens: used.input_tokens, outputTokens: used.output_tokens })
        }
        if (message.type === 'result') {
          if (message.subtype === 'success') return message.result ?? ''
          throw new TaskFailure(`the agent ended without a result: ${message.subtype}`)
        }
      }
      throw new Error('the agent ended without a result')
    },
  })
}
