import { setImmediate as nextTurn } from 'node:timers/promises'
import type { TaskContext } from '@taskboard/core'
import {
  generateText,
  streamText,
  type FinishReason,
  type LanguageModel,
  type ModelMessage,
  type ToolSet,
} from 'ai'
import type { AiAgentSettings } from '../ai-agent-options.js'
import { modelFailure } from './model-failure.js'

export interface ModelCall {
  readonly settings: AiAgentSettings
  readonly model: LanguageModel
  readonly system: string
  readonly messages: ModelMessage[]
  /** Without `execute`: the SDK reports the calls, and the run executes them. */
  readonly tools: ToolSet
  readonly signal: AbortSignal
}

/** A call of a tool, with an input that fits the tool's schema. */
export interface ToolCall {
  readonly toolCallId: string
  readonly toolName: string
  readonly input: unknown
}

type Usage = Parameters<TaskContext['usage']>[0]

/** The answer to one call of a model. */
export interface ModelAnswer {
  readonly text: string
  readonly finishReason: FinishReason
  /** The calls to execute. */
  readonly calls: readonly ToolCall[]
  /** The tools of calls that were rejected: they don't exist, or the inputs don't fit. `messages` has the rejections. */
  readonly refusedTools: readonly string[]
  readonly messages: readonly ModelMessage[]
  readonly usage: Usage
  /** Whether the provider has reported no usage, so that it was estimated from the length of the texts. */
  readonly isEstimated: boolean
}

/** What both ways of calling return. */
type Returned = Pick<
  Awaited<ReturnType<typeof generateText<ToolSet>>>,
  'text' | 'finishReason' | 'toolCalls' | 'usage' | 'response'
>

const CHARACTERS_PER_TOKEN = 4
const LONGEST_MODEL_NAME = 200
const PARTS_PER_TURN = 100

/** Calls the model once. @throws TaskFailure when a retry would fail as well; the signal's reason when that aborts; else an `Error`. */
export async function callModel(call: ModelCall): Promise<ModelAnswer> {
  const { settings, model, system, messages, tools, signal } = call
  const timeout = AbortSignal.timeout(settings.callTimeoutMs)
  const options = {
    ...settings.settings,
    model,
    system,
    messages,
    tools,
    maxRetries: settings.maxRetries,
    abortSignal: AbortSignal.any([signal, timeout]),
  }
  try {
    const returned = settings.streaming ? await stream(options) : await generateText(options)
    return toAnswer(call, returned)
  } catch (error) {
    signal.throwIfAborted()
    throw timeout.aborted ? tooSlow(settings) : modelFailure(error)
  }
}

function tooSlow({ callTimeoutMs }: AiAgentSettings): Error {
  return new Error(`the model did not respond within ${callTimeoutMs} ms`)
}

async function stream(options: Parameters<typeof generateText<ToolSet>>[0]): Promise<Returned> {
  // Without a listener, the SDK prints errors, which contain the prompt.
  const result = streamText({ ...options, onError: () => undefined })
  let parts = 0
  for await (const part of result.fullStream) {
    // Chunks that are there already come without a turn of the event loop, and a lease must be renewed.
    if (++parts % PARTS_PER_TURN === 0) await nextTurn()
    if (part.type === 'error') throw part.error
    if (part.type === 'abort') throw new Error('the call was aborted')
  }
  const [text, finishReason, toolCalls, usage, response] = await Promise.all([
    result.text,
    result.finishReason,
    result.toolCalls,
    result.usage,
    result.response,
  ])
  return { text, finishReason, toolCalls, usage, response }
}

function toAnswer(
  { model, system, messages }: ModelCall,
  { text, finishReason, toolCalls, usage, response }: Returned,
): ModelAnswer {
  const executed = toolCalls.filter(({ providerExecuted }) => providerExecuted !== true)
  const valid = executed.filter((call) => call.invalid !== true)
  const { inputTokens, outputTokens } = usage
  const isEstimated = inputTokens === undefined || outputTokens === undefined
  const input = whole(inputTokens ?? tokensOf([system, messages]))
  return {
    text,
    finishReason,
    calls: valid.map(({ toolCallId, toolName, input: given }) => ({ toolCallId, toolName, input: given })),
    refusedTools: executed.filter((call) => call.invalid === true).map(({ toolName }) => toolName),
    messages: response.messages,
    isEstimated,
    usage: {
      model: (typeof model === 'string' ? model : model.modelId).slice(0, LONGEST_MODEL_NAME) || 'unnamed',
      inputTokens: input,
      outputTokens: whole(outputTokens ?? tokensOf(response.messages)),
      cachedInputTokens: Math.min(input, whole(usage.inputTokenDetails.cacheReadTokens ?? 0)),
    },
  }
}

function tokensOf(value: unknown): number {
  return JSON.stringify(value).length / CHARACTERS_PER_TOKEN
}

function whole(count: number): number {
  return Number.isFinite(count) ? Math.max(0, Math.ceil(count)) : 0
}
