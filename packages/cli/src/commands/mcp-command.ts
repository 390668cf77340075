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
  summary:
    'Serves the board to a model: speaks the Model Context Protocol over standard input and output, until the input ends',
  options: [
    {
      flags: '--tools <set>',
      summary: 'a set of tools: for working tasks, or for planning them; default worker',
      isList: true,
      choices: sets,
    },
    {
      flags: '--agent <agent>',
      summary: 'the id of the agent that claims tasks when the model names none, or its name',
    },
  ],
  scopes: ['tasks:read', 'tasks:write', 'agents:read'],
  json: { shape: 'nothing: standard output has the protocol' },
  run: mcp,
}
