import { z } from 'zod'
import { microsPerUsd, type Budget, type BudgetInput, type UsageAmounts } from '../../usage/index.js'

/** The budget of a task, an agent or a workspace: at least one of the two. */
export const budgetBody = z
  .object({
    tokens: z.number().nullish().meta({ description: 'Input and output together: a whole number from 1.' }),
    cost_usd: z.number().nullish().meta({ description: 'From 0.000001, in whole millionths.' }),
  })
  .strict()
  .meta({ description: 'At least one of the two. One report may use more than is left.' })

/** A budget in an answer. */
export const budgetJson = z
  .object({ tokens: z.number().nullable(), cost_usd: z.number().nullable() })
  .meta({ id: 'Budget' })

/** A budget of a body. */
export function toBudget(
  body: z.output<typeof budgetBody> | null | undefined,
): BudgetInput | null | undefined {
  return body == null ? body : { tokens: body.tokens, costUsd: body.cost_usd }
}

export function toWireBudget(budget: Budget | null): z.output<typeof budgetJson> | null {
  return budget && { tokens: budget.tokens, cost_usd: budget.costUsd }
}

/** What was used, in an answer. */
export const usageJson = z
  .object({
    input_tokens: z.number(),
    output_tokens: z.number(),
    cached_input_tokens: z.number().meta({ description: 'The part of input_tokens that a cache had.' }),
    cost_usd: z.number(),
  })
  .meta({ id: 'TaskUsage' })

export function toWireUsage(used: UsageAmounts): z.output<typeof usageJson> {
  return {
    input_tokens: used.inputTokens,
    output_tokens: used.outputTokens,
    cached_input_tokens: used.cachedInputTokens,
    cost_usd: used.costMicros / microsPerUsd,
  }
}
