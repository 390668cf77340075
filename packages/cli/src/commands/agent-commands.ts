import type { Agent, CreateAgentBody } from '@taskboard/client'
import { CliError } from '../cli-error.js'
import { type Call, type Command, listOf, textOf } from '../command.js'
import { oneLine, textTable } from '../output/text.js'
import { agentIdOf } from './agent-id.js'
import { workspaceOf, workspaceOption } from './task-commands.js'

async function list(call: Call): Promise<void> {
  const { cli } = call
  const client = await cli.client()
  const agents: Agent[] = []
  for await (const agent of client.agents.listAll({ workspace_id: workspaceOf(call) })) agents.push(agent)
  const rows = agents.map((agent) => [
    agent.id,
    agent.type,
    agent.paused ? 'paused' : agent.status,
    agent.current_workload,
    agent.name,
  ])
  cli.output.result({ agents, next_cursor: null }, () =>
    agents.length === 0
      ? 'no agents'
      : textTable(['ID', 'TYPE', 'STATUS', 'TASKS', 'NAME'], rows, cli.output),
  )
}

const lineOf = (agent: Agent): string =>
  `${agent.id}  ${agent.paused ? 'paused' : agent.status}  ${oneLine(agent.name)}`

/** A body with a value for each of its members, so that `tsc` names one that has no option. */
type EachOf<Body> = { readonly [Member in keyof Required<Body>]: Body[Member] }

async function create(call: Call): Promise<void> {
  const { cli, args, options } = call
  const client = await cli.client()
  const body: EachOf<CreateAgentBody> = {
    name: args[0] ?? '',
    type: textOf(options, 'type') ?? 'custom',
    model: textOf(options, 'model'),
    system_prompt: textOf(options, 'systemPrompt'),
    capabilities: listOf(options, 'capability'),
    tools: listOf(options, 'tool'),
    // `agents pause` does that.
    paused: undefined,
    max_concurrent: wholeOf(textOf(options, 'maxConcurrent')),
    workspace_id: workspaceOf(call),
  }
  const agent = await client.agents.create(body)
  cli.output.result(agent, () => lineOf(agent))
}

function wholeOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new CliError('usage', '--max-concurrent must be a whole number')
}

function pause(paused: boolean): Command['run'] {
  return async ({ cli, args: [wanted = ''] }) => {
    const client = await cli.client()
    const agent = await client.agents.update(await agentIdOf(client, wanted), { paused })
    cli.output.result(agent, () => lineOf(agent))
  }
}

async function remove({ cli, args: [wanted = ''] }: Call): Promise<void> {
  const client = await cli.client()
  const id = await agentIdOf(client, wanted)
  await client.agents.delete(id)
  cli.output.result({ deleted: id }, `${id}  deleted`)
}

const agent = { name: 'agent', summary: 'the id of the agent, or its name; the name requires `agents:read`' }

export const agentCommands: readonly Command[] = [
  {
    name: 'agents list',
    summary: 'List agents',
    options: [workspaceOption],
    scopes: ['agents:read'],
    json: { operation: 'listAgents' },
    run: list,
  },
  {
    name: 'agents create',
    summary: 'Create an agent, for `work` or for a runtime in the host application',
    arguments: [{ name: 'name', summary: 'the name of the agent' }],
    options: [
      { flags: '--type <type>', summary: 'the type of tasks that the agent gets; default custom' },
      { flags: '--model <model>', summary: 'the identifier of the language model' },
      { flags: '--system-prompt <text>', summary: 'the system prompt for the model' },
      { flags: '--capability <text>', summary: 'a capability to list in the profile', isList: true },
      { flags: '--tool <name>', summary: 'a tool that the runtime can give the agent', isList: true },
      { flags: '--max-concurrent <count>', summary: 'how many tasks the agent runs at the same time' },
      workspaceOption,
    ],
    scopes: ['agents:write'],
    json: { operation: 'createAgent' },
    run: create,
  },
  {
    name: 'agents pause',
    summary: 'Pause an agent',
    arguments: [agent],
    scopes: ['agents:write'],
    json: { operation: 'updateAgent' },
    run: pause(true),
  },
  {
    name: 'agents resume',
    summary: 'Resume an agent',
    arguments: [agent],
    scopes: ['agents:write'],
    json: { operation: 'updateAgent' },
    run: pause(false),
  },
  {
    name: 'agents delete',
    summary: 'Delete an agent',
    arguments: [agent],
    scopes: ['agents:write'],
    json: { shape: '`{ deleted }`' },
    run: remove,
  },
]
