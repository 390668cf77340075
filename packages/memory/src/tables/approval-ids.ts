import type { StoredApproval } from '@taskboard/core/storage'
import type { Table } from './table.js'

/** The ids of the approvals of each task, oldest first. Follows the table of approvals. */
export interface ApprovalIds {
  of(taskId: string): readonly string[]
}

export function createApprovalIds(approvals: Table<StoredApproval>): ApprovalIds {
  const byTask = new Map<string, string[]>()

  approvals.onChange((before, after) => {
    if (before !== undefined && after !== undefined) return
    if (after !== undefined) byTask.set(after.taskId, [...(byTask.get(after.taskId) ?? []), after.id].sort())
    if (before === undefined) return
    const left = (byTask.get(before.taskId) ?? []).filter((id) => id !== before.id)
    if (left.length === 0) byTask.delete(before.taskId)
    else byTask.set(before.taskId, left)
  })

  return { of: (taskId) => byTask.get(taskId) ?? [] }
}
