import type { GraphqlContext } from '../graphql-context.js'
import type { WireObject } from '../wire-names.js'
import type { FieldPlan, SchemaPart } from './field-plan.js'
import { pageSize } from './page-size.js'
import { forwardOnly } from './webhook-part.js'

const types = /* GraphQL */ `
  extend type Query {
    "The monthly budgets of a workspace (by default the caller's own) and of its agents. Needs agents:read."
    budgets(
      workspaceId: ID
      "How many at most: 1 to 100."
      first: Int = 20
      "The endCursor of the page before."
      after: String
    ): BudgetConnection
    "The usage that agents reported. Groups without a report are left out. Needs analytics:read."
    usage(
      "The first day, as 2026-11-22, in UTC."
      from: String!
      "The last day: at most 366 days in all."
      to: String!
      groupBy: UsageGroup!
      "Default: all workspaces within reach."
      workspaceId: ID
      "How many at most: 1 to 100."
      first: Int = 20
      "The endCursor of the page before."
      after: String
    ): UsageConnection
  }

  extend type Mutation {
    "Sets the monthly budget of an agent; null for any amount."
    setAgentBudget(agentId: ID!, budget: BudgetInput): MonthlyBudget
    "Sets the monthly budget of a workspace; null for any amount."
    setWorkspaceBudget(workspaceId: ID!, budget: BudgetInput): MonthlyBudget
  }

  "The monthly budget of an agent, or with a null agentId of a workspace. Months are UTC."
  type MonthlyBudget {
    workspaceId: ID!
    agentId: ID
    budget: Budget
    "The start of the month."
    month: DateTime!
    used: BudgetUse!
    "While true, no claim gives a task to the agent, or within the workspace."
    isSpent: Boolean!
  }

  type BudgetUse {
    tokens: Float!
    costUsd: Float!
  }

  "A page of sums."
  type UsageConnection {
    nodes: [UsageSum!]!
    "Pages lead forwards only."
    pageInfo: PageInfo!
  }

  type UsageSum {
    "A day as 2026-11-22, the id of an agent, a type or a model. Empty for none."
    key: String!
    reports: Float!
    inputTokens: Float!
    outputTokens: Float!
    cachedInputTokens: Float!
    costUsd: Float!
  }

  type BudgetConnection {
    nodes: [MonthlyBudget!]!
    pageInfo: PageInfo!
  }
`

interface ListArguments {
  readonly workspaceId?: string | null
  readonly first?: number | null
  readonly after?: string | null
}

async function listBudgets(
  _: unknown,
  { workspaceId, first, after }: ListArguments,
  { call }: GraphqlContext,
): Promise<object> {
  const query = {
    limit: String(pageSize(first)),
    cursor: after ?? undefined,
    workspaceId: workspaceId ?? undefined,
  }
  const { budgets, nextCursor } = await call('listBudgets', { query })
  return { nodes: budgets, pageInfo: forwardOnly(nextCursor, after) }
}

interface UsageArguments extends ListArguments {
  readonly from: string
  readonly to: string
  readonly groupBy: string
}

async function sumUsage(
  _: unknown,
  { workspaceId, first, after, ...period }: UsageArguments,
  { call }: GraphqlContext,
): Promise<object> {
  const page = { limit: String(pageSize(first)), cursor: after ?? undefined }
  const query = { ...period, ...page, workspaceId: workspaceId ?? undefined }
  const { usage, nextCursor } = await call('getUsage', { query })
  return { nodes: usage, pageInfo: forwardOnly(nextCursor, after) }
}

interface SetArguments {
  readonly budget?: WireObject | null
}

const set = (operationId: string, holder: 'agentId' | 'workspaceId'): FieldPlan => ({
  weight: 250,
  resolve: (
    _: unknown,
    { budget = null, ...named }: SetArguments & Readonly<Record<string, unknown>>,
    { write }: GraphqlContext,
  ) => write(operationId, { params: { [holder]: String(named[holder]) }, body: { budget } }),
})

/** Usage and monthly budgets, by the operations of REST. */
export const budgetPart: SchemaPart = {
  types,
  fields: {
    Query: {
      budgets: { size: 'first', resolve: listBudgets },
      usage: { size: 'first', resolve: sumUsage },
    },
    Mutation: {
      setAgentBudget: set('setAgentBudget', 'agentId'),
      setWorkspaceBudget: set('setWorkspaceBudget', 'workspaceId'),
    },
  },
}
