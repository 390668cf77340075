import { type AgentFields, type AgentOverview, type TaskAgent, TaskboardError } from '@taskboard/core'
import { agentFields } from '@taskboard/core/transport'
import type { GraphqlContext } from '../graphql-context.js'
import { nullIfAbsent } from '../loaders.js'
import type { WireObject } from '../wire-names.js'
import type { FieldPlan, SchemaPart } from './field-plan.js'
import { inputMembers, outputMembers } from './resource-types.js'

/** The agent of a task has its name, and its type needs no scope. */
const profileFields = agentFields.fields.filter(({ name }) => name !== 'name' && name !== 'type')

const types = /* GraphQL */ `
  extend type Query {
    "An agent; null when it does not exist. Needs agents:read."
    agent(id: ID!): Agent
  }

  extend type Mutation {
    "Creates an agent in a workspace."
    createAgent(input: CreateAgentInput!): Agent
    "Changes the fields that are given; null clears an optional field. Runs that begin later get the change."
    updateAgent(id: ID!, input: UpdateAgentInput!): Agent
    "Deletes an agent without open tasks, and returns its id."
    deleteAgent(id: ID!): ID
  }

  input CreateAgentInput {
    ${inputMembers(agentFields.fields, 'create')}
    "Default: the caller's own."
    workspaceId: ID
  }

  input UpdateAgentInput {
    ${inputMembers(agentFields.fields, 'update')}
  }

  "On a task, the fields other than id, name, type and status need agents:read."
  type Agent {
    id: ID!
    status: AgentStatus!
    workspaceId: ID!
    ${outputMembers(agentFields.fields)}
    "The tasks that it works on, and those that are assigned to it and wait."
    currentWorkload: Int!
    "The share of its last 100 attempts that completed, from 0 to 1; 1 before the first."
    successRate: Float!
    "The time until which it takes no task because its own or its workspace budget is spent; null while neither is."
    budgetSpentUntil: DateTime
    "Until when it takes no task because the provider of its model could not work; null otherwise."
    restingUntil: DateTime
    createdAt: DateTime!
  }
`

/** An agent in full, or as part of a task. */
type AgentSource = TaskAgent | AgentOverview

/** A field that the agent of a task lacks. It is loaded for all of them together. */
function lookedUp(read: (agent: AgentOverview) => unknown): FieldPlan {
  return {
    resolve: (source: AgentSource, _: unknown, { loaders }: GraphqlContext) =>
      'workspaceId' in source ? read(source) : loaders.agents.load(source.id).then(present).then(read),
  }
}

function profile(read: (agent: AgentOverview) => unknown): FieldPlan {
  return { ...lookedUp(read), scope: 'agents:read' }
}

/** A mutation that returns the agent. */
function writeAgent(operationId: string): FieldPlan {
  return {
    weight: 250,
    async resolve(
      _: unknown,
      { id, input }: { readonly id?: string; readonly input: WireObject },
      { write, services, principal }: GraphqlContext,
    ) {
      const answer = await write(operationId, {
        ...(id !== undefined && { params: { agentId: id } }),
        body: input,
      })
      return services.agents.find(principal, String(answer['id']))
    },
  }
}

export const agentPart: SchemaPart = {
  types,
  fields: {
    Query: {
      agent: {
        scope: 'agents:read',
        resolve: (_: unknown, { id }: { id: string }, { services, principal }: GraphqlContext) =>
          nullIfAbsent(services.agents.find(principal, id)),
      },
    },
    Mutation: {
      createAgent: writeAgent('createAgent'),
      updateAgent: writeAgent('updateAgent'),
      deleteAgent: {
        weight: 250,
        async resolve(_: unknown, { id }: { id: string }, { write }: GraphqlContext) {
          await write('deleteAgent', { params: { agentId: id } })
          return id
        },
      },
    },
    Agent: {
      type: lookedUp(({ type }) => type),
      workspaceId: profile(({ workspaceId }) => workspaceId),
      ...Object.fromEntries(
        profileFields.map(({ name }) => [name, profile((agent) => agent[name as keyof AgentFields])]),
      ),
      currentWorkload: profile(({ currentWorkload }) => currentWorkload),
      successRate: profile(({ successRate }) => successRate ?? 1),
      budgetSpentUntil: profile(({ budgetSpentUntil }) => budgetSpentUntil),
      restingUntil: profile(({ restingUntil }) => restingUntil),
      createdAt: profile(({ createdAt }) => createdAt),
    },
  },
}

function present(agent: AgentOverview | null): AgentOverview {
  if (agent !== null) return agent
  throw new TaskboardError('NOT_FOUND', 'no such agent')
}
