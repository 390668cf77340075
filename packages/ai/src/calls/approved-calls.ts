import { asSchema, type ModelMessage, type ToolSet } from 'ai'
import { clipped } from '../model/fit-section.js'
import type { Records } from '../run/records.js'
import type { Run } from '../run/run.js'
import { sayingWho, toolActionPrefix } from '../tools/board-tools.js'
import { asResult, executeTool, refusal, textOf, type ToolOutput } from './execute-tool.js'

/** A tool call that a person approved, and its result. */
export interface DoneCall {
  readonly toolName: string
  readonly input: unknown
  readonly result: string
}

interface GatedCall {
  readonly toolCallId: string
  readonly toolName: string
  /** JSON: the tool gets what people saw. */
  readonly input: unknown
}

const LONGEST_SUMMARY = 2_000
const LONGEST_NOTE = 4_000

/**
 * Does what people have approved since it was asked for, with the input that they approved. The model need not ask again, and could
 * only ask in other words. An action that another asker prepared isn't run, nor an input that the tool no longer accepts.
 */
export async function doApprovedCalls(run: Run, { approvals }: Records): Promise<readonly DoneCall[]> {
  const done: DoneCall[] = []
  for (const { id, action, status, asker, input } of approvals) {
    const toolName = action.startsWith(toolActionPrefix) ? action.slice(toolActionPrefix.length) : ''
    const tool = run.tools.ofHost.get(toolName)
    if (status !== 'approved' || asker.kind !== 'runtime' || tool === undefined) continue
    const fault = await schemaFault(tool, input)
    if (fault !== null) {
      await run.context.log(
        clipped(`Did not call ${toolName}, as approved (${id}): ${fault}`, LONGEST_NOTE),
        'warn',
      )
      continue
    }
    const output = await executeWithApproval(run, tool, { toolCallId: id, toolName, input }, [])
    done.push({ toolName, input, result: textOf(output) })
  }
  return done
}

/** Why the tool doesn't take the input; null when it does. It was asked for by an earlier run, perhaps of other code. */
async function schemaFault({ inputSchema }: ToolSet[string], input: unknown): Promise<string | null> {
  const read = await asSchema(inputSchema).validate?.(input)
  return read?.success === false ? read.error.message : null
}

/**
 * Calls a tool once a person has approved this very call. Ends the run while no one has. An approval is used up before the call, so one
 * approval never runs it twice. A comment of the task then records that it was done.
 */
export async function executeWithApproval(
  run: Run,
  tool: ToolSet[string],
  { toolCallId, toolName, input }: GatedCall,
  messages: readonly ModelMessage[],
): Promise<ToolOutput> {
  const { context } = run
  return asResult(run, async () => {
    const approved: unknown = JSON.parse(JSON.stringify(input) ?? 'null')
    const { decision, comment, decidedBy, approvalId } = await context.approval({
      action: `${toolActionPrefix}${toolName}`,
      summary: clipped(
        `Call ${toolName} with ${JSON.stringify(approved)}`,
        LONGEST_SUMMARY - 50,
      ).toWellFormed(),
      input: approved,
    })
    if (decision === 'rejected') {
      return refusal(`This call was rejected${sayingWho(decidedBy, comment)}. Do not run it again.`)
    }
    const call = { toolCallId, toolName, input: approved }
    const output = await executeTool(run, tool, call, messages)
    await note(run, `Called ${toolName}, as approved (${approvalId}). Result: ${textOf(output)}`)
    return output
  })
}

/** Directly after the call, so that a later attempt knows of it. */
async function note({ task, context }: Run, text: string): Promise<void> {
  const body = clipped(text, LONGEST_NOTE).replaceAll('\0', '\uFFFD').toWellFormed()
  await context.board.comment(task.id, { body })
}
