import {
  TaskboardError,
  taskStatus,
  type FoundTask,
  type Task,
  type TaskDetail,
  type TaskLogEntry,
  type TaskSummary,
} from '@taskboard/core'
import { microsPerUsd } from '@taskboard/core/transport'
import type { GraphqlContext } from '../graphql-context.js'
import type { Loaders } from '../loaders.js'
import type { WireObject } from '../wire-names.js'
import type { FieldPlan, FieldResolver, SchemaPart } from './field-plan.js'
import { toListedTask } from './listed-task.js'
import { searchTasks, type TaskConnection, type TaskListArguments } from './task-connection.js'
import { fieldResolvers } from './task-field-types.js'
import { taskTypes } from './task-types.js'

/** A mutation that returns the task. */
function writeTask(operationId: string, bodyOf?: (args: never) => WireObject): FieldPlan {
  return {
    weight: 250,
    async resolve(_: unknown, args: { id?: string }, context: GraphqlContext) {
      const { id } = args
      const params = id === undefined ? undefined : { taskId: id }
      const body = bodyOf?.(args as never)
      const answer = await context.write(operationId, {
        ...(params && { params }),
        ...(body && { body }),
        // Of the answer only the id is read; the task is then read with the fields that are asked for.
        unread: ['estimated_completion'],
      })
      return context.services.tasks.find(context.principal, String(answer['id']))
    },
  }
}

interface TaskListInput {
  readonly tasks: readonly WireObject[]
  readonly workspaceId?: string | null
}

const inputOf = ({ input }: { input: WireObject }): WireObject => input

function of(read: (task: Task) => unknown): FieldResolver {
  return ({ task }: TaskSummary) => read(task)
}

export const taskPart: SchemaPart = {
  types: taskTypes,
  fields: {
    Query: {
      task: {
        scope: 'tasks:read',
        resolve: (_: unknown, { id }: { id: string }, { loaders }: GraphqlContext) =>
          loaders.details.load(id),
      },
      tasks: {
        scope: 'tasks:read',
        size: 'first',
        resolve: (_: unknown, args: TaskListArguments, context: GraphqlContext) => searchTasks(context, args),
      },
    },
    Mutation: {
      createTask: writeTask('createTask', inputOf),
      createTasks: {
        weight: 2_500,
        async resolve(_: unknown, { tasks, workspaceId }: TaskListInput, { write }: GraphqlContext) {
          const body = { tasks: tasks.map(toListedTask), workspaceId }
          const answer = await write('createTasks', { body })
          return (answer['tasks'] as readonly WireObject[]).map(({ id }) => id)
        },
      },
      updateTask: writeTask('updateTask', inputOf),
      moveTask: writeTask('moveTask', ({ to }: { to: string }) => ({ to })),
      cancelTask: writeTask('cancelTask', ({ message }: { message?: string | null }) => ({ message })),
      releaseTask: writeTask('releaseTask', ({ fencingToken }: { fencingToken?: number }) => ({
        fencingToken,
      })),
      deleteTask: {
        weight: 250,
        async resolve(_: unknown, { id }: { id: string }, { write }: GraphqlContext) {
          await write('deleteTask', { params: { taskId: id } })
          return id
        },
      },
    },
    TaskConnection: {
      edges: ({ tasks, cursorAfter }: TaskConnection) =>
        tasks.map((task): TaskEdge => ({ node: summaryOf(task), cursor: cursorAfter(task) })),
      nodes: ({ tasks }: TaskConnection) => tasks.map(summaryOf),
      pageInfo: ({ tasks, cursorAfter, nextCursor, isFirst }: TaskConnection) => {
        const [first, last] = [tasks[0], tasks.at(-1)]
        return {
          hasNextPage: nextCursor !== null,
          hasPreviousPage: !isFirst,
          startCursor: first === undefined ? null : cursorAfter(first),
          endCursor: last === undefined ? null : cursorAfter(last),
        }
      },
    },
    Task: taskFields(),
    LogLine: { timestamp: ({ at }: TaskLogEntry) => at },
  },
}

const summaryOf = (task: FoundTask): TaskSummary => ({ task, agent: task.agent })

interface TaskEdge {
  readonly node: TaskSummary
  readonly cursor: string
}

function taskFields(): SchemaPart['fields'][string] {
  return {
    id: of(({ id }) => id),
    workspaceId: of(({ workspaceId }) => workspaceId),
    parentId: of(({ parentId }) => parentId),
    ...fieldResolvers,
    status: of(taskStatus),
    column: of(({ column }) => column.toLowerCase()),
    hold: of(({ hold }) => hold),
    takenBy: of(({ takenBy }) => takenBy),
    progress: of(({ progress }) => progress),
    openDependencies: of(({ openDependencies }) => openDependencies),
    result: of(({ result }) => result),
    attempts: of(({ attempts }) => attempts),
    createdAt: of(({ createdAt }) => createdAt),
    updatedAt: of(({ updatedAt }) => updatedAt),
    startedAt: of(({ startedAt }) => startedAt),
    completedAt: of(({ completedAt }) => completedAt),
    estimatedCompletion: ({ task }: TaskSummary, _: unknown, { loaders }: GraphqlContext) =>
      task.completedAt ?? loaders.estimates.load(task),
    logs: {
      size: 100,
      resolve: async (summary: TaskSummary, _: unknown, { loaders }: GraphqlContext) =>
        (await detailOf(summary, loaders)).logs,
    },
    outputs: {
      size: 100,
      resolve: async (summary: TaskSummary, _: unknown, { loaders }: GraphqlContext) =>
        (await detailOf(summary, loaders)).outputs,
    },
    usage: async (summary: TaskSummary, _: unknown, { loaders }: GraphqlContext) => {
      const { costMicros, ...tokens } = (await detailOf(summary, loaders)).usage
      return { ...tokens, costUsd: costMicros / microsPerUsd }
    },
  }
}

async function detailOf(summary: TaskSummary | TaskDetail, { details }: Loaders): Promise<TaskDetail> {
  if ('logs' in summary) return summary
  const detail = await details.load(summary.task.id)
  if (detail !== null) return detail
  throw new TaskboardError('TASK_NOT_FOUND', 'no such task')
}
