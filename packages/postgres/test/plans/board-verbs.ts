import type { Actor, NewTask, Storage, TaskCursor } from '@taskboard/core'
import type { PgConnection } from '../../src/pool.js'
import type { HotVerb } from './hot-verb.js'
import { HUGE, NOW, taskId } from './large-board.js'

const at = { now: NOW }
const person: Actor = { kind: 'user', id: 'user_1' }
const newTask: NewTask = {
  workspaceId: HUGE,
  title: 'New',
  description: null,
  type: null,
  priority: 'low',
  assignedTo: null,
  dueDate: NOW + 1e9,
  notBefore: null,
  tags: [],
  metadata: {},
  dependsOn: [],
  maxAttempts: 3,
}
/** Tasks of the huge workspace in TODO, ready; and in DONE. */
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

/** What people and the API do with a board; `pass` is another one each time. */
export function boardVerbs({ tasks }: Storage<PgConnection>, pass: string): readonly HotVerb[] {
  const list = (column: 'TODO' | 'DOING' | 'DONE', after: TaskCursor | null = null) =>
    tasks.listTasks({ workspaceId: HUGE, column, limit: 50, after }, at)
  const [moved = '', heldTask = '', background = ''] = WAITING
  const insert = (task: Partial<NewTask>, key: string | null = null) =>
    tasks.insertTask(
      { ...newTask, ...task },
      person,
      key === null ? null : { scope: 'ak_1', key, fingerprint: 'x' },
      at,
    )
  let middle: TaskCursor | null = null
  return [
    { name: 'insert', run: () => insert({}) },
    { name: 'insert for an agent', run: () => insert({ assignedTo: `agent_${HUGE}_1` }) },
    { name: 'insert once', indexes: ['idempotency_pkey'], run: () => insert({}, pass) },
    { name: 'insert again', indexes: ['idempotency_pkey'], run: () => insert({}, pass) },
    { name: 'insert after another', run: () => insert({ dependsOn: [moved] }) },
    { name: 'free dependents', scans: ['freeing'], run: () => tasks.freeDependents(100, at) },
    {
      name: 'insert 100',
      most: { rows: 1_500, pages: 4_000 },
      run: () => Promise.all(Array.from({ length: 100 }, () => insert({}))),
    },
    { name: 'get', indexes: ['task_pkey'], run: () => tasks.getTask(HUGE, moved, at) },
    {
      name: 'background',
      indexes: ['task_pkey', 'attempt_pkey'],
      run: () => tasks.getBackground(HUGE, background, at),
    },
    { name: 'logs', indexes: ['task_log_order'], run: () => tasks.listLogs(HUGE, background, at) },
    { name: 'outputs', indexes: ['task_output_order'], run: () => tasks.listOutputs(HUGE, background, at) },
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
    { name: 'count of a small workspace', run: () => tasks.countTasks('ws_1', at) },
    { name: 'hold', run: () => tasks.holdTask(HUGE, heldTask, 'approval', null, person, at) },
    { name: 'release', run: () => tasks.releaseTask(HUGE, heldTask, person, at) },
    { name: 'move', run: () => tasks.moveTask(HUGE, moved, 'DOING', person, at) },
    { name: 'move to done', run: () => tasks.moveTask(HUGE, moved, 'DONE', person, at) },
    {
      name: 'free dependents of what is done',
      scans: ['freeing'],
      indexes: ['task_dependency_open'],
      run: () => tasks.freeDependents(100, at),
    },
    { name: 'move back', run: () => tasks.moveTask(HUGE, moved, 'TODO', person, at) },
  ]
}
