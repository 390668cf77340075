import type { ModelMessage, ToolModelMessage, ToolSet } from 'ai'
import { executeWithApproval } from './approved-calls.js'
import type { ToolCall } from '../model/call-model.js'
import type { Run } from '../run/run.js'
import { asResult, executeTool, refusal, type ToolOutput } from './execute-tool.js'
import { contextOptions } from '../tools/tool-context.js'

type ToolResult = Extract<ToolModelMessage['content'][number], { type: 'tool-result' }>

/** Calls that may end the run come last, so that the others are done by then. */
const LAST = ['request_approval', 'delegate', 'ask_person']

/** Executes the calls of one response, one after the other. Returns the message with their results; null for none. */
export async function executeCalls(
  run: Run,
  calls: readonly ToolCall[],
  messages: readonly ModelMessage[],
): Promise<ToolModelMessage | null> {
  const planned: { readonly call: ToolCall; readonly rank: number; readonly isGated: boolean }[] = []
  for (const call of calls) {
    const isGated = await needsApproval(run, call, messages)
    planned.push({ call, isGated, rank: isGated ? 0.5 : LAST.indexOf(call.toolName) + 1 })
  }
  const content: ToolResult[] = []
  for (const { call, isGated } of planned.toSorted((a, b) => a.rank - b.rank)) {
    const { toolCallId, toolName } = call
    const output = await execute(run, call, isGated, messages)
    // A call may have put the task on hold.
    run.context.signal.throwIfAborted()
    content.push({ type: 'tool-result', toolCallId, toolName, output })
  }
  return content.length === 0 ? null : { role: 'tool', content }
}

async function execute(
  run: Run,
  call: ToolCall,
  isGated: boolean,
  messages: readonly ModelMessage[],
): Promise<ToolOutput> {
  const { ofBoard, ofHost } = run.tools
  const own = ofBoard.get(call.toolName)
  if (own !== undefined) {
    return asResult(run, async () => ({ type: 'text', value: await own.run(call.input, run.context) }))
  }
  const tool = ofHost.get(call.toolName)
  if (tool === undefined) return refusal(`there is no tool ${call.toolName}`)
  return isGated ? executeWithApproval(run, tool, call, messages) : executeTool(run, tool, call, messages)
}

async function needsApproval(
  { tools, toolContext }: Run,
  { toolCallId, toolName, input }: ToolCall,
  messages: readonly ModelMessage[],
): Promise<boolean> {
  const gate: ToolSet[string]['needsApproval'] = tools.ofHost.get(toolName)?.needsApproval
  if (typeof gate !== 'function') return gate === true
  const options = { toolCallId, messages: [...messages], ...contextOptions(toolContext) }
  return gate(input, options)
}
