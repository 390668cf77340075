import { TaskboardError } from '@taskboard/core'
import { operationSchemas } from '@taskboard/core/transport'
import { z } from 'zod'
import type { Answer, BoardCalls } from '../board-calls.js'
import { decodeRun } from '../run-handle.js'
import { agentFinder } from './agent-names.js'
import { nextSteps } from './next-steps.js'
import { changedTask, listedTask, pickEach } from './task-forms.js'
import { members, next, pick, type Tool, tool } from './tool.js'

const LISTED = 20
const MOST_LISTED = 100
const SUMMARIZED = 10

const id = z.string()
const planner = { sets: ['planner'], scope: 'tasks:write' } as const
const newTask = operationSchemas('createTask').body
const query = operationSchemas('listTasks').query

const keyed = z
  .string()
  .regex(/^[!-~]{1,255}$/, 'must be 1 to 255 visible ASCII characters')
  .optional()

/** The arguments of a create without its key, which isn't a field of an operation. */
function readKeyed(args: Answer) {
  const { idempotency_key: idempotencyKey, ...body } = args
  return { body, idempotencyKey: idempotencyKey as string | undefined }
}

/** A task whose agent is named by its id. */
async function withAssignee(find: ReturnType<typeof agentFinder>, task: Answer): Promise<Answer> {
  const { assigned_to: wanted } = task
  return wanted === undefined ? task : { ...task, assigned_to: await find(wanted, 'assigned_to') }
}

/** What can be said of a task next to its title. */
function fieldsOf(schema: z.ZodObject): Record<string, z.ZodType> {
  const fields = members(schema, 'description', 'priority', 'tags', 'depends_on')
  const { type, deadline, metadata } = schema.shape as Record<string, z.ZodType>
  return {
    ...fields,
    type: (type as z.ZodType).meta({ description: 'A type of agents: only they take it, if there are any.' }),
    assigned_to: id.nullish().meta({ description: 'The only agent that takes it, by name or id.' }),
    deadline: (deadline as z.ZodType).meta({ description: 'As 2027-01-31T12:00:00Z.' }),
    metadata: (metadata as z.ZodType).meta({ description: 'Texts, and lists of texts.' }),
  }
}

const listTasks = tool({
  ...planner,
  scope: 'tasks:read',
  name: 'list_tasks',
  description: 'Find tasks, newest first or by sort.',
  input: z.object({
    q: z.string().optional().meta({ description: 'Words of the title or description.' }),
    ...members(query, 'status', 'column', 'hold', 'priority', 'type', 'parent_id', 'workspace_id'),
    agent: id.optional().meta({ description: 'Name or id: assigned, at work, or done by it.' }),
    tag: id.optional(),
    sort: z.enum(['created', 'updated', 'due', 'priority_score']).optional(),
    limit: z.int().min(1).max(MOST_LISTED).optional(),
    cursor: z.string().optional(),
  }),
  output: z.object({ tasks: z.array(listedTask), next_cursor: z.string().nullable() }),
  hints: { readOnlyHint: true },
  async run({ board, args }) {
    const { limit = LISTED, agent, ...filter } = args
    const agentId = await agentFinder(board, filter['workspace_id'])(agent, 'agent')
    const only = { ...(filter as Texts), agent_id: agentId as string | undefined, limit: String(limit) }
    const page = await board.call('listTasks', { query: only })
    const tasks = pickEach(page['tasks'], listedTask)
    return { value: { tasks, next_cursor: page['next_cursor'] ?? null }, text: countOf(tasks) }
  },
})

const countOf = (tasks: readonly unknown[]): string =>
  tasks.length === 1 ? '1 task' : `${tasks.length} tasks`

type Texts = Readonly<Record<string, string>>

const created = operationSchemas('createTask').answer
const createdTask = z.object(members(created, 'id', 'title', 'status'))

const createTask = tool({
  ...planner,
  name: 'create_task',
  description: 'Add a task for the agents of the board.',
  input: z.object({
    ...members(newTask, 'title', 'workspace_id'),
    parent_id: (newTask.shape['parent_id'] as z.ZodType).meta({
      description: 'The task that this one becomes a part of.',
    }),
    ...fieldsOf(newTask),
    idempotency_key: keyed.meta({ description: 'A retry with the same one adds nothing.' }),
  }),
  output: createdTask,
  hints: { destructiveHint: false },
  async run({ board, args }) {
    const assigned = await withAssignee(agentFinder(board, args['workspace_id']), args)
    const task = await board.call('createTask', { ...readKeyed(assigned), unread: ['estimated_completion'] })
    return { value: pick(task, createdTask), text: `Created ${String(task['id'])}` }
  },
})

const listed = (operationSchemas('createTasks').body.shape['tasks'] as unknown as { element: z.ZodObject })
  .element

const createTasks = tool({
  ...planner,
  name: 'create_tasks',
  description: 'Add up to 500 tasks, all or none.',
  input: z.object({
    tasks: z.array(z.object({ ...members(listed, 'title'), ...fieldsOf(listed) }).omit({ metadata: true })),
    ...members(newTask, 'workspace_id'),
    idempotency_key: keyed,
  }),
  output: z.object({ tasks: z.array(createdTask) }),
  hints: { destructiveHint: false },
  async run({ board, args }) {
    const find = agentFinder(board, args['workspace_id'])
    const assigned: unknown[] = []
    for (const each of args['tasks'] as readonly Answer[]) assigned.push(await withAssignee(find, each))
    const answer = await board.call('createTasks', readKeyed({ ...args, tasks: assigned }))
    const tasks = pickEach(answer['tasks'], createdTask)
    return { value: { tasks }, text: `Created ${countOf(tasks)}` }
  },
})

const delegateTasks = tool({
  ...planner,
  name: 'delegate_tasks',
  description:
    'Split the task of a run. With wait, its run ends, and a claim after all parts are done has their results.',
  input: z.object({
    run: z.string(),
    tasks: createTasks.input.shape['tasks'] as z.ZodType,
    wait: z.boolean().optional(),
    idempotency_key: keyed,
  }),
  output: z.object({ tasks: z.array(createdTask), next }),
  hints: { destructiveHint: false },
  async run({ board, args }) {
    const { taskId, fencingToken } = decodeRun(String(args['run']))
    const find = agentFinder(board)
    const tasks: unknown[] = []
    for (const each of args['tasks'] as readonly Answer[]) tasks.push(await withAssignee(find, each))
    const wait = args['wait'] === true
    const { idempotencyKey } = readKeyed(args)
    const body = { fencing_token: fencingToken, tasks, wait }
    const answer = await board.call('delegateTask', { params: { task_id: taskId }, body, idempotencyKey })
    const parts = pickEach(answer['tasks'], createdTask)
    const step = wait ? nextSteps.waits : nextSteps.recorded
    return { value: { tasks: parts }, text: `Created ${countOf(parts)}.`, next: step }
  },
})

const cancelTask = tool({
  ...planner,
  name: 'cancel_task',
  description: 'Put a task aside. Its agent loses it.',
  input: z.object({ task_id: id, ...members(operationSchemas('cancelTask').body, 'message') }),
  output: changedTask,
  hints: { idempotentHint: true },
  async run({ board, args: { task_id: taskId, ...body } }) {
    const task = await board.call('cancelTask', { params: { task_id: String(taskId) }, body })
    return { value: pick(task, changedTask), text: 'Cancelled.' }
  },
})

const changes = operationSchemas('updateTask').body

const updateTask = tool({
  ...planner,
  name: 'update_task',
  description: 'Change the given fields of a task; null clears one.',
  input: z.object({ task_id: id, ...members(changes, 'title'), ...fieldsOf(changes) }),
  output: changedTask,
  hints: { idempotentHint: true },
  async run({ board, args: { task_id: taskId, ...changed } }) {
    const body = await withAssignee(agentFinder(board), changed)
    const task = await board.call('updateTask', { params: { task_id: String(taskId) }, body })
    return { value: pick(task, changedTask), text: 'Changed.' }
  },
})

const moveTask = tool({
  ...planner,
  name: 'move_task',
  description: 'Move a task to a column, to done with a result. Its agent loses it.',
  input: z.object({
    task_id: id,
    ...members(operationSchemas('moveTask').body, 'to'),
    result: z.string().optional(),
  }),
  output: changedTask,
  hints: { idempotentHint: true },
  async run({ board, args: { task_id: taskId, to, result } }) {
    const params = { task_id: String(taskId) }
    if (result !== undefined && to !== 'done') {
      throw new TaskboardError('INVALID_FIELD', 'result is only for a move to done', { field: 'result' })
    }
    if (result !== undefined) await board.call('completeTask', { params, body: { result, take_over: true } })
    const task = await board.call('moveTask', { params, body: { to } })
    return { value: pick(task, changedTask), text: `Moved to ${String(to)}.` }
  },
})

const comment = z.object(members(operationSchemas('createComment').answer, 'id', 'kind'))

const commentOnTask = tool({
  ...planner,
  name: 'comment_on_task',
  description: 'Write a comment on a task.',
  input: z.object({
    task_id: id,
    body: z.string(),
    answers: z.boolean().optional().meta({
      description: 'true: it answers the question that the task waits for, and the work continues.',
    }),
    idempotency_key: keyed,
  }),
  output: comment,
  hints: { destructiveHint: false },
  async run({ board, args }) {
    const operationId = args['answers'] === true ? 'answerTask' : 'createComment'
    const params = { task_id: String(args['task_id']) }
    const { idempotencyKey } = readKeyed(args)
    const written = await board.call(operationId, { params, body: { body: args['body'] }, idempotencyKey })
    return { value: pick(written, comment), text: 'Written.' }
  },
})

/** The lists of a summary: each has at most ten tasks. */
const summaryFilters = {
  in_progress: { column: 'doing', sort: 'updated' },
  needs_input: { column: 'todo', hold: 'needs_input' },
  needs_approval: { column: 'todo', hold: 'approval' },
  next: { column: 'todo', sort: 'priority_score' },
  recently_done: { column: 'done', sort: 'updated' },
} as const

const summarizedTask = z.object(members(listedTask, 'id', 'title', 'priority', 'progress', 'hold'))
const summaryPart = z
  .object({ tasks: z.array(summarizedTask), has_more: z.boolean() })
  .meta({ id: 'SummaryPart' })

/** Activity: one short list for each thing that matters, of one workspace or of all. */
export async function summarize(board: BoardCalls, workspaceId: string | undefined): Promise<Answer> {
  const parts = Object.entries(summaryFilters).map(async ([name, filter]) => {
    const page = await board.call('listTasks', {
      query: { ...filter, limit: String(SUMMARIZED), workspace_id: workspaceId },
    })
    const tasks = pickEach(page['tasks'], summarizedTask)
    return [name, { tasks, has_more: page['next_cursor'] != null }] as const
  })
  return Object.fromEntries(await Promise.all(parts))
}

const boardSummary = tool({
  ...planner,
  scope: 'tasks:read',
  name: 'board_summary',
  description: 'Tasks in progress, on hold, next in the queue and done: up to 10 of each.',
  input: z.object({ workspace_id: id.optional() }),
  output: z.object(Object.fromEntries(Object.keys(summaryFilters).map((name) => [name, summaryPart]))),
  hints: { readOnlyHint: true },
  async run({ board, args }) {
    const value = await summarize(board, args['workspace_id'] as string | undefined)
    const counts = Object.entries(value).map(([name, part]) => `${name} ${countText(part as Part)}`)
    return { value, text: counts.join(', ') }
  },
})

interface Part {
  readonly tasks: readonly unknown[]
  readonly has_more: boolean
}

function countText({ tasks, has_more: hasMore }: Part): string {
  return hasMore ? `more than ${tasks.length}` : String(tasks.length)
}

/** What an agent needs that plans the work of others. */
export const plannerTools: readonly Tool[] = [
  listTasks,
  createTask,
  createTasks,
  delegateTasks,
  updateTask,
  moveTask,
  cancelTask,
  commentOnTask,
  boardSummary,
]
