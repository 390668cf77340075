import { TaskboardError, type Instant, type Task } from '@taskboard/core'
import type { TaskChange } from '@taskboard/core/storage'
import type { Database } from './database.js'
import { copied, copiedMetadata, countOpen, requireAssignee } from './new-task.js'

/**
 * `task` with a change applied.
 * @throws TaskboardError `INVALID_FIELD` for ids that the workspace does not have, and for dependencies that lead back to it.
 */
export function changedTask(database: Database, task: Task, change: TaskChange, now: Instant): Task {
  const { workspaceId, id } = task
  const after: Task = { ...task, ...change, updatedAt: now }
  requireAssignee(database, workspaceId, after.assignedTo)
  const { tags, metadata, dependsOn } = after
  const copies = { tags: copied(tags), metadata: copiedMetadata(metadata) }
  if (change.dependsOn === undefined) return { ...after, ...copies }
  const each = copied([...new Set(dependsOn)])
  const openDependencies = countOpen(database, workspaceId, id, each)
  requireNoCircle(database, id, each)
  return { ...after, ...copies, dependsOn: each, openDependencies }
}

function requireNoCircle({ tables }: Database, taskId: string, dependsOn: readonly string[]): void {
  const seen = new Set<string>()
  const toVisit = [...dependsOn]
  for (let id = toVisit.pop(); id !== undefined; id = toVisit.pop()) {
    if (id === taskId) {
      throw new TaskboardError('INVALID_FIELD', 'dependsOn must not lead back to the task', {
        field: 'dependsOn',
      })
    }
    if (seen.has(id)) continue
    seen.add(id)
    toVisit.push(...(tables.tasks.get(id)?.dependsOn ?? []))
  }
}
