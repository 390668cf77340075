import { TaskboardError } from '@taskboard/core'
import { parseFields } from '@taskboard/core/transport'
import type { CallToolResult } from '@modelcontextprotocol/server'
import type { Answer, BoardCalls, ExplainedError } from '../board-calls.js'
import { pick, type Tool } from './tool.js'

/** Runs a tool. An error of the board is a result, so that the model reads it: the JSON of API v2's error. */
export async function callTool(
  tool: Tool,
  args: Answer,
  { board, agent }: { readonly board: BoardCalls; readonly agent: string | undefined },
): Promise<CallToolResult> {
  const { input, output, scope } = tool
  try {
    requireScope(board, scope)
    parseFields(input, args)
    const { value, text, next } = await tool.run({ board, args, agent })
    const structuredContent = pick(next === undefined ? value : { ...value, next }, output)
    const content = [
      { type: 'text' as const, text: next === undefined ? text : `${text} ${next}` },
      { type: 'text' as const, text: JSON.stringify(structuredContent) },
    ]
    return { content, structuredContent }
  } catch (error) {
    const explained = inWordsOf(tool, board.explain(error))
    return { content: [{ type: 'text', text: JSON.stringify(explained) }], isError: true }
  }
}

const LOST =
  'the run is over: its lease expired, or the task was taken away. Stop working on it, or call claim_task with its task_id and continue under the new run'

/** An error that names the arguments of the tool where the operation has other names. */
function inWordsOf({ renames }: Tool, explained: ExplainedError): ExplainedError {
  const { error } = explained
  const { field, issue } = error.details
  if (field === 'fencing_token') {
    return { ...explained, error: { ...error, message: LOST, details: { field: 'run', issue: LOST } } }
  }
  const name = renames?.[field]
  if (name === undefined) return explained
  const named = (text: string): string => text.replace(field, name)
  const details = { field: name, issue: named(issue) }
  return { ...explained, error: { ...error, message: named(error.message), details } }
}

/** As the operations do, but before the arguments are read. */
function requireScope({ scopes }: BoardCalls, scope: string): void {
  if (scopes === null || scopes.includes(scope)) return
  throw new TaskboardError('FORBIDDEN', `the credential lacks the scope ${scope}`)
}
