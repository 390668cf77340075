import { query, type SDKMessage } from '@anthropic-ai/claude-agent-sdk'
import { claudeAgent } from '../src/index.js'
import type { ClaudeResult, ClaudeStreamEvent } from '../src/claude-messages.js'

// The SDK's own function, as users pass it.
claudeAgent(query)
claudeAgent(query, { cost: 'board' })

/** What the example reads of two kinds of messages is there. */
type Read<K extends SDKMessage['type'], As> =
  Extract<SDKMessage, { readonly type: K }> extends As ? true : never
const result: Read<'result', ClaudeResult> = true
const streamEvent: Read<'stream_event', ClaudeStreamEvent> = true
void [result, streamEvent]
