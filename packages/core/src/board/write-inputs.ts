import { z } from 'zod'
import { boundedText, textOf } from '../errors/index.js'
import { holdReasons } from './task.js'

const TEXT_CODE_POINTS = 20_000
const RESULT_CODE_POINTS = 1_000_000
const USER_CODE_POINTS = 100

const fencingToken = z.number().int().min(1)

/** What `board.chat` takes. */
export const chatInput = z.object({
  message: textOf({ most: TEXT_CODE_POINTS, isBlankAllowed: false }),
  user: textOf({ most: USER_CODE_POINTS, isBlankAllowed: false }).nullish(),
})

/** What `board.complete` takes. */
export const completionInput = z.object({
  fencingToken,
  result: boundedText(RESULT_CODE_POINTS).default(''),
})

/** What `board.fail` takes. */
export const failureInput = z.object({
  fencingToken,
  reason: boundedText(TEXT_CODE_POINTS),
  retry: z.boolean().default(true),
})

/** What `board.hold` takes. */
export const holdInput = z.object({
  reason: z.enum(holdReasons as [string, ...string[]] as ['failed', 'cancelled', 'needs_input', 'approval']),
  message: boundedText(TEXT_CODE_POINTS).nullish(),
  fencingToken: fencingToken.nullish(),
})
