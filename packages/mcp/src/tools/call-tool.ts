import { TaskboardError } from '@taskboard/core'
import { readFields } from '@taskboard/core/transport'
import type { CallToolResult } from '@modelcontextprotocol/server'
import type { Answer, BoardCalls } from '../board-calls.js'
import { pick, type Tool } from './tool.js'

/** Runs a tool. An error of the board is a result, so that the model reads it: the JSON of the enterprise API's error. */
export async function callTool(
  tool: Tool,
  args: Answer,
  { board, agent }: { readonly board: BoardCalls; readonly agent: string | undefined },
): Promise<CallToolResult> {
  const { input, output, scope } = tool
  try {
    requireScope(board, scope)
    readFields(input, args)
    const { value, text, next } = await tool.run({ board, args, agent })
    const structuredContent = pick(next === undefined ? value : { ...value, next }, output)
    const content = [
      { type: 'text' as const, text: next === undefined ? text : `${text} ${next}` },
      { type: 'text' as const, text: JSON.stringify(structuredContent) },
    ]
    return { content, structuredContent }
  } catch (error) {
    return { content: [{ type: 'text', text: JSON.stringify(board.explain(error)) }], isError: true }
  }
}

/** As the operations do, but before the arguments are read. */
function requireScope({ scopes }: BoardCalls, scope: string): void {
  if (scopes === null || scopes.includes(scope)) return
  throw new TaskboardError('FORBIDDEN', `the credential lacks the scope ${scope}`)
}
