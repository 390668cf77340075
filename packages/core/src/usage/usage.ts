import { z } from 'zod'
import { TaskboardError, textOf, wholeNumber } from '../errors/index.js'
import type { Bounds } from '../limits/index.js'

/** What work has used. All are whole numbers. */
export interface UsageAmounts {
  readonly inputTokens: number
  readonly outputTokens: number
  /** The part of `inputTokens` that a cache of the model's provider had. */
  readonly cachedInputTokens: number
  /** In millionths of a dollar. */
  readonly costMicros: number
}

/** One report, as it is stored. */
export interface UsageReport extends UsageAmounts {
  readonly model: string
}

/** A report of an agent, or of a program that knows what an agent has used. */
export interface UsageInput {
  /** The name of the language model, 1 to 200 characters. */
  readonly model: string
  readonly inputTokens: number
  readonly outputTokens: number
  /** The part of `inputTokens` that a cache had; default 0. */
  readonly cachedInputTokens?: number | null | undefined
  /** For a model of the host's `prices`, what counts is the larger of this and the cost by them. Default 0. */
  readonly costUsd?: number | null | undefined
}

/** The price of a language model, in dollars for a million tokens. */
export interface ModelPrice {
  readonly inputUsd: number
  readonly outputUsd: number
  /** For input that a cache had; default `inputUsd`. */
  readonly cachedInputUsd?: number | undefined
}

/** By the name of the model, as reports have it. `*` is the price of all others. */
export type ModelPrices = Readonly<Record<string, ModelPrice>>

export const microsPerUsd = 1_000_000

const MOST_USD = 1_000_000
const MOST_TOKENS = 1_000_000_000_000

const COST_RULE = `must be a number from 0 to ${MOST_USD}`

const tokens = wholeNumber(0, MOST_TOKENS)

/** The members of a report. */
export const usageFields = z.strictObject({
  model: textOf({ most: 200, isBlankAllowed: false }),
  inputTokens: tokens,
  outputTokens: tokens,
  cachedInputTokens: tokens.nullish(),
  costUsd: z.number({ error: COST_RULE }).min(0, COST_RULE).max(MOST_USD, COST_RULE).nullish(),
})

/** The schema of a report with more members, whose cached tokens are part of its input. */
export const usageInputWith = <Shape extends z.ZodRawShape>(more: Shape) =>
  z.strictObject({ ...usageFields.shape, ...more }).refine(
    (report) => {
      const { inputTokens, cachedInputTokens } = report as z.output<typeof usageFields>
      return (cachedInputTokens ?? 0) <= inputTokens
    },
    { path: ['cachedInputTokens'], message: 'must not be more than all input tokens' },
  )

export const usageInput = usageInputWith({})

/** @throws TaskboardError `INVALID_FIELD` for a report beyond the limits, naming `costUsd` or the larger of the two amounts of tokens. */
export function requireModest(
  { inputTokens, outputTokens, costUsd }: UsageInput,
  { usdPerReport: usd, tokensPerReport: most }: Pick<Bounds, 'usdPerReport' | 'tokensPerReport'>,
): void {
  if ((costUsd ?? 0) > usd) {
    throw new TaskboardError('INVALID_FIELD', `costUsd must be at most ${usd} in one report`, {
      field: 'costUsd',
    })
  }
  if (inputTokens + outputTokens <= most) return
  const field = inputTokens >= outputTokens ? 'inputTokens' : 'outputTokens'
  const rule = `inputTokens and outputTokens must add up to at most ${most} in one report`
  throw new TaskboardError('INVALID_FIELD', rule, { field })
}

/**
 * The report to store, in whole millionths of a dollar. A report may name a higher cost than `prices` do, and no lower one.
 * @example
 * ```ts
 * import { toUsageReport } from '@taskboard/core'
 *
 * const prices = { small: { inputUsd: 0.5, outputUsd: 2 } }
 * const used = { model: 'small', inputTokens: 1_000, outputTokens: 100 }
 * console.log(toUsageReport(used, prices).costMicros) // 700
 * console.log(toUsageReport({ ...used, costUsd: 0.01 }, prices).costMicros) // 10000
 * console.log(toUsageReport({ ...used, costUsd: 0 }, prices).costMicros) // 700
 * ```
 */
export function toUsageReport(input: UsageInput, prices: ModelPrices): UsageReport {
  const { model, inputTokens, outputTokens } = input
  const cachedInputTokens = input.cachedInputTokens ?? 0
  const amounts = { inputTokens, outputTokens, cachedInputTokens }
  const reported = Math.round((input.costUsd ?? 0) * microsPerUsd)
  const costMicros = Math.max(reported, priceOf(amounts, prices, model))
  return { model, ...amounts, costMicros }
}

/** A dollar for a million tokens is a millionth of a dollar for one. */
function priceOf(
  { inputTokens, outputTokens, cachedInputTokens }: Omit<UsageAmounts, 'costMicros'>,
  prices: ModelPrices,
  model: string,
): number {
  const price = prices[[model, '*'].find((name) => Object.hasOwn(prices, name)) ?? '']
  if (price === undefined) return 0
  const { inputUsd, outputUsd, cachedInputUsd = inputUsd } = price
  const input = (inputTokens - cachedInputTokens) * inputUsd + cachedInputTokens * cachedInputUsd
  return Math.round(input + outputTokens * outputUsd)
}

/** The sum of no reports. */
export const noUsage: UsageAmounts = Object.freeze({
  inputTokens: 0,
  outputTokens: 0,
  cachedInputTokens: 0,
  costMicros: 0,
})

/**
 * The sum of two amounts.
 * @example
 * ```ts
 * import { addUsage, noUsage } from '@taskboard/core/storage'
 *
 * console.log(addUsage(noUsage, { ...noUsage, costMicros: 5 }).costMicros) // 5
 * ```
 */
export function addUsage(one: UsageAmounts, other: UsageAmounts): UsageAmounts {
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    cachedInputTokens: one.cachedInputTokens + other.cachedInputTokens,
    costMicros: one.costMicros + other.costMicros,
  }
}
