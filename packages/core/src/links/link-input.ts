import { z } from 'zod'
import { parseInput, textOf } from '../errors/index.js'

const DAY_MS = 86_400_000
export const DEFAULT_LINK_MS = DAY_MS
const LONGEST_LINK_MS = 7 * DAY_MS

const id = textOf({ most: 256, isBlankAllowed: false })

const linkInput = z
  .strictObject({
    workspaceId: id,
    userId: id,
    approvalId: id.nullish(),
    taskId: id.nullish(),
    expiresInMs: z
      .int('must be a whole number')
      .min(1_000, 'must be at least a second')
      .max(LONGEST_LINK_MS, 'must be at most 7 days')
      .nullish(),
  })
  .refine(({ approvalId, taskId }) => (approvalId == null) !== (taskId == null), {
    error: 'must be given, or taskId instead',
    path: ['approvalId'],
  })

/**
 * A link to make: for the person `userId` and either the approval `approvalId` or the open question of the task `taskId`. It expires after
 * `expiresInMs`: at most 7 days, default 24 hours.
 */
export type LinkInput = z.input<typeof linkInput>

/** @throws TaskboardError `MISSING_FIELD`, `INVALID_FIELD`. */
export function parseLinkInput(given: LinkInput) {
  const { workspaceId, userId, approvalId, taskId, expiresInMs } = parseInput(linkInput, given)
  const about = approvalId == null ? { taskId: taskId ?? '' } : { approvalId }
  return { workspaceId, userId, about, ttlMs: expiresInMs ?? DEFAULT_LINK_MS }
}
