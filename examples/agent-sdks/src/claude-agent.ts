import { defineAgent, RetryLater, TaskFailure, type AgentDefinition } from '@taskboard/core'
import { createClaudeMeter } from './claude-meter.js'
import { resultOf, streamEventOf, type ClaudeQuery, type ClaudeResult } from './claude-messages.js'

export interface ClaudeAgentOptions {
  /**
   * Who knows what the models cost. `sdk`, the default: the SDK, at the end of a session. A session that stops with a question to people
   * has no cost then. `board`: the `prices` of `createTaskboard`, after each response.
   */
  readonly cost?: 'sdk' | 'board'
}

const MOST_TURNS = 20
const LONGEST_SUMMARY = 2_000

/** Works on tasks with the Claude Agent SDK. Every call of a tool that the stored agent doesn't name waits for a person's approval. */
export function claudeAgent(query: ClaudeQuery, { cost = 'sdk' }: ClaudeAgentOptions = {}): AgentDefinition {
  return defineAgent({
    type: '*',
    async run({ title, description }, { agent, claim, signal, approval, usage }) {
      const abortController = new AbortController()
      let asking = 0
      const stop = (): void => {
        // To abort under a question to people would let the session ask the model once more: it is refused instead.
        if (asking === 0) abortController.abort(signal.reason)
      }
      signal.addEventListener('abort', stop, { once: true })
      const thread = claim.comments.map(({ kind, body }) => ({ kind, body }))
      const messages = query({
        prompt: JSON.stringify({ title, description, thread }),
        options: {
          ...(agent.model !== null && { model: agent.model }),
          ...(agent.systemPrompt !== null && { systemPrompt: agent.systemPrompt }),
          allowedTools: [...agent.tools],
          maxTurns: MOST_TURNS,
          // The other messages have only a part of an answer's usage.
          includePartialMessages: true,
          abortController,
          async canUseTool(name, input) {
            const summary = `${name} ${JSON.stringify(input)}`.slice(0, LONGEST_SUMMARY).toWellFormed()
            asking += 1
            try {
              const { decision, comment } = await approval({ action: name, summary, input })
              if (decision === 'approved') return { behavior: 'allow', updatedInput: input }
              return { behavior: 'deny', message: comment ?? 'this call was rejected' }
            } catch {
              return { behavior: 'deny', message: 'the task waits for a person', interrupt: true }
            } finally {
              asking -= 1
            }
          },
        },
      })
      const meter = createClaudeMeter(usage, cost)
      let result: ClaudeResult | null = null
      for await (const message of messages) {
        // Under a question, the session is left when it was refused.
        if (signal.aborted && asking > 0) continue
        signal.throwIfAborted()
        const event = streamEventOf(message)
        if (event !== null) await meter.see(event)
        result = resultOf(message)
        if (result !== null) break
      }
      if (result === null) throw new Error('the agent ended without a result')
      await meter.settle(result)
      signal.throwIfAborted()
      return textOf(result)
    },
  })
}

function textOf({ subtype, is_error: isError, api_error_status: status, result = '' }: ClaudeResult): string {
  if (subtype !== 'success') throw new TaskFailure(`the agent ended without a result: ${subtype}`)
  if (!isError) return result
  const reason = `the API returned an error${status == null ? '' : ` (${status})`}`
  if (status == null || status === 429 || status >= 500) throw new RetryLater(reason)
  throw new TaskFailure(reason)
}
