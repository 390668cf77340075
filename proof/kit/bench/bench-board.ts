import { randomUUID } from 'node:crypto'
import { createTaskboard, scopes, type Taskboard, type TaskboardOptions } from '@taskboard/core'
import { memoryStorage } from '@taskboard/memory'

const KEYS = 64
const TASKS = 20

/** The task that is added, as a client sends it. */
export const newTask = {
  title: 'Summarise the quarterly figures',
  description: 'One page, with a chart of the last eight quarters.',
  priority: 'high',
  due_date: '2030-01-01T09:00:00Z',
  tags: ['report', 'finance'],
}

/** Every check of a request is on; only the rate is high, with the exact log of a minute behind it. */
export async function makeBenchBoard(
  options: Partial<TaskboardOptions> = {},
): Promise<{ taskboard: Taskboard; keys: readonly string[] }> {
  const limits = { boardPerMinute: 100_000 }
  const taskboard = createTaskboard({ storage: memoryStorage(), limits, ...options })
  const { workspace } = await taskboard.accounts.create({ name: 'bench', tier: 'custom' })
  const { due_date: dueDate, ...rest } = newTask
  const board = taskboard.board(workspace.id)
  for (let i = 0; i < TASKS; i++) {
    const task = await board.add({ ...rest, priority: 'high', dueDate })
    await board.move(task.id, 'DOING')
  }
  const keys: string[] = []
  for (let i = 0; i < KEYS; i++) {
    const made = await taskboard.accounts.createKey({
      workspaceId: workspace.id,
      name: `bench ${i}`,
      scopes: [...scopes],
    })
    keys.push(made.key)
  }
  return { taskboard, keys }
}

/** What the floor returns: the same objects as ours. */
export const listAnswer = {
  success: true,
  tasks: Array.from({ length: TASKS }, (_, index) => ({
    id: `task_01j${String(index).padStart(23, '0')}`,
    ...newTask,
    priority_score: 0.4167,
    status: 'DOING',
    created_at: '2026-01-01T00:00:00.000Z',
    due_date: '2030-01-01T09:00:00.000Z',
  })),
  count: TASKS,
}

export const addAnswer = {
  success: true,
  task: {
    id: 'task_01j00000000000000000000000',
    title: newTask.title,
    status: 'TODO',
    priority_score: 0.4167,
    created_at: '2026-01-01T00:00:00.000Z',
  },
}

const kept = new Map<string, object>()

/** The least that an add can do: give the task an id, store it in a Map, and respond as ours does. */
export function keep(body: { readonly title: string }): object {
  const createdAt = new Date()
  const task = { ...body, id: randomUUID(), status: 'TODO', createdAt }
  kept.set(task.id, task)
  const answer = {
    id: task.id,
    title: task.title,
    status: task.status,
    priority_score: 0.4167,
    created_at: createdAt,
  }
  return { success: true, task: answer }
}
