import type { Reach } from '../access/index.js'
import type { Environment, InTransaction } from '../environment/index.js'
import { requireKnownFields, requireLimit, TaskboardError, textFault } from '../errors/index.js'
import type { Scoring } from '../priority/index.js'
import { DEFAULT_PAGE, type ListOptions } from './board-options.js'
import { decodePlace, decodeSearchPlace, encodePlace, encodeSearchPlace } from './cursor.js'
import { type InstantInput, parseChoice, parseInstant, parseText } from './parse-value.js'
import { searchWords } from './search-words.js'
import {
  searchPlace,
  type TaskAgent,
  type TaskConditions,
  type TaskDetail,
  type TaskSort,
  taskSorts,
  type TaskStatus,
  taskStatuses,
} from './task-search.js'
import type { TaskParts, TaskStore } from './task-store.js'
import {
  type Attempt,
  type Column,
  columns,
  type HoldReason,
  holdReasons,
  priorities,
  type Priority,
  type Task,
  type TaskLogEntry,
} from './task.js'

/** Which tasks to find: those that match every filter that is given. */
export interface TaskFilter {
  /**
   * Words, of at most 200 characters in all. Each of them begins a word of the title or the description, in any case, with or without
   * accents. Of these, the first 1,000 different words of each count.
   */
  readonly q?: string | null | undefined
  readonly status?: TaskStatus | null | undefined
  readonly column?: Column | null | undefined
  /** Tasks that are on hold for this reason. */
  readonly hold?: HoldReason | null | undefined
  readonly type?: string | null | undefined
  /** Tasks that have this tag. */
  readonly tag?: string | null | undefined
  readonly priority?: Priority | null | undefined
  /** Tasks that are assigned to the agent, that it works, or that it completed. */
  readonly agentId?: string | null | undefined
  /** Tasks that only this agent can take. */
  readonly assignedTo?: string | null | undefined
  /** The parts of this task. */
  readonly parentId?: string | null | undefined
  readonly workspaceId?: string | null | undefined
  /** Created at or after this time. */
  readonly createdAfter?: InstantInput | null | undefined
  /** Created before this time. */
  readonly createdBefore?: InstantInput | null | undefined
  /** Due at or after this time. */
  readonly dueAfter?: InstantInput | null | undefined
  /** Due before this time. */
  readonly dueBefore?: InstantInput | null | undefined
  /** Default `created`. */
  readonly sort?: TaskSort | null | undefined
  /** 1 to 1,000, default 100. */
  readonly limit?: number | undefined
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | null | undefined
}

/** A task with the agent that is shown with it, as of `TaskSummary`. */
export interface FoundTask extends Task {
  readonly agent: TaskAgent | null
}

export interface TaskFindings {
  readonly tasks: readonly FoundTask[]
  /** For what follows a task of `tasks`. */
  readonly cursorAfter: (task: FoundTask) => string
  /** Null on the last page. */
  readonly nextCursor: string | null
}

/** A page of a task's log. */
export interface TaskLogList {
  /** Oldest first. */
  readonly lines: readonly TaskLogEntry[]
  /** For the next page, even after older lines were deleted; null on the last one. */
  readonly nextCursor: string | null
}

/**
 * The tasks of all workspaces within reach: of an account (`workspaceIds: 'all'`), or some of its workspaces. A task beyond reach is
 * reported exactly as one that doesn't exist, at the same cost.
 */
export interface TaskDirectory<Tx = unknown> {
  /** A task with its agent, the newest 100 lines of its log, its outputs and its usage. @throws TaskboardError `TASK_NOT_FOUND`. */
  find(reach: Reach, taskId: string, options?: InTransaction<Tx>): Promise<TaskDetail>
  /** The id of the workspace that a task is in, which never changes. @throws TaskboardError `TASK_NOT_FOUND`. */
  locate(reach: Reach, taskId: string, options?: InTransaction<Tx>): Promise<string>
  /** A task's log, oldest line first, one page at a time: the newest 1,000 lines are kept. @throws TaskboardError `TASK_NOT_FOUND`. */
  logs(reach: Reach, taskId: string, options?: ListOptions<Tx>): Promise<TaskLogList>
  /** The outcomes of a task's attempts, oldest first: the newest 100, without the one in progress. @throws TaskboardError `TASK_NOT_FOUND`. */
  attempts(reach: Reach, taskId: string, options?: InTransaction<Tx>): Promise<readonly Attempt[]>
  /** The last question on a task and its answer; each is null when there is none. @throws TaskboardError `TASK_NOT_FOUND`. */
  exchange(
    reach: Reach,
    taskId: string,
    options?: InTransaction<Tx>,
  ): Promise<Pick<TaskParts, 'question' | 'answer'>>
  /**
   * The tasks that match every given filter, in the order of `sort`, one page at a time.
   * @throws TaskboardError `INVALID_FIELD`, including for the cursor of another sort; `NOT_FOUND` when the agent or workspace of a filter doesn't exist.
   */
  search(reach: Reach, filter?: TaskFilter, options?: InTransaction<Tx>): Promise<TaskFindings>
}

const filters: { readonly [Name in keyof TaskFilter]-?: true } = {
  q: true,
  status: true,
  column: true,
  hold: true,
  type: true,
  tag: true,
  priority: true,
  agentId: true,
  assignedTo: true,
  parentId: true,
  workspaceId: true,
  createdAfter: true,
  createdBefore: true,
  dueAfter: true,
  dueBefore: true,
  sort: true,
  limit: true,
  cursor: true,
}
const filterNames: ReadonlySet<string> = new Set(Object.keys(filters))
const DETAIL = ['task', 'agent', 'logs', 'outputs', 'usage'] as const
/** How many lines of its log a task includes. */
const LOG_LINES = 100
/** Longer than any type, tag or id. */
const ANY_TEXT = { most: 100, isBlankAllowed: true } as const
const MOST_OF_WORDS = { most: 200, isBlankAllowed: true } as const

export function createTaskDirectory<Tx>(parts: {
  readonly environment: Environment
  readonly tasks: TaskStore<Tx>
  readonly scoring: Scoring
}): TaskDirectory<Tx> {
  const { environment, tasks, scoring } = parts

  return {
    find: (reach, taskId, options) =>
      tasks.getTask({ within: reach, taskId, parts: DETAIL, logLines: LOG_LINES }, environment.call(options)),
    async locate(reach, taskId, options) {
      return (await tasks.getTask({ within: reach, taskId, parts: [] }, environment.call(options)))
        .workspaceId
    },
    async logs(reach, taskId, options = {}) {
      const logLines = requireLimit(options.limit ?? DEFAULT_PAGE)
      // The lines of all tasks can be numbered together.
      const logAfter =
        options.cursor == null ? undefined : decodePlace(options.cursor, Number.MAX_SAFE_INTEGER)
      const query = { within: reach, taskId, parts: ['logPage'], logLines, logAfter } as const
      const { lines, nextAfter } = (await tasks.getTask(query, environment.call(options))).logPage
      return { lines, nextCursor: nextAfter === null ? null : encodePlace(nextAfter) }
    },
    async attempts(reach, taskId, options) {
      return (await tasks.getTask({ within: reach, taskId, parts: ['attempts'] }, environment.call(options)))
        .attempts
    },
    exchange: (reach, taskId, options) =>
      tasks.getTask({ within: reach, taskId, parts: ['question', 'answer'] }, environment.call(options)),
    async search(reach, filter = {}, options) {
      requireKnownFields(filter, filterNames)
      const { agentId = null, workspaceId = null, limit = DEFAULT_PAGE, cursor } = filter
      const conditions = parseConditions(filter)
      const sort = filter.sort == null ? 'created' : parseChoice('sort', filter.sort, taskSorts)
      requireLimit(limit)
      const after = cursor == null ? null : decodeSearchPlace(sort, cursor)
      const search = { ...conditions, reach, agentId, workspaceId, sort, limit, after }
      const { found, asOf, hasMore } = await tasks.searchTasks(search, environment.call(options))
      const cursorAfter = (task: FoundTask): string =>
        encodeSearchPlace(sort, searchPlace(task, sort, asOf, scoring))
      const tasksFound = found.map(({ task, agent }): FoundTask => Object.assign({ agent }, task))
      const last = tasksFound.at(-1)
      return {
        tasks: tasksFound,
        cursorAfter,
        nextCursor: hasMore && last !== undefined ? cursorAfter(last) : null,
      }
    },
  }
}

function parseConditions(filter: TaskFilter): TaskConditions {
  const { q, type, tag, assignedTo, parentId } = filter
  return {
    words: q == null ? [] : parseWords(q),
    status: given(filter.status, (status) => parseChoice('status', status, taskStatuses)),
    column: given(filter.column, (column) => parseChoice('column', column, columns)),
    hold: given(filter.hold, (hold) => parseChoice('hold', hold, holdReasons)),
    type: given(type, (text) => parseText('type', text, ANY_TEXT)),
    tag: given(tag, (text) => parseText('tag', text, ANY_TEXT)),
    priority: given(filter.priority, (priority) => parseChoice('priority', priority, priorities)),
    assignedTo: given(assignedTo, (id) => parseText('assignedTo', id, ANY_TEXT)),
    parentId: given(parentId, (id) => parseText('parentId', id, ANY_TEXT)),
    createdAfter: given(filter.createdAfter, (at) => parseInstant('createdAfter', at)),
    createdBefore: given(filter.createdBefore, (at) => parseInstant('createdBefore', at)),
    dueAfter: given(filter.dueAfter, (at) => parseInstant('dueAfter', at)),
    dueBefore: given(filter.dueBefore, (at) => parseInstant('dueBefore', at)),
  }
}

function given<In, Out>(value: In | null | undefined, read: (value: In) => Out): Out | null {
  return value == null ? null : read(value)
}

function parseWords(q: string): readonly string[] {
  const fault = typeof (q as unknown) === 'string' ? textFault(q, MOST_OF_WORDS) : 'must be text'
  const words = fault === null ? searchWords(q) : []
  if (words.length > 0) return words
  throw new TaskboardError('INVALID_FIELD', `q ${fault ?? 'must have a letter or a digit'}`, { field: 'q' })
}
