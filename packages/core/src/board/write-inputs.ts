import { z } from 'zod'
import { boundedText, textOf, wholeNumber } from '../errors/index.js'
import { usageInputWith } from '../usage/index.js'
import { holdReasons, logLevels } from './task.js'

const TEXT_CODE_POINTS = 20_000
const RESULT_CODE_POINTS = 1_000_000
const USER_CODE_POINTS = 100
const LOG_LINE_CODE_POINTS = 10_000
const LONGEST_POSTPONEMENT_MS = 3_600_000
/** Schemes that a browser would run instead of opening. */
const UNSAFE_SCHEMES = new Set(['javascript:', 'vbscript:', 'data:'])

const FENCING_RULE = 'must be the whole number that the claim returned'
const fencingToken = z.int({ error: FENCING_RULE }).min(1, FENCING_RULE)
const PERCENT_RULE = 'must be a number from 0 to 100'
const percent = z.number({ error: PERCENT_RULE }).min(0, PERCENT_RULE).max(100, PERCENT_RULE)

/** The input of `board.chat`. */
export const chatInput = z.strictObject({
  message: textOf({ most: TEXT_CODE_POINTS, isBlankAllowed: false }),
  user: textOf({ most: USER_CODE_POINTS, isBlankAllowed: false }).nullish(),
})

const result = boundedText(RESULT_CODE_POINTS).default('')

/** The input of `board.complete` for the agent that works on the task. */
export const completionInput = z.strictObject({ fencingToken, result })

/** The input of `board.complete` for a person. */
export const finishInput = z.strictObject({
  result,
  takeOver: z.boolean({ error: 'must be true or false' }).default(false),
})

/** The input of `board.fail`. */
export const failureInput = z.strictObject({
  fencingToken,
  reason: boundedText(TEXT_CODE_POINTS),
  retry: z.boolean().default(true),
  /** The agent can't work now, through no fault of the task: when to try again. The attempt doesn't count. */
  retryAfterMs: wholeNumber(1_000, LONGEST_POSTPONEMENT_MS).optional(),
})

/** The input of `board.delegate`, except for the tasks. */
export const delegationInput = z.strictObject({
  fencingToken,
  wait: z.boolean().default(false),
  leaseMs: z.number().optional(),
})

/** The input of `board.hold`. */
export const holdInput = z.strictObject({
  reason: z.enum(holdReasons),
  message: boundedText(TEXT_CODE_POINTS).nullish(),
  fencingToken: fencingToken.nullish(),
})

/** The input of `board.progress`. Rounded to whole percents. */
export const progressInput = z.strictObject({
  fencingToken,
  progress: percent,
})

/** The input of `board.log`. */
export const logInput = z.strictObject({
  fencingToken,
  message: boundedText(LOG_LINE_CODE_POINTS),
  level: z.enum(logLevels).default('info'),
})

/** The input of `board.usage`. */
export const reportInput = usageInputWith({ fencingToken: fencingToken.nullish() })

/** A reference to something that an agent made. */
export const outputFields = z.strictObject({
  type: boundedText(100).min(1, 'must not be empty'),
  name: boundedText(200).min(1, 'must not be empty'),
  url: boundedText(2_048).refine(isReference, 'must be an absolute URL that is safe to follow'),
  size: wholeNumber(0, Number.MAX_SAFE_INTEGER).nullish(),
})

/** The input of `board.output`. */
export const outputInput = z.strictObject({ fencingToken, ...outputFields.shape })

function isReference(url: string): boolean {
  return URL.canParse(url) && !UNSAFE_SCHEMES.has(new URL(url).protocol)
}
