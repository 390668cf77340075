import type { AgentOverview, Workspace } from '@taskboard/core'
import { reaches } from '@taskboard/core/transport'
import type { GraphqlContext } from '../graphql-context.js'
import { nullIfAbsent } from '../loaders.js'
import type { WireObject } from '../wire-names.js'
import type { SchemaPart } from './field-plan.js'
import { pageSize } from './page-size.js'
import { searchTasks, taskListArguments, type TaskListArguments } from './task-connection.js'

const types = /* GraphQL */ `
  "A resource beyond the caller's reach is null or an error with the code RESOURCE_NOT_FOUND, as if it did not exist."
  type Query {
    "A workspace; null when it does not exist."
    workspace(id: ID!): Workspace
    "The workspaces within reach, oldest first. Needs account:read."
    workspaces: [WorkspaceSummary!]
  }

  """
  Each write needs the scope of the resource that it changes: tasks:write, agents:write, webhooks:write or account:write. Creates accept an
  Idempotency-Key header, as in REST.
  """
  type Mutation {
    "Creates a workspace, with its own board. Only for callers that reach the whole account."
    createWorkspace(input: CreateWorkspaceInput!): WorkspaceSummary
  }

  input CreateWorkspaceInput {
    "1 to 100 characters."
    name: String!
  }

  "A workspace with its board."
  type Workspace {
    id: ID!
    name: String!
    createdAt: DateTime!
    "Its tasks that match every given argument. Needs tasks:read."
    tasks(
${taskListArguments}
    ): TaskConnection
    "Its agents, oldest first. Needs agents:read."
    agents(
      "How many at most: 1 to 100."
      first: Int = 20
      "The id of the last agent of the page before."
      after: ID
    ): [Agent!]
    "Its webhooks, oldest first. Needs webhooks:read."
    webhooks: [Webhook!]
    "Figures about its tasks. Needs analytics:read."
    analytics(period: AnalyticsPeriod = LAST_30_DAYS): Analytics
  }

  "A workspace in a list. Query it by id for its board."
  type WorkspaceSummary {
    id: ID!
    name: String!
    "Whether it is used when a request names no workspace."
    isDefault: Boolean!
    createdAt: DateTime!
  }

  "Figures about the tasks of a period."
  type Analytics {
    "How many tasks were created."
    totalTasks: Int!
    "How many tasks were completed, and not reopened since."
    tasksCompleted: Int!
    "In hours: the time that a person would have needed for the completed tasks, less the time that they took."
    timesSaved: Float!
    "The share of completed tasks among those that completed or failed permanently, from 0 to 1; 0 when there are none."
    successRate: Float!
    "In seconds; 0 when nothing was timed."
    avgCompletionTime: Float!
    from: DateTime!
    to: DateTime!
    "One for each day, in order."
    daily: [DailyAnalytics!]!
  }

  type DailyAnalytics {
    "YYYY-MM-DD, in UTC."
    date: String!
    tasksCompleted: Int!
    "In seconds; 0 when nothing was timed."
    avgCompletionTime: Float!
    "In hours."
    timesSaved: Float!
  }
`

/** The periods that figures can be of, in days. */
export const periodDays: Readonly<Record<string, number>> = {
  last_7_days: 7,
  last_30_days: 30,
  last_90_days: 90,
}
const DAY_MS = 86_400_000

export const workspacePart: SchemaPart = {
  types,
  fields: {
    Query: {
      workspace: (_: unknown, { id }: { id: string }, context: GraphqlContext) => findWorkspace(context, id),
      workspaces: {
        size: 20,
        resolve: async (_: unknown, __: unknown, { call }: GraphqlContext) =>
          (await call('getAccount'))['workspaces'],
      },
    },
    Mutation: {
      createWorkspace: {
        weight: 250,
        resolve: (_: unknown, { input }: { input: WireObject }, { write }: GraphqlContext) =>
          write('createWorkspace', { body: input }),
      },
    },
    Workspace: {
      tasks: {
        scope: 'tasks:read',
        size: 'first',
        resolve: ({ id }: Workspace, args: TaskListArguments, context: GraphqlContext) =>
          searchTasks(context, { ...args, workspaceId: id }),
      },
      agents: { scope: 'agents:read', size: 'first', resolve: listAgents },
      webhooks: {
        size: 20,
        resolve: async ({ id }: Workspace, _: unknown, { call }: GraphqlContext) =>
          (await call('listWebhooks', { query: { workspaceId: id } }))['webhooks'],
      },
      analytics: { resolve: readAnalytics },
    },
    Analytics: {
      totalTasks: ({ metrics }: AnalyticsAnswer) => metrics['totalTasks'],
      tasksCompleted: ({ metrics }: AnalyticsAnswer) => metrics['completedTasks'],
      timesSaved: ({ metrics }: AnalyticsAnswer) => metrics['timeSavedHours'],
      successRate: ({ metrics }: AnalyticsAnswer) => metrics['successRate'],
      avgCompletionTime: ({ metrics }: AnalyticsAnswer) => metrics['avgCompletionTime'],
      from: ({ period }: AnalyticsAnswer) => period['from'],
      to: ({ period }: AnalyticsAnswer) => period['to'],
      daily: { size: 30, resolve: ({ dailyBreakdown }: AnalyticsAnswer) => dailyBreakdown },
    },
    DailyAnalytics: {
      timesSaved: ({ timeSaved }: { timeSaved: number }) => timeSaved,
    },
  },
}

interface AnalyticsAnswer {
  readonly period: WireObject
  readonly metrics: WireObject
  readonly dailyBreakdown: readonly WireObject[]
}

async function findWorkspace({ services, principal }: GraphqlContext, id: string): Promise<Workspace | null> {
  const workspace = await nullIfAbsent(services.accounts.getWorkspace(id))
  return workspace !== null && reaches(principal, workspace) ? workspace : null
}

async function listAgents(
  { id }: Workspace,
  { first, after }: { readonly first?: number | null; readonly after?: string | null },
  { services, principal }: GraphqlContext,
): Promise<readonly AgentOverview[]> {
  const limit = pageSize(first)
  const page = await services.agents.listWithin(principal, {
    workspaceId: id,
    limit,
    cursor: after ?? undefined,
  })
  return page.agents
}

function readAnalytics(
  { id }: Workspace,
  { period }: { readonly period?: string | null },
  { services, call }: GraphqlContext,
): Promise<WireObject> {
  const days = periodDays[period ?? ''] ?? 30
  const now = services.environment.clock.now()
  const query = { workspaceId: id, from: dateOf(now - (days - 1) * DAY_MS), to: dateOf(now) }
  return call('getTaskAnalytics', { query })
}

function dateOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10)
}
