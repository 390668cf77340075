import type { Instant } from '../environment/index.js'
import type { BudgetHolder } from '../usage/index.js'
import type { Actor, Task } from './task.js'
import type { TaskWrite } from './task-store.js'

const SYSTEM: Actor = { kind: 'system', id: null }

/**
 * The effect of a usage report on its task when the budget of `spent` is used up; null for no effect. `fencingToken` is the token of
 * the claim that reports, null for a report from outside.
 * @example
 * ```ts
 * import { createTaskboard } from '@taskboard/core'
 * import { budgetHold } from '@taskboard/core/storage'
 * import { memoryStorage } from '@taskboard/memory'
 *
 * const taskboard = createTaskboard({ storage: memoryStorage() })
 * const { workspace } = await taskboard.accounts.create({ name: 'Acme', tier: 'professional' })
 * const task = await taskboard.board(workspace.id).add({ title: 'Translate the manual' })
 * console.log(budgetHold(task, 'task', null, task.createdAt)?.kind) // hold
 * console.log(budgetHold(task, 'agent', null, task.createdAt)) // null
 * ```
 */
export function budgetHold(
  { column, lease, hold }: Task,
  spent: BudgetHolder,
  fencingToken: number | null,
  now: Instant,
): TaskWrite | null {
  const raised = { reason: 'budget', message: `the budget of the ${spent} is spent` } as const
  const isWorked = lease !== null && lease.expiresAt > now
  if (isWorked && fencingToken !== null) return { kind: 'hold_claimed', fencingToken, ...raised }
  // Claims give no task to an agent, or within a workspace, whose budget is spent.
  const isWaiting = column === 'TODO' && hold === null && spent === 'task'
  return isWorked || isWaiting ? { kind: 'hold', actor: SYSTEM, ...raised } : null
}
