import { operationSchemas } from '@taskboard/core/transport'
import { z } from 'zod'
import type { Answer, BoardCalls } from '../board-calls.js'
import { members, pick } from './tool.js'

const full = operationSchemas('getApproval').answer

/** An approval of a task, as its agent needs it to ask again. */
export const taskApproval = z.object({
  ...members(full, 'id', 'action', 'status', 'input', 'comment'),
  is_cut: z.boolean(),
})

/** How many approvals are read, and how many of them are shown. */
const MOST_READ = 30
export const mostShown = 10
/** Of all shown inputs and comments as JSON together, in characters. */
export const mostCharacters = 12_000

/** What the agent can act on comes first. Expired ones say nothing: the next request asks again. */
const SHOWN = ['approved', 'rejected', 'pending', 'used']

/** What was decided about a task, or waits for it. */
export interface TaskApprovals {
  readonly shown: readonly Answer[]
  /** Whether there can be others. */
  readonly hasMore: boolean
}

export async function readApprovals(board: BoardCalls, taskId: string): Promise<TaskApprovals> {
  const page = await board.call('listApprovals', { query: { task_id: taskId, limit: String(MOST_READ) } })
  const { shown, hasMore } = boundApprovals(page['approvals'] as readonly Answer[])
  return { shown, hasMore: hasMore || page['next_cursor'] !== null }
}

/** Of approvals, newest first, those to show. One whose texts don't fit is shown without them. */
export function boundApprovals(approvals: readonly Answer[]): TaskApprovals {
  const known = SHOWN.flatMap((status) => approvals.filter((each) => each['status'] === status))
  let left = mostCharacters
  const shown = known.slice(0, mostShown).map((each) => {
    const length = JSON.stringify([each['input'], each['comment']]).length
    const isCut = length > left
    if (!isCut) left -= length
    const texts = isCut ? { input: null, comment: null } : {}
    return pick({ ...each, ...texts, is_cut: isCut }, taskApproval)
  })
  return { shown, hasMore: known.length > shown.length }
}
