import type { Actor, Storage } from '@taskboard/core'
import type { NewTask, TaskCursor, TaskPart, TaskWrite } from '@taskboard/core/storage'
import { newTask } from '@taskboard/testing'
import type { PgConnection } from '../../src/connection/pool.js'
import type { HotVerb } from './hot-verb.js'
import { HUGE, NOW, taskId } from './large-board.js'

const at = { now: NOW }
const person: Actor = { kind: 'user', id: 'user_1' }
const plain = { workspaceId: HUGE, priority: 'low', dueDate: NOW + 1e9, maxAttempts: 3 } as const
/** Tasks of the huge workspace: ready in TODO, and in DONE. */
const WAITING = [9, 19, 29].map((n) => n * 1_000 + 1).map(taskId)

const deep = (rank: number): TaskCursor => ({
  asOf: NOW,
  rank,
  held: false,
  dueDate: null,
  createdAt: NOW - 1e9,
  id: '',
})

/** A page of fifty reads as many of each lane. */
const A_PAGE_OF_LANES = { rows: 600, pages: 2_000 }

const [moved = '', heldTask = '', background = ''] = WAITING

/** The calls of people and the API; `pass` differs each time. */
export function boardVerbs({ tasks }: Storage<PgConnection>, pass: string): readonly HotVerb[] {
  return [...adds(tasks, pass), ...reads(tasks), ...lists(tasks), ...changes(tasks)]
}

type Tasks = Storage<PgConnection>['tasks']

function adds(tasks: Tasks, pass: string): readonly HotVerb[] {
  const insert = (task: Partial<NewTask>, key: string | null = null) =>
    tasks.insertTask(
      {
        task: newTask({ ...plain, ...task }),
        actor: person,
        idempotency: key === null ? null : { scope: 'ak_1', key, fingerprint: 'x' },
      },
      at,
    )
  return [
    { name: 'insert', run: () => insert({}) },
    { name: 'insert for an agent', run: () => insert({ assignedTo: `agent_${HUGE}_1` }) },
    { name: 'insert once', indexes: ['idempotency_pkey'], run: () => insert({}, pass) },
    { name: 'insert again', indexes: ['idempotency_pkey'], run: () => insert({}, pass) },
    { name: 'insert after another', run: () => insert({ dependsOn: [moved] }) },
    {
      name: 'free dependents',
      scans: ['freeing'],
      run: () => tasks.settleTasks({ left: 'dependents', limit: 100 }, at),
    },
    {
      name: 'insert 100',
      most: { rows: 1_500, pages: 4_000 },
      run: () => Promise.all(Array.from({ length: 100 }, () => insert({}))),
    },
  ]
}

function reads(tasks: Tasks): readonly HotVerb[] {
  const read = (id: string, parts: readonly TaskPart[]) =>
    tasks.getTask({ within: HUGE, taskId: id, parts }, at)
  return [
    {
      name: 'get',
      indexes: ['task_pkey'],
      run: () => read(moved, ['task']),
    },
    {
      name: 'background',
      indexes: ['task_pkey', 'earlier_attempt_pkey'],
      run: () => read(background, ['attempts', 'dependencies']),
    },
    {
      name: 'logs',
      indexes: ['task_log_order'],
      run: () => read(background, ['logs']),
    },
    {
      name: 'outputs',
      indexes: ['task_output_order'],
      run: () => read(background, ['outputs']),
    },
  ]
}

function lists(tasks: Tasks): readonly HotVerb[] {
  const list = (column: 'TODO' | 'DOING' | 'DONE', after: TaskCursor | null = null) =>
    tasks.listTasks({ workspaceId: HUGE, column, limit: 50, after }, at)
  let middle: TaskCursor | null = null
  return [
    {
      name: 'list todo',
      indexes: ['todo_listing', 'todo_placed', 'todo_until'],
      most: A_PAGE_OF_LANES,
      run: async () => {
        middle = (await list('TODO')).next
      },
    },
    {
      name: 'list todo, next',
      indexes: ['todo_listing'],
      most: A_PAGE_OF_LANES,
      run: () => list('TODO', middle),
    },
    {
      name: 'list todo, deep',
      indexes: ['todo_listing'],
      most: A_PAGE_OF_LANES,
      run: () => list('TODO', { ...deep((middle?.rank ?? 0) * 0.6), id: 'task_' }),
    },
    { name: 'list doing', indexes: ['task_doing'], run: () => list('DOING') },
    { name: 'list doing, deep', indexes: ['task_doing'], run: () => list('DOING', deep(NOW - 1_500)) },
    { name: 'list done', indexes: ['task_done'], run: () => list('DONE') },
    { name: 'list done, deep', indexes: ['task_done'], run: () => list('DONE', deep(NOW - 500_000)) },
  ]
}

function changes(tasks: Tasks): readonly HotVerb[] {
  const change = (id: string, command: TaskWrite) =>
    tasks.changeTask({ target: { workspaceId: HUGE, taskId: id }, command }, at)
  return [
    {
      name: 'hold',
      run: () => change(heldTask, { kind: 'hold', reason: 'approval', message: null, actor: person }),
    },
    {
      name: 'release',
      run: () => change(heldTask, { kind: 'release', actor: person }),
    },
    {
      name: 'move',
      run: () => change(moved, { kind: 'move', to: 'DOING', actor: person }),
    },
    {
      name: 'move to done',
      run: () => change(moved, { kind: 'move', to: 'DONE', actor: person }),
    },
    {
      name: 'free dependents of what is done',
      scans: ['freeing'],
      indexes: ['task_dependency_open'],
      run: () => tasks.settleTasks({ left: 'dependents', limit: 100 }, at),
    },
    {
      name: 'move back',
      run: () => change(moved, { kind: 'move', to: 'TODO', actor: person }),
    },
  ]
}
