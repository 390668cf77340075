import {
  columns,
  TaskboardError,
  type Attempt,
  type Column,
  type Instant,
  type Task,
  type TaskStatus,
  type TaskSummary,
  type Reach,
  type TaskParts,
} from '@taskboard/core'
import {
  compareTied,
  meetsConditions,
  mostAttempts,
  searchPlace,
  type CallContext,
  type TaskCursor,
  type TaskPart,
  type TaskQuery,
  type TaskReading,
  type TaskSearch,
  type TaskStore,
} from '@taskboard/core/storage'
import { agentStatus } from './claim/agent-status.js'
import type { ColumnIndex } from './column-index.js'
import type { Conversations } from './conversations.js'
import type { Database } from '../tables/database.js'
import type { LeaseIndex } from './claim/lease-index.js'
import { isWithin } from '../tables/reach.js'
import { bestOf } from '../tables/selection.js'
import type { TaskChanges } from './task-changes.js'
import { usageOfTask } from '../tables/usage-rows.js'
import type { MemoryTransaction } from '../tables/transactions.js'

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
      const lines = tables.taskLogs.get(id)?.lines ?? []
      return lines.slice(Math.max(0, lines.length - logLines))
    },
    logPage: ({ id }, { logLines = Infinity, logAfter = 0 }) => {
      const { lines = [], deleted = 0 } = tables.taskLogs.get(id) ?? {}
      const from = Math.max(0, logAfter - deleted)
      const page = lines.slice(from, from + logLines)
      const end = from + page.length
      return { lines: page, nextAfter: end < lines.length ? deleted + end : null }
    },
    outputs: ({ id }) => tables.outputs.get(id) ?? [],
    attempts: ({ id }) => database.attempts.of(id).slice(-mostAttempts),
    postponedSince: ({ id }) => postponedSince(database.attempts.of(id)),
    dependencies: ({ dependsOn }) =>
      dependsOn.map((id) => {
        const { title, result } = tables.tasks.get(id) as Task
        return { id, title, result }
      }),
    comments: ({ id }) => conversations.newest(id),
    answer: ({ id }) => conversations.answer(id),
    question: ({ id }) => conversations.question(id),
    usage: ({ id }) => usageOfTask(database.tables.taskUsage, id),
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
        const { tasks, ...page } = searchTasks(database, index, search, now)
        return { found: tasks.map((task) => summarized(task, now)), ...page }
      }),
  }
}

function searchTasks(
  database: Database,
  index: ColumnIndex,
  search: TaskSearch,
  now: Instant,
): { readonly tasks: readonly Task[]; readonly asOf: Instant; readonly hasMore: boolean } {
  const { reach, agentId, sort, limit, after } = search
  const workspaceIds = searchedWorkspaces(database, search)
  if (agentId !== null) requireAgent(database, reach, agentId)
  const asOf = after?.asOf ?? now
  const { scoring } = database.settings.current
  const compare = sort === 'priority_score' ? compareByScore : compareByRank

  function* candidates(): Generator<Candidate> {
    for (const workspaceId of workspaceIds) {
      for (const column of columnsOf(search)) {
        for (const task of index.tasksOf(workspaceId, column)) {
          const place = searchPlace(task, sort, asOf, scoring)
          if ((after === null || compare(after, place) < 0) && meets(database, task, search))
            yield { task, place }
        }
      }
    }
  }

  const first = bestOf(candidates(), limit + 1, (a, b) => compare(a.place, b.place))
  return { tasks: first.slice(0, limit).map(({ task }) => task), asOf, hasMore: first.length > limit }
}

interface Candidate {
  readonly task: Task
  readonly place: TaskCursor
}

function compareByRank(a: TaskCursor, b: TaskCursor): number {
  if (a.rank !== b.rank) return b.rank - a.rank
  return a.id > b.id ? -1 : a.id < b.id ? 1 : 0
}

function compareByScore(a: TaskCursor, b: TaskCursor): number {
  if (a.held !== b.held) return a.held ? 1 : -1
  return a.rank === b.rank ? compareTied(a, b) : b.rank - a.rank
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

function columnsOf({ status, column, sort }: TaskSearch): readonly Column[] {
  const ofStatus: readonly Column[] = status === null ? columns : [columnOf(status)]
  const ofSort: readonly Column[] = sort === 'priority_score' ? ['TODO'] : columns
  return ofStatus.filter((each) => ofSort.includes(each) && (column === null || column === each))
}

function columnOf(status: TaskStatus): Column {
  return status === 'in_progress' ? 'DOING' : status === 'completed' ? 'DONE' : 'TODO'
}

function meets(database: Database, task: Task, search: TaskSearch): boolean {
  const { agentId } = search
  if (!meetsConditions(task, search)) return false
  if (agentId === null) return true
  const agents = [task.assignedTo, task.lease?.agentId, completerOf(database, task)]
  return agents.includes(agentId)
}

/** A break in postponements. An attempt that was given back is none. */
const isBreak = ({ outcome }: Attempt): boolean => outcome !== 'postponed' && outcome !== 'returned'

/** `TaskParts.postponedSince`. */
function postponedSince(attempts: readonly Attempt[]): Instant | null {
  const since = attempts.slice(attempts.findLastIndex(isBreak) + 1)
  return since.find(({ outcome }) => outcome === 'postponed')?.startedAt ?? null
}

/** The agent that completed a task, while it is in DONE. */
function completerOf({ attempts }: Database, { id, column }: Task): string | null {
  if (column !== 'DONE') return null
  const last = attempts.of(id).at(-1)
  return last?.outcome === 'completed' ? last.agentId : null
}
