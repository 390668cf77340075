import { z } from 'zod'
import { TaskboardError } from '../../errors/index.js'
import { correctionInput, microsPerUsd, type BudgetInput, type MonthlyBudget } from '../../usage/index.js'
import { idempotencyClaim } from '../idempotency-key.js'
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

const signedTokens = z.int({ error: 'must be a whole number' }).nullish().meta({ description: 'Default 0.' })

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
  description: 'The budget of the workspace comes first, even when it has none.',
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
  scope: 'account:write',
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

const correctUsage = operation({
  ...common,
  id: 'correctUsage',
  summary: 'Corrects what a month has used',
  description:
    'For people alone. The amounts are added, so negative amounts undo mistaken reports; no month can fall below zero. A correction is its own line in the sums of usage, and is in the audit with the reason. Tasks that are on hold as budget wait for their release.',
  method: 'POST',
  path: '/v2/account/usage/corrections',
  client: 'budgets.correct',
  scope: 'account:write',
  userOnly: true,
  idempotent: true,
  wireFields: {
    inputTokens: 'input_tokens',
    outputTokens: 'output_tokens',
    cachedInputTokens: 'cached_input_tokens',
    costUsd: 'cost_usd',
  },
  body: z.object({
    workspace_id: idText.nullish().meta({ description: 'Default: the workspace of the caller.' }),
    agent_id: idText.nullish().meta({
      description:
        'The agent whose month is corrected, along with its workspace; null for the workspace alone.',
    }),
    month: z.string({ error: 'must be a month such as 2026-11' }).nullish().meta({
      description: 'As 2026-11; default the present one, UTC. A past one counts in the sums alone.',
    }),
    input_tokens: signedTokens,
    output_tokens: signedTokens,
    cached_input_tokens: signedTokens,
    cost_usd: z.number({ error: 'must be a number' }).nullish().meta({ description: 'Default 0.' }),
    model: z.string({ error: 'must be text' }).nullish().meta({
      description: 'Of the reports that were wrong, for the sums by model; default correction.',
    }),
    reason: correctionInput.shape.reason.meta({ description: '1 to 500 characters, for the audit.' }),
  }),
  example: { cost_usd: -99, reason: 'A worker reported cents as dollars.' },
  answer: {
    status: 201,
    schema: z
      .object({
        id: z.string(),
        workspace: monthlyBudgetJson,
        agent: monthlyBudgetJson.nullable(),
      })
      .meta({ id: 'UsageCorrection', description: 'The present month, after the correction.' }),
  },
  async run({ services, principal, by, request, body: input }) {
    const { workspace_id: wanted, agent_id: agentId, ...amounts } = input
    const workspaceId = await workspaceOf(services, principal, wanted)
    const idempotency = idempotencyClaim(request, principal, 'POST /v2/account/usage/corrections', {
      ...input,
      workspaceId,
    })
    const { id, workspace, agent } = await services.usage.correct(
      { workspaceId, agentId },
      {
        inputTokens: amounts.input_tokens,
        outputTokens: amounts.output_tokens,
        cachedInputTokens: amounts.cached_input_tokens,
        costUsd: amounts.cost_usd,
        month: amounts.month,
        model: amounts.model,
        reason: amounts.reason,
      },
      { by, idempotency },
    )
    return { id, workspace: toWireMonthly(workspace), agent: agent && toWireMonthly(agent) }
  },
})

/** What agents and workspaces may use in a month. */
export const budgetOperations = [listBudgets, setAgentBudget, setWorkspaceBudget, correctUsage]
