import type { ToolSet } from '@taskboard/mcp'
import { type Call, type Command, listOf, textOf } from '../command.js'
import { loadMcp } from '../optional-packages.js'
import { agentIdOf } from './agent-id.js'

const sets = ['worker', 'planner'] as const satisfies readonly ToolSet[]

/** Ends with standard input. Standard output has the protocol alone. */
async function mcp({ cli, options }: Call): Promise<void> {
  const { serveMcpOverStdio } = await loadMcp()
  const client = await cli.agentClient()
  const agent = textOf(options, 'agent')
  const { ended } = serveMcpOverStdio(client, {
    tools: listOf(options, 'tools') as readonly ToolSet[] | undefined,
    agent: agent === undefined ? undefined : await agentIdOf(client, agent),
    onError: (error) => cli.output.note(String(error)),
  })
  await ended
}

export const mcpCommand: Command = {
  name: 'mcp',
  summary: 'Run an MCP server for a language model on standard input and output, until the input closes',
  options: [
    {
      flags: '--tools <set>',
      summary: 'a set of tools, for running or for planning tasks; default worker',
      isList: true,
      choices: sets,
    },
    {
      flags: '--agent <agent>',
      summary: 'the id or name of the agent to claim tasks with when the model names none',
    },
  ],
  scopes: ['tasks:read', 'tasks:write', 'agents:read'],
  json: { shape: 'not applicable: standard output carries the protocol' },
  run: mcp,
}
