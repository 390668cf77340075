import { newTask } from '@taskboard/testing'
import { createTask, makeTask, type NewTask } from '@taskboard/core/storage'
import { expect, it } from 'vitest'
import { createClaimedTasks } from './claimed-tasks.js'
import type { TaskRow } from '../task-row.js'

/** The row of a task that was claimed with the token. */
function claimedRow(id: string, fencingToken: number): TaskRow {
  const input: NewTask = newTask({ workspaceId: 'ws_1' })
  const task = { ...createTask(input, { id, now: 0, openDependencies: 0 }), fencingToken }
  return {
    ...makeTask(input, task),
    column: 'DOING',
    holdReason: null,
    holdMessage: null,
    holdSince: null,
    leaseAgentId: 'agent_1',
    leaseExpiresAt: 1_000,
    leaseMs: 1_000,
    version: 2,
  }
}

it('a claimed task is known by its proof, and no other one', () => {
  const claimed = createClaimedTasks()
  const task = claimed.add(claimedRow('task_1', 3))
  const proof = { workspaceId: 'ws_1', taskId: 'task_1', fencingToken: 3 }
  expect(claimed.find(proof)).toEqual({ task, version: 2 })
  for (const other of [{ workspaceId: 'ws_2' }, { taskId: 'task_2' }, { fencingToken: 2 }]) {
    expect(claimed.find({ ...proof, ...other })).toBeUndefined()
  }
})

it('a completed task is forgotten', () => {
  const claimed = createClaimedTasks()
  claimed.add(claimedRow('task_1', 1))
  claimed.forget('task_1')
  expect(claimed.find({ workspaceId: 'ws_1', taskId: 'task_1', fencingToken: 1 })).toBeUndefined()
})

it('the tasks that were claimed last are kept', () => {
  const claimed = createClaimedTasks(2)
  for (const id of ['task_1', 'task_2', 'task_1', 'task_3']) claimed.add(claimedRow(id, 1))
  const isKnown = (taskId: string) =>
    claimed.find({ workspaceId: 'ws_1', taskId, fencingToken: 1 }) !== undefined
  expect(['task_1', 'task_2', 'task_3'].map(isKnown)).toEqual([true, false, true])
})
