import type { TaskContext } from '@taskboard/core'
import type { ClaudeResult, ClaudeStreamEvent, ClaudeUsage } from './claude-messages.js'

interface Tokens {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cachedInputTokens: number
}

interface OpenAnswer {
  readonly model: string
  readonly usage: ClaudeUsage
}

/**
 * Reports the usage of a session. It reports each response as it ends, so that token budgets stop the run, and at the end any usage not yet
 * reported.
 */
export function createClaudeMeter(usage: TaskContext['usage'], cost: 'sdk' | 'board') {
  /** By the call of the tool that began the subagent; empty for the session itself. */
  const open = new Map<string, OpenAnswer>()
  let reported: Tokens = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0 }

  return {
    async see({ event, parent_tool_use_id: parent }: ClaudeStreamEvent): Promise<void> {
      const key = parent ?? ''
      if (event.type === 'message_start' && event.message !== undefined) open.set(key, event.message)
      const answer = open.get(key)
      if (event.type !== 'message_delta' || event.usage === undefined || answer === undefined) return
      open.delete(key)
      const tokens = tokensOf(answer.usage, event.usage)
      reported = combined(reported, tokens, (a, b) => a + b)
      await usage({ model: answer.model, ...tokens, ...(cost === 'sdk' && { costUsd: 0 }) })
    },
    /** The result counts what the stream doesn't show, and all of it once more: only the difference is reported. */
    async settle({ modelUsage, total_cost_usd: costUsd }: ClaudeResult): Promise<void> {
      let seen = reported
      let unreportedUsd = cost === 'sdk' ? costUsd : 0
      for (const [model, total] of Object.entries(modelUsage)) {
        const all = {
          inputTokens: total.inputTokens + total.cacheReadInputTokens + total.cacheCreationInputTokens,
          outputTokens: total.outputTokens,
          cachedInputTokens: total.cacheReadInputTokens,
        }
        const known = combined(all, seen, Math.min)
        const rest = combined(all, known, (a, b) => a - b)
        seen = combined(seen, known, (a, b) => a - b)
        const cachedInputTokens = Math.min(rest.cachedInputTokens, rest.inputTokens)
        if (rest.inputTokens + rest.outputTokens + unreportedUsd === 0) continue
        await usage({ model, ...rest, cachedInputTokens, ...(cost === 'sdk' && { costUsd: unreportedUsd }) })
        unreportedUsd = 0
      }
    },
  }
}

/** `message_delta` contains the input again in newer versions of the API. */
function tokensOf(start: ClaudeUsage, end: ClaudeUsage): Tokens {
  const cachedInputTokens = end.cache_read_input_tokens ?? start.cache_read_input_tokens ?? 0
  const written = end.cache_creation_input_tokens ?? start.cache_creation_input_tokens ?? 0
  const fresh = end.input_tokens ?? start.input_tokens ?? 0
  return {
    inputTokens: fresh + cachedInputTokens + written,
    outputTokens: end.output_tokens ?? start.output_tokens ?? 0,
    cachedInputTokens,
  }
}

function combined(a: Tokens, b: Tokens, combine: (a: number, b: number) => number): Tokens {
  return {
    inputTokens: combine(a.inputTokens, b.inputTokens),
    outputTokens: combine(a.outputTokens, b.outputTokens),
    cachedInputTokens: combine(a.cachedInputTokens, b.cachedInputTokens),
  }
}
