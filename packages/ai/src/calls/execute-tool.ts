import { isTaskboardError, TaskFailure } from '@taskboard/core'
import type { ModelMessage, ToolResultPart, ToolSet } from 'ai'
import type { ToolCall } from '../model/call-model.js'
import { clipped } from '../model/fit-section.js'
import type { Run } from '../run/run.js'
import { contextOptions } from '../tools/tool-context.js'

export type ToolOutput = ToolResultPart['output']

/**
 * Calls a tool of the host. An error becomes the result, for the model to deal with. @throws what the tool throws when that has
 * `retry: false`, and the signal's reason.
 */
export async function executeTool(
  run: Run,
  tool: ToolSet[string],
  { toolCallId, input }: ToolCall,
  messages: readonly ModelMessage[],
): Promise<ToolOutput> {
  const { signal } = run.context
  const { execute } = tool
  if (execute === undefined) return refusal('the tool cannot be called')
  return asResult(run, async () => {
    const own = contextOptions(run.toolContext)
    const options = { toolCallId, messages: [...messages], abortSignal: signal, ...own }
    const value = await orAborted(signal, async () => lastOf(await execute(input, options)))
    if (tool.toModelOutput !== undefined) return tool.toModelOutput({ toolCallId, input, output: value })
    return toOutput(value, run.settings.resultCharacters)
  })
}

/** Makes results of errors that a model can deal with. */
export async function asResult(
  {
    context: { signal },
    settings,
  }: { readonly context: Pick<Run['context'], 'signal'>; readonly settings: Run['settings'] },
  work: () => Promise<ToolOutput>,
): Promise<ToolOutput> {
  try {
    return await work()
  } catch (error) {
    signal.throwIfAborted()
    if (isFinal(error)) throw error
    return refusal(clipped(error instanceof Error ? error.message : 'unknown', settings.resultCharacters))
  }
}

export function refusal(reason: string): ToolOutput {
  return { type: 'error-text', value: reason }
}

/** The output as text, for people and for later prompts. */
export function textOf(output: ToolOutput): string {
  if (output.type === 'text') return output.value
  if (output.type === 'error-text') return `error: ${output.value}`
  return JSON.stringify(output.type === 'json' ? output.value : output)
}

/** A storage that fails, and whatever says so, ends the attempt. */
function isFinal(error: unknown): boolean {
  if (error instanceof TaskFailure) return true
  if (isTaskboardError(error)) return error.code === 'SERVICE_UNAVAILABLE' || error.code === 'INTERNAL_ERROR'
  return typeof error === 'object' && error !== null && 'retry' in error && error.retry === false
}

export function toOutput(value: unknown, most: number): ToolOutput {
  if (typeof value === 'string') return { type: 'text', value: clipped(value, most) }
  const json = JSON.stringify(value) as string | undefined
  if (json === undefined) return { type: 'json', value: null }
  return json.length <= most
    ? { type: 'json', value: JSON.parse(json) }
    : { type: 'text', value: clipped(json, most) }
}

/** A tool may return its result bit by bit: the last one is the whole. */
async function lastOf(returned: unknown): Promise<unknown> {
  if (typeof returned !== 'object' || returned === null || !(Symbol.asyncIterator in returned))
    return returned
  let last: unknown
  for await (const part of returned as AsyncIterable<unknown>) last = part
  return last
}

/** Settles as `work`, or rejects with the signal's reason when that aborts first. */
async function orAborted<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  signal.throwIfAborted()
  const settled = new AbortController()
  const aborted = new Promise<never>((_, reject) => {
    const onAbort = (): void => reject(signal.reason as Error)
    signal.addEventListener('abort', onAbort, { once: true, signal: settled.signal })
  })
  try {
    return await Promise.race([work(), aborted])
  } finally {
    settled.abort()
  }
}
