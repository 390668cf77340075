import { taskStatus, taskStatuses, type Column, type TaskStatus } from '@taskboard/core'
import type { TaskConditions } from '@taskboard/core/storage'
import { lexemesOf } from './search-terms.js'

/** The rank of task `t` in the order of due dates, as `searchPlace` of core gives it. */
export const DUE_RANK = '-coalesce(t.due_date, 9007199254740991)'

/** Adds a value to a statement; returns its parameter. */
export type AddValue = (value: unknown, type: string) => string

/** Conditions on task `t`, and on its row `s` of `task_search`. */
export interface ConditionsSql {
  readonly ofTask: readonly string[]
  readonly ofSearch: readonly string[]
  /** The words and other terms of `ofSearch` as a `tsquery`, which names the workspace as well. Null: there are none. */
  readonly terms: string | null
}

/** `workspace` is the SQL of the workspace's id. */
export function conditionsSql(conditions: TaskConditions, workspace: string, add: AddValue): ConditionsSql {
  const { hold, assignedTo, parentId, createdAfter, createdBefore, dueAfter, dueBefore } = conditions
  const ofTask = [`t.status = any (${add(statusesOf(conditions), 'smallint[]')})`]
  if (hold !== null) ofTask.push(`t.hold_reason = ${add(hold, 'text')}`)
  if (assignedTo !== null) ofTask.push(`t.assigned_to = ${add(assignedTo, 'text')}`)
  if (parentId !== null) ofTask.push(`t.parent_id = ${add(parentId, 'text')}`)
  const ofSearch: string[] = []
  const lexemes = lexemesOf(conditions, workspace, add)
  const terms = lexemes.length === 0 ? null : `(${lexemes.join(` || ' & ' || `)})::tsquery`
  if (terms !== null) ofSearch.push(`s.terms @@ ${terms}`)
  if (createdAfter !== null) ofSearch.push(`s.created_at >= ${add(createdAfter, 'bigint')}`)
  if (createdBefore !== null) ofSearch.push(`s.created_at < ${add(createdBefore, 'bigint')}`)
  if (dueAfter !== null || dueBefore !== null) ofSearch.push('s.due_rank > -9007199254740991')
  if (dueAfter !== null) ofSearch.push(`s.due_rank <= -(${add(dueAfter, 'bigint')})`)
  if (dueBefore !== null) ofSearch.push(`s.due_rank > -(${add(dueBefore, 'bigint')})`)
  return { ofTask, ofSearch, terms }
}

const statusesOfColumn: Readonly<Record<Column, readonly TaskStatus[]>> = {
  TODO: ['pending', 'failed', 'cancelled', 'blocked'],
  DOING: ['in_progress'],
  DONE: ['completed'],
}

/** The codes of the statuses that tasks may have under the conditions: `task.status`. */
export function statusesOf({
  status,
  column,
  hold,
}: Pick<TaskConditions, 'status' | 'column' | 'hold'>): readonly number[] {
  return [...taskStatuses.entries()].flatMap(([code, each]) => {
    if (status !== null && each !== status) return []
    if (column !== null && !statusesOfColumn[column].includes(each)) return []
    return hold !== null &&
      each !== taskStatus({ column: 'TODO', hold: { reason: hold, message: null, since: 0 } })
      ? []
      : [code]
  })
}
