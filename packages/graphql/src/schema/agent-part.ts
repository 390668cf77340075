import { TaskboardError, type AgentOverview, type TaskAgent } from '@taskboard/core'
import type { GraphqlContext } from '../graphql-context.js'
import { nullIfAbsent } from '../loaders.js'
import type { WireObject } from '../wire-names.js'
import type { FieldPlan, SchemaPart } from './field-plan.js'

const types = /* GraphQL */ `
  extend type Query {
    "An agent; null for one that there is not. Needs agents:read."
    agent(id: ID!): Agent
  }

  extend type Mutation {
    "Gives a workspace one more agent."
    createAgent(input: CreateAgentInput!): Agent
    "Changes what is given; null empties what can be empty. Runs that begin later get the change."
    updateAgent(id: ID!, input: UpdateAgentInput!): Agent
    "Deletes an agent that has nothing left to do, and gives its id."
    deleteAgent(id: ID!): ID
  }

  input CreateAgentInput {
    "1 to 100 characters."
    name: String!
    "1 to 64 characters: the runtime that works it, or custom."
    type: String!
    "The identifier of a model."
    model: String
    systemPrompt: String
    capabilities: [String!]
    tools: [String!]
    "Default: the caller's own."
    workspaceId: ID
  }

  input UpdateAgentInput {
    name: String
    type: String
    model: String
    systemPrompt: String
    capabilities: [String!]
    tools: [String!]
  }

  "Beside a task, more than its id, name, type and status needs agents:read."
  type Agent {
    id: ID!
    name: String!
    type: String!
    status: AgentStatus!
    workspaceId: ID!
    model: String
    systemPrompt: String
    capabilities: [String!]!
    tools: [String!]!
    "The tasks that it works on, and those that wait for it alone."
    currentWorkload: Int!
    "The completed part of its last hundred attempts: 0 to 1; 1 before the first."
    successRate: Float!
    createdAt: DateTime!
  }
`

/** An agent as it comes with a task, or whole. */
type AgentSource = TaskAgent | AgentOverview

/** A member that an agent beside a task comes without: it is looked up, for all of them at once. */
function lookedUp(read: (agent: AgentOverview) => unknown): FieldPlan {
  return {
    resolve: (source: AgentSource, _: unknown, { loaders }: GraphqlContext) =>
      'workspaceId' in source ? read(source) : loaders.agents.load(source.id).then(present).then(read),
  }
}

function profile(read: (agent: AgentOverview) => unknown): FieldPlan {
  return { ...lookedUp(read), scope: 'agents:read' }
}

/** A mutation that answers with the agent. */
function writeAgent(operationId: string): FieldPlan {
  return {
    weight: 250,
    async resolve(
      _: unknown,
      { id, input }: { readonly id?: string; readonly input: WireObject },
      { write, surface, principal }: GraphqlContext,
    ) {
      const answer = await write(operationId, {
        ...(id !== undefined && { params: { agentId: id } }),
        body: input,
      })
      return surface.agents.find(principal, String(answer['id']))
    },
  }
}

export const agentPart: SchemaPart = {
  types,
  fields: {
    Query: {
      agent: {
        scope: 'agents:read',
        resolve: (_: unknown, { id }: { id: string }, { surface, principal }: GraphqlContext) =>
          nullIfAbsent(surface.agents.find(principal, id)),
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
      model: profile(({ model }) => model),
      systemPrompt: profile(({ systemPrompt }) => systemPrompt),
      capabilities: profile(({ capabilities }) => capabilities),
      tools: profile(({ tools }) => tools),
      currentWorkload: profile(({ currentWorkload }) => currentWorkload),
      successRate: profile(({ successRate }) => successRate ?? 1),
      createdAt: profile(({ createdAt }) => createdAt),
    },
  },
}

function present(agent: AgentOverview | null): AgentOverview {
  if (agent !== null) return agent
  throw new TaskboardError('NOT_FOUND', 'no such agent')
}
