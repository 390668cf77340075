import { TaskFailure, type Agent } from '@taskboard/core'
import type { ToolSet } from 'ai'
import type { AiAgentSettings } from '../ai-agent-options.js'
import { boardToolNames, boardTools, type BoardTool } from '../tools/board-tools.js'

/** The tools of one run. */
export interface RunTools {
  /** The tools for the SDK and the model: without `execute`, so that a tool runs only through `executeCalls`. */
  readonly shown: ToolSet
  readonly ofBoard: ReadonlyMap<string, BoardTool>
  readonly ofHost: ReadonlyMap<string, ToolSet[string]>
}

const isOfBoard = (name: string): boolean => boardToolNames.some((own) => own === name)

/**
 * The tools of the board and the host's tools that the stored agent names. @throws TaskFailure naming those that the host lacks. Only its
 * cause, which goes to the host's log, names those that the host has: the message is for people of the workspace.
 */
export function selectTools(
  { boardTools: chosen }: AiAgentSettings,
  tools: ReadonlyMap<string, ToolSet[string]>,
  agent: Agent,
): RunTools {
  const unknown = agent.tools.filter((name) => !tools.has(name) && !isOfBoard(name))
  if (unknown.length > 0) {
    const known = [...tools.keys()].join(', ') || 'none'
    throw new TaskFailure(`the agent names tools that it cannot have: ${unknown.join(', ')}`, {
      cause: new Error(`the tools of the host for this attempt: ${known}`),
    })
  }
  const ofBoard = new Map<string, BoardTool>(chosen.map((name) => [name, boardTools[name]]))
  const ofHost = new Map([...tools].filter(([name]) => agent.tools.includes(name)))
  const shown = [
    ...[...ofBoard].map(
      ([name, { description, inputSchema }]) => [name, { description, inputSchema }] as const,
    ),
    ...[...ofHost].map(([name, tool]) => [name, withoutExecution(tool)] as const),
  ]
  return { shown: Object.fromEntries(shown), ofBoard, ofHost }
}

function withoutExecution(tool: ToolSet[string]): ToolSet[string] {
  const { execute: _, needsApproval: __, ...shown } = tool
  return shown
}
