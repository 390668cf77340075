import { z } from 'zod'
import {
  columns,
  holdReasons,
  logLevels,
  mostListedTasks,
  priorities,
  taskFieldNames,
  taskListEntries,
  taskStatus,
  taskStatuses,
  type Column,
  type ListedTaskInput,
  type Task,
  type TaskAgent,
  type TaskChangeInput,
  type TaskDetail,
  type TaskField,
  type TaskInput,
  type TaskLogEntry,
  type TaskSummary,
} from '../../board/index.js'
import type { Instant } from '../../environment/index.js'
import { boundedList, wholeNumber } from '../../errors/index.js'
import { agentStatuses } from '../../events/index.js'
import { wireName } from '../../fields/index.js'
import { namedActorJson, toWireNamed } from './actor-wire.js'
import { commentJson } from './comment-wire.js'
import { idText, instantText, timestamp, toTimestamp } from './wire-schemas.js'
import { fieldNames } from '../field-names.js'
import type { JsonObject } from '../json-body.js'
import { budgetBody, budgetJson, toBudget, toWireBudget, toWireUsage, usageJson } from './usage-wire.js'

const text = z.string()

const priority = z.enum(priorities)
const metadataJson = z.record(z.string(), z.union([z.string(), z.array(z.string())]))

/** A field's name in API v2, its type in a body (the board checks the value further) and its type in an answer. */
interface WireField {
  readonly name: string
  readonly body: z.ZodType
  readonly answer: z.ZodType
}

const taskWire = {
  title: {
    name: 'title',
    body: text.meta({ minLength: 1, description: '1 to 200 characters.' }),
    answer: text,
  },
  description: { name: 'description', body: text.nullish(), answer: text.nullable() },
  type: {
    name: 'type',
    body: text.meta({ minLength: 1, maxLength: 64 }).nullish().meta({
      description:
        'Any text. While the workspace has agents of this type, only they can take the task; otherwise any agent can.',
    }),
    answer: text.nullable(),
  },
  priority: { name: 'priority', body: priority.nullish(), answer: priority },
  assignedTo: {
    name: 'assigned_to',
    body: idText.nullish().meta({ description: 'The only agent that can take the task.' }),
    answer: text.nullable(),
  },
  dueDate: { name: 'deadline', body: instantText.nullish(), answer: timestamp.nullable() },
  notBefore: {
    name: 'not_before',
    body: instantText.nullish().meta({ description: 'No agent takes the task before this time.' }),
    answer: timestamp.nullable(),
  },
  tags: {
    name: 'tags',
    body: boundedList(text, { of: 'texts', most: taskListEntries }).nullish(),
    answer: z.array(text),
  },
  metadata: {
    name: 'metadata',
    // Checked only by the board: the caller chooses its names.
    body: z
      .unknown()
      .meta({
        type: ['object', 'null'],
        additionalProperties: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
        description: 'At most 16,384 characters as JSON.',
      })
      .optional(),
    answer: metadataJson,
  },
  dependsOn: {
    name: 'depends_on',
    body: boundedList(idText, { of: 'ids', most: taskListEntries })
      .nullish()
      .meta({ description: 'Tasks that must be done before agents can take it.' }),
    answer: z.array(text),
  },
  budget: {
    name: 'budget',
    body: budgetBody.nullish(),
    answer: budgetJson.nullable(),
  },
} as const satisfies Record<TaskField, WireField>

type TaskWire = typeof taskWire
type Shape<Use extends 'body' | 'answer'> = {
  readonly [F in keyof TaskWire as TaskWire[F]['name']]: TaskWire[F][Use]
}

function shapeOf<Use extends 'body' | 'answer'>(use: Use): Shape<Use> {
  return Object.fromEntries(Object.values(taskWire).map((field) => [field.name, field[use]])) as Shape<Use>
}

const parentId = idText.nullish().meta({
  description:
    'The task that this one becomes a part of. It can have 50 subtasks that are not done, and there are at most 5 levels.',
})

/** The input for a new task. */
export const newTaskBody = z.object({
  ...shapeOf('body'),
  parent_id: parentId,
  workspace_id: idText.nullish(),
})

/** The input for a new task of a list. */
export const listedTaskBody = z
  .object({
    ...shapeOf('body'),
    parent_id: parentId,
    depends_on: z
      .array(
        z.union([idText, wholeNumber(0, mostListedTasks - 1)], { error: 'must be an id or a position' }),
        {
          error: 'must be a list of ids and positions',
        },
      )
      .max(taskListEntries, `must have at most ${taskListEntries} entries`)
      .nullish()
      .meta({
        description:
          'Tasks that must be done before agents can take it. A number is the position of an earlier task in the list, from 0.',
      }),
  })
  .strict()

/** The input for a change. Only given fields change; null clears a field that can be empty. */
export const taskChangeBody = z.object({ ...shapeOf('body'), title: taskWire.title.body.optional() })

/** The names of the fields in API v2, if they aren't the snake_case form. */
export const taskWireFields: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(taskWire).flatMap(([field, { name }]) => (name === wireName(field) ? [] : [[field, name]])),
)

type ChangeBody = z.output<typeof taskChangeBody>
type GivenFields = { readonly [F in Exclude<TaskField, 'title'>]: TaskChangeInput[F] }

/** The fields of a body by their names in the library. `parseNewTask` and `parseTaskChange` validate them. */
export function toFields<Body extends ChangeBody>(
  body: Body,
): GivenFields & { readonly title: Body['title'] } {
  return {
    title: body.title,
    description: body.description,
    type: body.type,
    priority: body.priority,
    assignedTo: body.assigned_to,
    dueDate: body.deadline,
    notBefore: body.not_before,
    tags: body.tags,
    metadata: body.metadata as TaskInput['metadata'],
    dependsOn: body.depends_on,
    budget: toBudget(body.budget),
  }
}

/** The task of a list, by the names in the library. `parseTaskList` validates it. */
export function toListedInput(body: z.output<typeof listedTaskBody>): ListedTaskInput {
  return { ...toFields({ ...body, depends_on: null }), dependsOn: body.depends_on, parentId: body.parent_id }
}

/** The names of the fields in the board API: the snake_case form, each. */
export const boardTaskFields = fieldNames({
  required: ['title'],
  optional: taskFieldNames.filter((field) => field !== 'title').map(wireName),
  within: { budget: taskWire.budget.body },
})

/** As `toFields`, for a body of the board API. */
export function toTaskInput(body: JsonObject): TaskInput {
  const input: Record<TaskField, unknown> = {
    title: body['title'],
    description: body['description'],
    type: body['type'],
    priority: body['priority'],
    assignedTo: body['assigned_to'],
    dueDate: textOnly(body['due_date']),
    notBefore: textOnly(body['not_before']),
    tags: body['tags'],
    metadata: body['metadata'],
    dependsOn: body['depends_on'],
    budget: renamedBudget(body['budget']),
  }
  return input as TaskInput
}

/** A host can pass times as numbers, a client can't: anything but text becomes a value that the board rejects. */
function textOnly(value: unknown): unknown {
  return typeof value === 'string' || value === null || value === undefined ? value : false
}

/** The board checks the value. */
function renamedBudget(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name === 'cost_usd' ? 'costUsd' : name,
      member as unknown,
    ]),
  )
}

export const statusText = z.enum(taskStatuses)
/** A column, as API v2 and the paths of actions name it. */
export const columnText = z.enum(columns.map((column) => column.toLowerCase() as Lowercase<Column>))
/** The column of each name on the wire. */
export const columnOf: Readonly<Record<Lowercase<Column>, Column>> = {
  todo: 'TODO',
  doing: 'DOING',
  done: 'DONE',
}
export const progress = z.int().min(0).max(100).meta({ description: 'In percent.' })

const agentJson = z.object({ id: z.string(), name: z.string(), status: z.enum(agentStatuses) }).meta({
  id: 'TaskAgent',
  description: 'The agent that works on the task, else the one that completed it, else the assigned one.',
})

/** A new task. */
export const createdTaskJson = z
  .object({
    id: z.string(),
    title: z.string(),
    status: statusText,
    progress,
    created_at: timestamp,
    estimated_completion: timestamp
      .nullable()
      .meta({ description: 'When agents are expected to complete it; null while there is no estimate.' }),
    agent: agentJson.nullable(),
  })
  .meta({ id: 'CreatedTask' })

/** A task with all of its fields. */
export const taskJson = z
  .object({
    id: z.string(),
    workspace_id: z.string(),
    parent_id: z.string().nullable(),
    ...shapeOf('answer'),
    status: statusText,
    column: columnText,
    hold: z
      .object({
        reason: z.enum(holdReasons),
        message: z.string().nullable(),
        since: timestamp,
      })
      .nullable()
      .meta({ description: 'Why agents cannot take a task in todo.' }),
    progress,
    agent: agentJson.nullable(),
    taken_by: namedActorJson.nullable().meta({
      description:
        'The person or program that moved the task to doing or done, or completed it; null in todo and when an agent did.',
    }),
    open_dependencies: z.int().meta({ description: 'The number of tasks in depends_on that are not done.' }),
    result: z.string().nullable(),
    attempts: z.int(),
    created_at: timestamp,
    updated_at: timestamp,
    started_at: timestamp.nullable(),
    completed_at: timestamp.nullable(),
  })
  .meta({ id: 'Task' })

export function toWireTask({ task, agent }: TaskSummary): z.output<typeof taskJson> {
  const { hold } = task
  return {
    id: task.id,
    workspace_id: task.workspaceId,
    parent_id: task.parentId,
    title: task.title,
    description: task.description,
    type: task.type,
    priority: task.priority,
    status: taskStatus(task),
    column: columnNames[task.column],
    hold: hold && { reason: hold.reason, message: hold.message, since: toTimestamp(hold.since) },
    progress: task.progress,
    agent,
    taken_by: task.takenBy && toWireNamed(task.takenBy),
    assigned_to: task.assignedTo,
    deadline: toTimestamp(task.dueDate),
    not_before: toTimestamp(task.notBefore),
    tags: [...task.tags],
    metadata: task.metadata as z.output<typeof metadataJson>,
    depends_on: [...task.dependsOn],
    budget: toWireBudget(task.budget),
    open_dependencies: task.openDependencies,
    result: task.result,
    attempts: task.attempts,
    created_at: toTimestamp(task.createdAt),
    updated_at: toTimestamp(task.updatedAt),
    started_at: toTimestamp(task.startedAt),
    completed_at: toTimestamp(task.completedAt),
  }
}

const columnNames: Readonly<Record<Column, Lowercase<Column>>> = {
  TODO: 'todo',
  DOING: 'doing',
  DONE: 'done',
}

/** A line of a task's log. */
export const logJson = z
  .object({ timestamp, message: z.string(), level: z.enum(logLevels) })
  .meta({ id: 'TaskLogLine' })

/** A reference to something that an agent made. */
export const outputJson = z
  .object({
    type: z.string(),
    name: z.string(),
    url: z.string(),
    size: z.int().nullable().meta({ description: 'In bytes; null when unknown.' }),
  })
  .meta({ id: 'TaskOutput' })

/** A task with its log and its outputs. */
export const taskDetailJson = taskJson
  .extend({
    logs: z.array(logJson).meta({ description: 'The newest 100 lines, oldest first.' }),
    outputs: z.array(outputJson),
    usage: usageJson.meta({ description: 'The sum of all reports on it.' }),
  })
  .meta({ id: 'TaskDetail' })

/** A task that was just claimed. */
export const claimedTaskJson = taskJson
  .extend({
    fencing_token: z.int(),
    lease_expires_at: timestamp,
    question: commentJson.nullable().meta({
      description: 'The last question of an agent on the task; null when there is none.',
    }),
    answer: commentJson.nullable().meta({
      description: 'The answer to the last question on the task; null when there is none.',
    }),
  })
  .meta({ id: 'ClaimedTask' })

export function toCreatedTask(
  task: Task,
  agent: TaskAgent | null,
  estimatedCompletion: Instant | null,
): z.output<typeof createdTaskJson> {
  return {
    id: task.id,
    title: task.title,
    status: taskStatus(task),
    progress: task.progress,
    created_at: toTimestamp(task.createdAt),
    estimated_completion: toTimestamp(estimatedCompletion),
    agent,
  }
}

export function toWireLine({ at, message, level }: TaskLogEntry): z.output<typeof logJson> {
  return { timestamp: toTimestamp(at), message, level }
}

export function toWireDetail(detail: TaskDetail): z.output<typeof taskDetailJson> {
  // Without a spread: V8 copies an object of this many members six times slower than it makes one.
  return Object.assign(toWireTask(detail), {
    logs: detail.logs.map(toWireLine),
    outputs: detail.outputs.map(({ type, name, url, size }) => ({ type, name, url, size })),
    usage: toWireUsage(detail.usage),
  })
}
