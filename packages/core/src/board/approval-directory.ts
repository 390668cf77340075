import type { Reach } from '../access/index.js'
import type { Environment, InTransaction } from '../environment/index.js'
import { requireLimit, TaskboardError } from '../errors/index.js'
import { type Approval, type ApprovalStatus, approvalStatuses } from './approval.js'
import type { ApprovalQuery, ApprovalStore } from './approval-store.js'
import { DEFAULT_PAGE, type ListOptions } from './board-options.js'
import { decodeApprovalId, encodeTaskId as encodeId } from './cursor.js'
import type { TaskStore } from './task-store.js'

export interface ApprovalFilter {
  readonly status?: ApprovalStatus | null | undefined
  readonly taskId?: string | null | undefined
}

export interface ApprovalFindings {
  /** Newest first. */
  readonly approvals: readonly Approval[]
  /** For the next page; null on the last one. */
  readonly nextCursor: string | null
}

/** The approvals of all workspaces within reach. One beyond reach is reported as one that doesn't exist. */
export interface ApprovalDirectory<Tx = unknown> {
  /** @throws TaskboardError `NOT_FOUND`. */
  find(reach: Reach, approvalId: string, options?: InTransaction<Tx>): Promise<Approval>
  /**
   * The approvals that match every given filter, newest first, one page at a time.
   * @throws TaskboardError `INVALID_FIELD`; `TASK_NOT_FOUND` when the task of a filter doesn't exist.
   */
  search(reach: Reach, filter?: ApprovalFilter & ListOptions<Tx>): Promise<ApprovalFindings>
}

export function createApprovalDirectory<Tx>({
  environment,
  tasks,
  approvals,
}: {
  readonly environment: Environment
  readonly tasks: TaskStore<Tx>
  readonly approvals: ApprovalStore<Tx>
}): ApprovalDirectory<Tx> {
  const everything = { approvalId: null, taskId: null, status: null, limit: 1, afterId: null }

  return {
    async find(reach, approvalId, options) {
      const query: ApprovalQuery = { ...everything, within: reach, approvalId }
      const [approval] = (await approvals.listApprovals(query, environment.call(options))).approvals
      if (approval === undefined) throw new TaskboardError('NOT_FOUND', 'no such approval')
      return approval
    },
    async search(reach, filter = {}) {
      const { status = null, taskId = null, limit = DEFAULT_PAGE, cursor } = filter
      if (status !== null && !approvalStatuses.includes(status)) {
        throw new TaskboardError('INVALID_FIELD', `status must be one of ${approvalStatuses.join(', ')}`, {
          field: 'status',
        })
      }
      const afterId = cursor == null ? null : decodeApprovalId(cursor)
      if (taskId !== null) await tasks.getTask({ within: reach, taskId, parts: [] }, environment.call(filter))
      const query = { within: reach, approvalId: null, taskId, status, limit: requireLimit(limit), afterId }
      const page = await approvals.listApprovals(query, environment.call(filter))
      return { approvals: page.approvals, nextCursor: page.nextAfterId && encodeId(page.nextAfterId) }
    },
  }
}
