import { z } from 'zod'
import { agentFields, type AgentOverview } from '../../agents/index.js'
import { agentStatuses } from '../../events/index.js'
import { idempotencyClaim } from '../idempotency-key.js'
import { operation, workspaceOf } from './operation.js'
import { idText, nextCursor, pageQuery, timestamp, toTimestamp } from '../wire/wire-schemas.js'

/** An agent in an answer. */
const agentJson = z
  .object({
    id: z.string(),
    workspace_id: z.string(),
    ...agentFields.answer,
    status: z.enum(agentStatuses),
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
        'The time until which it takes no task because its own or its workspace budget is spent; null while neither is.',
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
    ...agentFields.toWire(agent),
    status: agent.status,
    current_workload: agent.currentWorkload,
    success_rate: agent.successRate ?? 1,
    is_remote: agent.isRemote,
    budget_spent_until: toTimestamp(agent.budgetSpentUntil),
    resting_until: toTimestamp(agent.restingUntil),
    created_at: toTimestamp(agent.createdAt),
  }
}

const params = z.object({ agent_id: idText })

const one = { status: 200, schema: agentJson } as const

const listAgents = operation({
  id: 'listAgents',
  tag: 'agents',
  summary: 'Agents, oldest first',
  description: 'Of all workspaces within reach, or of one.',
  method: 'GET',
  path: '/v2/agents',
  client: 'agents.list',
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
    'The runtime that the host registers for its type works on its tasks, or your own program does by claiming them.',
  method: 'POST',
  path: '/v2/agents',
  client: 'agents.create',
  scope: 'agents:write',
  idempotent: true,
  body: z.object({ ...agentFields.newBody, workspace_id: idText.nullish() }),
  example: { name: 'Reader', type: 'custom' },
  answer: { status: 201, schema: agentJson },
  async run({ services, principal, request, body }) {
    const given = agentFields.newOf(body)
    const workspaceId = await workspaceOf(services, principal, body.workspace_id)
    const idempotency = idempotencyClaim(request, principal, 'POST /v2/agents', { ...given, workspaceId })
    const agent = await services.quota.createHeld(principal, 'agents', (tx) =>
      services.agents.createParsed(workspaceId, given, { idempotency, tx }),
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
  client: 'agents.get',
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
  client: 'agents.update',
  scope: 'agents:write',
  params,
  body: z.object(agentFields.changeBody),
  example: { paused: true },
  answer: one,
  async run({ services, principal, params: { agent_id: agentId }, body }) {
    const { workspaceId } = await services.agents.find(principal, agentId)
    const change = agentFields.changeOf(body)
    return toWireAgent(await services.agents.updateParsed(workspaceId, agentId, change))
  },
})

const deleteAgent = operation({
  id: 'deleteAgent',
  tag: 'agents',
  summary: 'Deletes an agent without open tasks',
  description:
    'Rejected with 409 while it works on a task, or while a task that is not completed is assigned to it.',
  method: 'DELETE',
  path: '/v2/agents/{agent_id}',
  client: 'agents.delete',
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
