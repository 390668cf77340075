import { taskStatuses, type Storage, type TaskStatus, type Reach } from '@taskboard/core'
import { anyTask, type TaskChange, type TaskSearch } from '@taskboard/core/storage'
import { newTask } from '@taskboard/testing'
import type { PgConnection } from '../../src/connection/pool.js'
import type { HotVerb } from './hot-verb.js'
import { HUGE, NOW, taskId } from './large-board.js'

const host = { kind: 'host', id: null } as const
const at = { now: NOW }
const LOG_LINES = 100
const all: Reach = { accountId: 'acc_0', workspaceIds: 'all' }
const bound: Reach = { accountId: 'acc_0', workspaceIds: [HUGE] }
/** In DONE, TODO and DOING of the huge workspace; the first has a log and outputs. */
const SHOWN = [taskId(2), taskId(9_001), taskId(50_005)]
/** The agent with the most work and assigned tasks; and one with few tasks. */
const BUSY = `agent_${HUGE}_0`
const IDLE = `agent_${HUGE}_7`
/** Changed by each edit. */
const EDITED = taskId(19_001)
/** In the middle of all tasks. */
const DEEP = { asOf: NOW, rank: 0, held: false, dueDate: null, createdAt: 0, id: taskId(500_000) }
const page = { rows: 1_000, pages: 2_500 }
/** Reads each of the six statuses in each of the ten workspaces of the account, and merges them to a page. */
const pageOfAccount = { rows: 3_000, pages: 6_000 }

/** A page of all tasks. */
const none = {
  ...anyTask,
  agentId: null,
  workspaceId: null,
  sort: 'created',
  limit: 50,
  after: null,
} as const

/** The calls of API v2 on tasks of all workspaces. `pagesOfAgent` are read to know whether an agent is busy. */
export function taskVerbs(board: Storage<PgConnection>, pass: string, pagesOfAgent = 0): readonly HotVerb[] {
  const { tasks } = board
  const search = (filter: Partial<TaskSearch>, reach: Reach = all) =>
    tasks.searchTasks({ ...none, ...filter, reach }, at)
  const searches = (name: string, filter: Partial<TaskSearch>, reach: Reach, rest: Partial<HotVerb>) =>
    ([null, DEEP] as const).flatMap((after) =>
      ([null, ...taskStatuses] as const).map((status: TaskStatus | null) => ({
        name: `search ${name}, ${status ?? 'any status'}${after === null ? '' : ', deep'}`,
        run: () => search({ ...filter, status, after }, reach),
        // One row for each agent type.
        scans: ['agent_runtime'],
        ...rest,
      })),
    )
  return [
    {
      name: 'find',
      indexes: ['task_pkey', 'task_log_order', 'task_output_order'],
      run: () =>
        Promise.all(
          SHOWN.map((id) =>
            tasks.getTask(
              { within: all, taskId: id, parts: ['task', 'agent', 'logs', 'outputs'], logLines: LOG_LINES },
              at,
            ),
          ),
        ),
    },
    pageOfLog(tasks),
    {
      name: 'find 100',
      indexes: ['task_pkey'],
      most: { rows: 2_500, pages: 5_000 + 100 * pagesOfAgent },
      run: () =>
        Promise.all(
          Array.from({ length: 100 }, (_, n) =>
            tasks.getTask(
              {
                within: bound,
                taskId: taskId(n * 10 + 1),
                parts: ['task', 'agent', 'logs', 'outputs'],
                logLines: LOG_LINES,
              },
              at,
            ),
          ),
        ),
    },
    {
      name: 'locate',
      indexes: ['task_pkey'],
      run: () => tasks.getTask({ within: all, taskId: SHOWN[0] ?? '', parts: [] }, at),
    },
    ...searches('an account', {}, all, { indexes: ['task_status'], most: pageOfAccount }),
    ...searches('a workspace', { workspaceId: HUGE }, all, { indexes: ['task_status'], most: page }),
    ...searches('with a bound key', {}, bound, { indexes: ['task_status'], most: page }),
    ...searches(
      'a small workspace',
      { workspaceId: 'ws_1001' },
      { ...all, accountId: 'acc_1' },
      { most: page },
    ),
    ...searches('a busy agent', { agentId: BUSY }, all, { indexes: ['task_assigned'], most: page }),
    ...searches('an idle agent', { agentId: IDLE, workspaceId: HUGE }, bound, { most: page }),
    ...edits(tasks, pass),
    {
      name: 'delete',
      // Empty, but while dependents of a done task are being freed.
      scans: ['freeing'],
      indexes: ['task_log_order', 'task_output_order', 'earlier_attempt_pkey', 'task_dependency_task'],
      run: async () => {
        const task = newTask({ workspaceId: HUGE, priority: 'low', dependsOn: [EDITED], maxAttempts: 3 })
        const { value } = await tasks.insertTask({ task, actor: host, idempotency: null }, at)
        await tasks.deleteTask({ workspaceId: HUGE, taskId: value.id, actor: host }, at)
      },
    },
  ]
}

function pageOfLog(tasks: Storage<PgConnection>['tasks']): HotVerb {
  const read = (logAfter?: number) =>
    tasks.getTask({ within: all, taskId: SHOWN[0] ?? '', parts: ['logPage'], logLines: 1, logAfter }, at)
  return {
    name: 'a page of a log, and the next',
    indexes: ['task_pkey', 'task_log_order'],
    run: async () => {
      const { logPage } = await read()
      await read(logPage.nextAfter ?? undefined)
    },
  }
}

function edits(tasks: Storage<PgConnection>['tasks'], pass: string): readonly HotVerb[] {
  const edit = (change: TaskChange) =>
    tasks.changeTask(
      { target: { workspaceId: HUGE, taskId: EDITED }, command: { kind: 'edit', change, actor: host } },
      at,
    )
  return [
    { name: 'edit', run: () => edit({ title: pass, priority: 'urgent' }) },
    { name: 'edit back', run: () => edit({ priority: 'low', assignedTo: IDLE }) },
    {
      name: 'edit dependencies',
      indexes: ['task_dependency_task'],
      run: () => edit({ dependsOn: [taskId(29_001), taskId(39_001)] }),
    },
    { name: 'edit dependencies away', run: () => edit({ dependsOn: [] }) },
  ]
}
