import { z } from 'zod'
import { type AgentOverview, parseAgentChange, parseNewAgent } from '../../agents/index.js'
import { boundedList } from '../../errors/index.js'
import { agentStatuses } from '../../events/index.js'
import { idempotencyClaim } from '../idempotency-key.js'
import { operation, workspaceOf } from './operation.js'
import { idText, nextCursor, pageQuery, timestamp, toTimestamp } from './wire-schemas.js'

/** An agent in an answer. */
const agentJson = z
  .object({
    id: z.string(),
    workspace_id: z.string(),
    name: z.string(),
    type: z.string(),
    status: z.enum(agentStatuses),
    model: z.string().nullable(),
    system_prompt: z.string().nullable(),
    capabilities: z.array(z.string()),
    tools: z.array(z.string()),
    paused: z.boolean(),
    max_concurrent: z.int().nullable(),
    current_workload: z.int().min(0).meta({
      description: 'The tasks that it works on, and those that only it can take.',
    }),
    success_rate: z.number().min(0).max(1).meta({
      description:
        'The completed share of its last hundred attempts that it ended itself; 1 before the first.',
    }),
    is_remote: z.boolean().meta({
      description: 'Whether no runtime of the host runs its tasks at present: your own program claims them.',
    }),
    budget_spent_until: timestamp.nullable().meta({
      description:
        'Until when it takes no task because its budget, or that of its workspace, is spent; null while neither is.',
    }),
    resting_until: timestamp.nullable().meta({
      description:
        'Until when it takes no task because the provider of its model could not work; null otherwise.',
    }),
    created_at: timestamp,
  })
  .meta({ id: 'Agent' })

function toWireAgent(agent: AgentOverview): z.output<typeof agentJson> {
  return {
    id: agent.id,
    workspace_id: agent.workspaceId,
    name: agent.name,
    type: agent.type,
    status: agent.status,
    model: agent.model,
    system_prompt: agent.systemPrompt,
    capabilities: [...agent.capabilities],
    tools: [...agent.tools],
    paused: agent.paused,
    max_concurrent: agent.maxConcurrent,
    current_workload: agent.currentWorkload,
    success_rate: agent.successRate ?? 1,
    is_remote: agent.isRemote,
    budget_spent_until: toTimestamp(agent.budgetSpentUntil),
    resting_until: toTimestamp(agent.restingUntil),
    created_at: toTimestamp(agent.createdAt),
  }
}

const text = z.string()

const labels = boundedList(text, { of: 'texts', most: 100 })

const params = z.object({ agent_id: idText })

const one = { status: 200, schema: agentJson } as const

/** The agents module validates their values. */
const profile = {
  model: text.nullish().meta({ description: 'The identifier of a model, at most 200 characters.' }),
  system_prompt: text.nullish().meta({ description: 'At most 100,000 characters.' }),
  capabilities: labels.nullish().meta({ description: 'At most 100, each of 1 to 100 characters.' }),
  tools: labels.nullish().meta({ description: 'At most 100, each of 1 to 100 characters.' }),
  paused: z.boolean().nullish().meta({
    description: 'While it is paused it takes no task. What it works goes on.',
  }),
  max_concurrent: z
    .int()
    .nullish()
    .meta({ description: 'How many tasks it works at once, 1 to 100,000; null: as its runtime does.' }),
}

interface GivenProfile {
  readonly system_prompt?: string | null | undefined
  readonly max_concurrent?: number | null | undefined
}

/** The fields of a body by their names in the library. */
function toAgentInput<Body extends GivenProfile>({
  system_prompt: systemPrompt,
  max_concurrent: maxConcurrent,
  ...rest
}: Body) {
  return { ...rest, systemPrompt, maxConcurrent }
}

const name = text.meta({ description: '1 to 100 characters.' })

const type = text.meta({
  minLength: 1,
  maxLength: 64,
  description:
    'Any text. It selects the runtime that works the agent’s tasks; use `custom` for your own program.',
})

const listAgents = operation({
  id: 'listAgents',
  tag: 'agents',
  summary: 'Agents, oldest first',
  description: 'Of all workspaces within reach, or of one.',
  method: 'GET',
  path: '/v2/agents',
  scope: 'agents:read',
  query: z.object({ workspace_id: idText.optional(), ...pageQuery }),
  answer: { status: 200, schema: z.object({ agents: z.array(agentJson), next_cursor: nextCursor }) },
  async run({ services, principal, query: { workspace_id: workspaceId, limit, cursor } }) {
    const page = await services.agents.listWithin(principal, { workspaceId, limit, cursor })
    return { agents: page.agents.map(toWireAgent), next_cursor: page.nextCursor }
  },
})

const createAgent = operation({
  id: 'createAgent',
  tag: 'agents',
  summary: 'Creates an agent in a workspace',
  description:
    'The runtime that the host registers for its type works its tasks, or your own program does by claiming them.',
  method: 'POST',
  path: '/v2/agents',
  scope: 'agents:write',
  idempotent: true,
  body: z.object({ name, type, ...profile, workspace_id: idText.nullish() }),
  answer: { status: 201, schema: agentJson },
  async run({ services, principal, request, body }) {
    const { workspace_id: wanted, ...given } = body
    const input = toAgentInput(given)
    // Invalid fields are reported before what does not exist.
    parseNewAgent(input)
    const workspaceId = await workspaceOf(services, principal, wanted)
    const idempotency = idempotencyClaim(request, principal, 'POST /v2/agents', { ...input, workspaceId })
    const agent = await services.quota.createHeld(principal, 'agents', (tx) =>
      services.agents.create(workspaceId, input, { idempotency, tx }),
    )
    return toWireAgent(agent)
  },
})

const getAgent = operation({
  id: 'getAgent',
  tag: 'agents',
  summary: 'One agent',
  method: 'GET',
  path: '/v2/agents/{agent_id}',
  scope: 'agents:read',
  params,
  answer: one,
  async run({ services, principal, params: { agent_id: agentId } }) {
    return toWireAgent(await services.agents.find(principal, agentId))
  },
})

const updateAgent = operation({
  id: 'updateAgent',
  tag: 'agents',
  summary: 'Changes the given fields; null clears a field that can be empty',
  description: 'The change applies to runs that begin later.',
  method: 'PATCH',
  path: '/v2/agents/{agent_id}',
  scope: 'agents:write',
  params,
  body: z.object({ name: name.optional(), type: type.optional(), ...profile }),
  answer: one,
  async run({ services, principal, params: { agent_id: agentId }, body }) {
    const change = toAgentInput(body)
    parseAgentChange(change)
    const { workspaceId } = await services.agents.find(principal, agentId)
    return toWireAgent(await services.agents.update(workspaceId, agentId, change))
  },
})

const deleteAgent = operation({
  id: 'deleteAgent',
  tag: 'agents',
  summary: 'Deletes an agent without open tasks',
  description:
    'Refused with 409 while it works a task, or while a task that is not completed is assigned to it.',
  method: 'DELETE',
  path: '/v2/agents/{agent_id}',
  scope: 'agents:write',
  params,
  answer: { status: 204 },
  async run({ services, principal, params: { agent_id: agentId } }) {
    const { workspaceId } = await services.agents.find(principal, agentId)
    await services.agents.delete(workspaceId, agentId)
  },
})

/** The stored agents. */
export const agentOperations = [listAgents, createAgent, getAgent, updateAgent, deleteAgent]
