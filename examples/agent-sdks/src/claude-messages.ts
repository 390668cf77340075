/** The part of `query` of `@anthropic-ai/claude-agent-sdk` that this uses. Pass that function. */
export type ClaudeQuery = (call: {
  readonly prompt: string
  readonly options: {
    readonly model?: string
    readonly systemPrompt?: string
    readonly allowedTools: string[]
    readonly maxTurns: number
    readonly includePartialMessages: true
    readonly abortController: AbortController
    readonly canUseTool: (name: string, input: Record<string, unknown>) => Promise<ClaudePermission>
  }
}) => AsyncIterable<ClaudeMessage>

export type ClaudePermission =
  | { readonly behavior: 'allow'; readonly updatedInput: Record<string, unknown> }
  | { readonly behavior: 'deny'; readonly message: string; readonly interrupt?: boolean }

/** Any message of the SDK. `resultOf` and `streamEventOf` read those that matter here; the others are for hosts that show them. */
export interface ClaudeMessage {
  readonly type: string
}

/** The last message of a session. */
export interface ClaudeResult extends ClaudeMessage {
  readonly type: 'result'
  readonly subtype: string
  /** Also set with the subtype `success`: then the session stopped with an error of the API. */
  readonly is_error: boolean
  readonly api_error_status?: number | null
  readonly result?: string
  readonly total_cost_usd: number
  /** All model calls, including calls by subagents. Input that was read from the cache or written to it comes on top of `inputTokens`. */
  readonly modelUsage: Readonly<
    Record<
      string,
      {
        readonly inputTokens: number
        readonly outputTokens: number
        readonly cacheReadInputTokens: number
        readonly cacheCreationInputTokens: number
      }
    >
  >
}

/** What a message of the API says of its tokens. `message_start` has the input, `message_delta` the output. */
export interface ClaudeUsage {
  readonly input_tokens?: number | null
  readonly cache_read_input_tokens?: number | null
  readonly cache_creation_input_tokens?: number | null
  readonly output_tokens?: number
}

/** An event of the API's stream, for the session itself or for a subagent. */
export interface ClaudeStreamEvent extends ClaudeMessage {
  readonly type: 'stream_event'
  readonly parent_tool_use_id: string | null
  readonly event: {
    readonly type: string
    readonly message?: { readonly model: string; readonly usage: ClaudeUsage }
    readonly usage?: ClaudeUsage
  }
}

export function resultOf(message: ClaudeMessage): ClaudeResult | null {
  return message.type === 'result' ? (message as ClaudeResult) : null
}

export function streamEventOf(message: ClaudeMessage): ClaudeStreamEvent | null {
  return message.type === 'stream_event' ? (message as ClaudeStreamEvent) : null
}
