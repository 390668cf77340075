import { z } from 'zod'
import { TaskboardError } from '../../errors/index.js'
import { microsPerUsd, type BudgetInput, type MonthlyBudget } from '../../usage/index.js'
import { budgetBody, budgetJson, toBudget, toWireBudget } from '../wire/usage-wire.js'
import { operation, workspaceOf } from './operation.js'
import { idText, nextCursor, pageQuery, timestamp, toTimestamp } from '../wire/wire-schemas.js'

/** A monthly budget in an answer. */
const monthlyBudgetJson = z
  .object({
    workspace_id: z.string(),
    agent_id: z.string().nullable().meta({ description: 'Null for the budget of the workspace itself.' }),
    budget: budgetJson.nullable(),
    month: timestamp.meta({ description: 'The start of the calendar month, UTC.' }),
    used: z.object({ tokens: z.number(), cost_usd: z.number() }),
    is_spent: z
      .boolean()
      .meta({ description: 'While true, no claim gives a task to the agent, or within the workspace.' }),
  })
  .meta({ id: 'MonthlyBudget' })

function toWireMonthly(monthly: MonthlyBudget): z.output<typeof monthlyBudgetJson> {
  return {
    workspace_id: monthly.workspaceId,
    agent_id: monthly.agentId,
    budget: toWireBudget(monthly.budget),
    month: toTimestamp(monthly.month),
    used: { tokens: monthly.tokens, cost_usd: monthly.costMicros / microsPerUsd },
    is_spent: monthly.isSpent,
  }
}

const common = { tag: 'agents', wireFields: { budget: 'budget' } } as const
const one = { status: 200, schema: monthlyBudgetJson } as const
const body = z.object({
  budget: budgetBody
    .nullish()
    .meta({ description: 'Required. For each calendar month, UTC; null for any amount.' }),
})

/** Null is a value here: only an absent budget is missing. */
function requireBudget(budget: z.output<typeof body>['budget']): BudgetInput | null {
  const given = toBudget(budget)
  if (given !== undefined) return given
  throw new TaskboardError('MISSING_FIELD', 'budget is required', { field: 'budget' })
}

const listBudgets = operation({
  ...common,
  id: 'listBudgets',
  summary: 'The monthly budgets of a workspace and of its agents',
  description: 'The budget of the workspace comes first, also when it has none.',
  method: 'GET',
  path: '/v2/budgets',
  client: 'budgets.list',
  scope: 'agents:read',
  query: z.object({ workspace_id: idText.optional(), ...pageQuery }),
  answer: {
    status: 200,
    schema: z.object({ budgets: z.array(monthlyBudgetJson), next_cursor: nextCursor }),
  },
  async run({ services, principal, query: { workspace_id: wanted, limit, cursor } }) {
    const workspaceId = await workspaceOf(services, principal, wanted)
    const page = await services.usage.budgets(workspaceId, { limit, cursor })
    return { budgets: page.budgets.map(toWireMonthly), next_cursor: page.nextCursor }
  },
})

const setAgentBudget = operation({
  ...common,
  id: 'setAgentBudget',
  summary: 'Sets or removes the monthly budget of an agent',
  method: 'PATCH',
  path: '/v2/agents/{agent_id}/budget',
  client: 'agents.setBudget',
  scope: 'agents:write',
  params: z.object({ agent_id: idText }),
  body,
  example: { budget: { tokens: 1_000_000 } },
  answer: one,
  async run({ services, principal, by, params: { agent_id: agentId }, body: { budget } }) {
    const { workspaceId } = await services.agents.find(principal, agentId)
    return toWireMonthly(
      await services.usage.setBudget({ workspaceId, agentId }, requireBudget(budget), { by }),
    )
  },
})

const setWorkspaceBudget = operation({
  ...common,
  id: 'setWorkspaceBudget',
  summary: 'Sets or removes the monthly budget of a workspace',
  method: 'PATCH',
  path: '/v2/workspaces/{workspace_id}/budget',
  client: 'workspaces.setBudget',
  scope: 'account:write',
  params: z.object({ workspace_id: idText }),
  body,
  example: { budget: null },
  answer: one,
  async run({ services, principal, by, params: { workspace_id: wanted }, body: { budget } }) {
    const workspaceId = await workspaceOf(services, principal, wanted)
    return toWireMonthly(await services.usage.setBudget({ workspaceId }, requireBudget(budget), { by }))
  },
})

/** What agents and workspaces may use in a month. */
export const budgetOperations = [listBudgets, setAgentBudget, setWorkspaceBudget]
