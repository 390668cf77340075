import {
  columns,
  TaskboardError,
  taskStatus,
  type Column,
  type Instant,
  type Task,
  type TaskStatus,
  type TaskSummary,
} from '@taskboard/core'
import type {
  CallContext,
  Reach,
  TaskPart,
  TaskParts,
  TaskQuery,
  TaskReading,
  TaskSearch,
  TaskStore,
} from '@taskboard/core/storage'
import { agentStatus } from './agent-status.js'
import type { ColumnIndex } from './column-index.js'
import type { Conversations } from './conversations.js'
import type { Database } from './database.js'
import type { LeaseIndex } from './lease-index.js'
import { isWithin } from './reach.js'
import { bestOf } from './selection.js'
import type { TaskChanges } from './task-changes.js'
import { usageOfTask } from './usage-store.js'
import type { MemoryTransaction } from './transactions.js'

type Store = TaskStore<MemoryTransaction>

/** Reads of tasks. A search scans all tasks of the given columns and workspaces. */
export function createTaskReads(
  database: Database,
  index: ColumnIndex,
  leases: LeaseIndex,
  require: TaskChanges['require'],
  conversations: Conversations,
): Pick<Store, 'getTask' | 'listTasks' | 'searchTasks'> {
  const { transactions, tables } = database
  const { read } = transactions

  function summarized(task: Task, now: Instant): TaskSummary {
    const agentId = task.lease?.agentId ?? completerOf(database, task) ?? task.assignedTo
    const agent = agentId === null ? undefined : tables.agents.get(agentId)
    if (agent === undefined) return { task, agent: null }
    const { id, name } = agent
    return { task, agent: { id, name, status: agentStatus(database, leases, agent, now) } }
  }

  function requireWithin(reach: Reach, taskId: string): Task {
    const task = tables.tasks.get(taskId)
    if (task !== undefined && isWithin(database, reach, task.workspaceId)) return task
    throw new TaskboardError('TASK_NOT_FOUND', 'no such task')
  }

  const readers: {
    readonly [Part in TaskPart]: (task: Task, query: TaskQuery, now: Instant) => TaskParts[Part]
  } = {
    task: (task) => task,
    agent: (task, _query, now) => summarized(task, now).agent,
    logs: ({ id }, { logLines = Infinity }) => {
      const lines = tables.taskLogs.get(id) ?? []
      return lines.slice(Math.max(0, lines.length - logLines))
    },
    outputs: ({ id }) => tables.outputs.get(id) ?? [],
    attempts: ({ id }) => database.attempts.of(id),
    dependencies: ({ dependsOn }) =>
      dependsOn.map((id) => {
        const { title, result } = tables.tasks.get(id) as Task
        return { id, title, result }
      }),
    comments: ({ id }) => conversations.newest(id),
    answer: ({ id }) => conversations.answer(id),
    usage: ({ id }) => usageOfTask(database, id),
  }

  return {
    getTask: <Part extends TaskPart>(query: TaskQuery<Part>, call: CallContext<MemoryTransaction>) =>
      read(call, (now) => {
        const { within, taskId, parts } = query
        const task = typeof within === 'string' ? require(within, taskId) : requireWithin(within, taskId)
        const found = parts.map((part) => [part, readers[part](task, query, now)] as const)
        return { workspaceId: task.workspaceId, ...Object.fromEntries(found) } as TaskReading<Part>
      }),
    listTasks: (query, call) => read(call, (now) => index.list(query, now)),
    searchTasks: (search, call) =>
      read(call, (now) => {
        const { tasks, nextAfterId } = searchTasks(database, index, search)
        return { found: tasks.map((task) => summarized(task, now)), nextAfterId }
      }),
  }
}

function searchTasks(
  database: Database,
  index: ColumnIndex,
  search: TaskSearch,
): { tasks: readonly Task[]; nextAfterId: string | null } {
  const { reach, agentId, limit } = search
  const workspaceIds = searchedWorkspaces(database, search)
  if (agentId !== null) requireAgent(database, reach, agentId)

  function* candidates(): Generator<Task> {
    for (const workspaceId of workspaceIds) {
      for (const column of columnsOf(search.status)) {
        for (const task of index.tasksOf(workspaceId, column)) if (meets(database, task, search)) yield task
      }
    }
  }

  const newest = bestOf(candidates(), limit + 1, (a, b) => (a.id > b.id ? -1 : a.id < b.id ? 1 : 0))
  const tasks = newest.slice(0, limit)
  return { tasks, nextAfterId: newest.length > limit ? (tasks.at(-1)?.id ?? null) : null }
}

function searchedWorkspaces(database: Database, { reach, workspaceId }: TaskSearch): readonly string[] {
  const within = (id: string): boolean => isWithin(database, reach, id)
  if (workspaceId === null) return [...database.tables.workspaces.values()].map(({ id }) => id).filter(within)
  if (within(workspaceId)) return [workspaceId]
  throw new TaskboardError('NOT_FOUND', 'no such workspace', { field: 'workspaceId' })
}

function requireAgent(database: Database, reach: Reach, agentId: string): void {
  const agent = database.tables.agents.get(agentId)
  if (agent !== undefined && isWithin(database, reach, agent.workspaceId)) return
  throw new TaskboardError('NOT_FOUND', 'no such agent', { field: 'agentId' })
}

function columnsOf(status: TaskStatus | null): readonly Column[] {
  if (status === null) return columns
  return status === 'in_progress' ? ['DOING'] : status === 'completed' ? ['DONE'] : ['TODO']
}

function meets(database: Database, task: Task, { status, agentId, afterId }: TaskSearch): boolean {
  if (afterId !== null && task.id >= afterId) return false
  if (status !== null && taskStatus(task) !== status) return false
  if (agentId === null) return true
  const agents = [task.assignedTo, task.lease?.agentId, completerOf(database, task)]
  return agents.includes(agentId)
}

/** The agent that completed a task, while it is in DONE. */
function completerOf({ attempts }: Database, { id, column }: Task): string | null {
  if (column !== 'DONE') return null
  const last = attempts.of(id).at(-1)
  return last?.outcome === 'completed' ? last.agentId : null
}
