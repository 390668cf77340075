import { z } from 'zod'
import { mayRaiseBudget, type Principal } from '../../access/index.js'
import {
  actorOf,
  completionInput,
  holdInput,
  mostListedTasks,
  parseTaskChange,
  type Task,
  type TaskAgent,
} from '../../board/index.js'
import { boundedList, isTaskboardError, type InputOf } from '../../errors/index.js'
import type { TransportServices } from '../../wiring/transport-services.js'
import { attemptJson, toWireAttempt } from './attempt-wire.js'
import { idempotencyClaim } from '../idempotency-key.js'
import {
  columnOf,
  columnText,
  createdTaskJson,
  listedTaskBody,
  logJson,
  newTaskBody,
  taskChangeBody,
  taskDetailJson,
  taskJson,
  taskWireFields,
  toCreatedTask,
  toFields,
  toListedInput,
  toWireLine,
  toWireDetail,
  toWireTask,
} from '../wire/task-wire.js'
import { boardOfTask, operation, workspaceOf } from './operation.js'
import { taskFindOperations } from './task-find-operations.js'
import { idText, logQuery, nextCursor } from '../wire/wire-schemas.js'

const params = z.object({ task_id: idText })
const common = { tag: 'tasks', wireFields: taskWireFields } as const
const detail = { status: 200, schema: taskDetailJson } as const

const createTask = operation({
  ...common,
  id: 'createTask',
  summary: 'Adds a task for the agents of its workspace',
  method: 'POST',
  path: '/v2/tasks',
  client: 'tasks.create',
  scope: 'tasks:write',
  idempotent: true,
  body: newTaskBody,
  example: { title: 'Compare the offers', priority: 'high', tags: ['offers'] },
  answer: { status: 201, schema: createdTaskJson },
  async run({ services, principal, request, body, isRead }) {
    const input = { ...toFields(body), parentId: body.parent_id }
    // Invalid fields are reported before what does not exist.
    const read = services.parseTask(input, body.workspace_id ?? principal.defaultWorkspaceId)
    const workspaceId = await workspaceOf(services, principal, body.workspace_id)
    const idempotency = idempotencyClaim(request, principal, 'POST /v2/tasks', { ...input, workspaceId })
    const board = services.board(workspaceId)
    const task = await services.quota.createTask(
      principal,
      (tx) => board.addParsed(read, { actor: actorOf(principal), idempotency, tx }),
      { isRepeatable: idempotency !== undefined },
    )
    const [agent, [estimate = null]] = await Promise.all([
      assigneeOf(services, principal, task),
      isRead('estimated_completion') ? services.estimates.forTasks([task]) : [],
    ])
    const answer = toCreatedTask(task, agent, estimate)
    return idempotency === undefined ? answer : services.saveIdempotentResponse(idempotency, answer)
  },
})

const createTasks = operation({
  ...common,
  id: 'createTasks',
  summary: 'Adds up to 500 tasks, all or none',
  description:
    'All in one workspace. In depends_on, a number is the position of an earlier task in the list.',
  method: 'POST',
  path: '/v2/tasks/batch',
  client: 'tasks.createMany',
  scope: 'tasks:write',
  idempotent: true,
  body: z.object({
    tasks: boundedList(listedTaskBody, { of: 'tasks', least: 1, most: mostListedTasks }),
    workspace_id: idText.nullish(),
  }),
  example: { tasks: [{ title: 'Read the offers' }, { title: 'Compare them', depends_on: [0] }] },
  answer: { status: 201, schema: z.object({ tasks: z.array(taskJson) }) },
  async run({ services, principal, request, body }) {
    const inputs = body.tasks.map(toListedInput)
    // Invalid fields are reported before what does not exist.
    const read = services.parseTasks(inputs, body.workspace_id ?? principal.defaultWorkspaceId)
    const workspaceId = await workspaceOf(services, principal, body.workspace_id)
    const claimed = { tasks: inputs, workspaceId }
    const idempotency = idempotencyClaim(request, principal, 'POST /v2/tasks/batch', claimed)
    const board = services.board(workspaceId)
    const tasks = await services.quota.createTasks(
      principal,
      read.length,
      (tx) => board.addAllParsed(read, { actor: actorOf(principal), idempotency, tx }),
      { isRepeatable: idempotency !== undefined },
    )
    const agents = await assigneesOf(services, principal, tasks)
    const answer = {
      tasks: tasks.map((task) => toWireTask({ task, agent: agents.get(task.assignedTo ?? '') ?? null })),
    }
    return idempotency === undefined ? answer : services.saveIdempotentResponse(idempotency, answer)
  },
})

const getTask = operation({
  ...common,
  id: 'getTask',
  summary: 'One task, with its log and its outputs',
  description: 'Of its log it has the newest 100 lines. GET /v2/tasks/{task_id}/logs has all that are kept.',
  beginsEarly: true,
  method: 'GET',
  path: '/v2/tasks/{task_id}',
  client: 'tasks.get',
  scope: 'tasks:read',
  params,
  answer: detail,
  run: ({ services, principal, params: { task_id: id } }) => detailOf(services, principal, id),
})

const listLogLines = operation({
  ...common,
  id: 'listTaskLogLines',
  summary: 'The log of a task, oldest line first',
  description: 'The newest 1,000 lines are kept.',
  method: 'GET',
  path: '/v2/tasks/{task_id}/logs',
  client: 'tasks.logs',
  scope: 'tasks:read',
  params,
  query: z.object(logQuery),
  answer: { status: 200, schema: z.object({ logs: z.array(logJson), next_cursor: nextCursor }) },
  async run({ services, principal, params: { task_id: id }, query }) {
    const { lines, nextCursor: next } = await services.tasks.logs(principal, id, query)
    return { logs: lines.map(toWireLine), next_cursor: next }
  },
})

const listAttempts = operation({
  ...common,
  id: 'listAttempts',
  summary: 'How the attempts at a task ended, oldest first',
  description: 'The newest 100, without the one in progress.',
  method: 'GET',
  path: '/v2/tasks/{task_id}/attempts',
  client: 'tasks.attempts',
  scope: 'tasks:read',
  params,
  answer: { status: 200, schema: z.object({ attempts: z.array(attemptJson) }) },
  async run({ services, principal, params: { task_id: id } }) {
    const attempts = await services.tasks.attempts(principal, id)
    const ids = [...new Set(attempts.map(({ agentId }) => agentId))]
    const found = ids.length === 0 ? [] : await services.agents.findAll(principal, ids)
    const names = new Map(found.map(({ id: agentId, name }) => [agentId, name]))
    return { attempts: attempts.map((each) => toWireAttempt(each, names.get(each.agentId) ?? null)) }
  },
})

const updateTask = operation({
  ...common,
  id: 'updateTask',
  summary: 'Changes the given fields; null clears a field',
  description:
    'A budget that is more than the present one, or null in the place of one, requires the scope account:write too.',
  method: 'PATCH',
  path: '/v2/tasks/{task_id}',
  client: 'tasks.update',
  scope: 'tasks:write',
  params,
  body: taskChangeBody,
  example: { title: 'Compare the new offers', deadline: null },
  answer: detail,
  async run({ services, principal, params: { task_id: id }, body }) {
    const change = parseTaskChange(toFields(body))
    const board = await boardOfTask(services, principal, id)
    await board.updateParsed(id, change, {
      actor: actorOf(principal),
      lowersBudget: !mayRaiseBudget(principal),
    })
    return detailOf(services, principal, id)
  },
})

const deleteTask = operation({
  ...common,
  id: 'deleteTask',
  summary: 'Deletes a task with its log and outputs',
  description:
    'Rejected with 409 while other tasks depend on it. An agent that works on it gets a 404 for its next write.',
  method: 'DELETE',
  path: '/v2/tasks/{task_id}',
  client: 'tasks.delete',
  scope: 'tasks:write',
  params,
  answer: { status: 204 },
  async run({ services, principal, params: { task_id: id } }) {
    const board = await boardOfTask(services, principal, id)
    await board.delete(id, { actor: actorOf(principal) })
  },
})

const moveTask = operation({
  ...common,
  id: 'moveTask',
  summary: 'Moves a task to any column; revokes it from the agent that works on it',
  method: 'POST',
  path: '/v2/tasks/{task_id}/move',
  client: 'tasks.move',
  repeatable: true,
  scope: 'tasks:write',
  params,
  body: z.object({
    to: columnText,
  }),
  example: { to: 'doing' },
  answer: detail,
  async run({ services, principal, params: { task_id: id }, body }) {
    const board = await boardOfTask(services, principal, id)
    await board.move(id, columnOf[body.to], { actor: actorOf(principal) })
    return detailOf(services, principal, id)
  },
})

const cancelTask = operation({
  ...common,
  id: 'cancelTask',
  summary: 'Cancels a task; revokes it from the agent that works on it',
  description: 'Rejected with 409 once it is completed. Release the task to make it ready again.',
  method: 'POST',
  path: '/v2/tasks/{task_id}/cancel',
  client: 'tasks.cancel',
  repeatable: true,
  scope: 'tasks:write',
  params,
  body: z.object({ message: holdInput.shape.message }),
  example: { message: 'The offers are out of date.' },
  answer: detail,
  async run({ services, principal, params: { task_id: id }, body }) {
    const board = await boardOfTask(services, principal, id)
    await board.cancel(id, { message: body.message, actor: actorOf(principal) })
    return detailOf(services, principal, id)
  },
})

const releaseTask = operation({
  ...common,
  id: 'releaseTask',
  summary: 'Releases a held task: agents can take it again, with fresh attempts',
  description:
    'With the fencing_token of a claim, the agent that works on the task gives it back. It is ready immediately, and the attempt does not count.',
  method: 'POST',
  path: '/v2/tasks/{task_id}/release',
  client: 'tasks.release',
  repeatable: false,
  scope: 'tasks:write',
  params,
  body: z.object({ fencing_token: completionInput.shape.fencingToken.optional() }),
  example: {},
  answer: detail,
  async run({ services, principal, params: { task_id: id }, body }) {
    const board = await boardOfTask(services, principal, id)
    await board.release(id, { fencingToken: body.fencing_token, actor: actorOf(principal) })
    return detailOf(services, principal, id)
  },
})

/** Operations on tasks for people and programs. */
export const taskOperations = [
  createTask,
  createTasks,
  ...taskFindOperations,
  getTask,
  listLogLines,
  listAttempts,
  updateTask,
  deleteTask,
  moveTask,
  cancelTask,
  releaseTask,
]

async function detailOf(
  services: TransportServices,
  principal: Principal,
  taskId: string,
): Promise<InputOf<typeof taskDetailJson>> {
  return toWireDetail(await services.tasks.find(principal, taskId))
}

async function assigneeOf(
  services: TransportServices,
  principal: Principal,
  { assignedTo }: Task,
): Promise<TaskAgent | null> {
  if (assignedTo === null) return null
  try {
    const { id, name, status } = await services.agents.find(principal, assignedTo)
    return { id, name, status }
  } catch (error) {
    // Deleted meanwhile: the task may come from an earlier request.
    if (isTaskboardError(error, 'NOT_FOUND')) return null
    throw error
  }
}

/** The agents that tasks are assigned to, as far as they still exist. */
async function assigneesOf(
  services: TransportServices,
  principal: Principal,
  tasks: readonly Task[],
): Promise<ReadonlyMap<string, TaskAgent>> {
  const ids = [...new Set(tasks.flatMap(({ assignedTo }) => assignedTo ?? []))]
  const found = ids.length === 0 ? [] : await services.agents.findAll(principal, ids)
  return new Map(found.map(({ id, name, status }) => [id, { id, name, status }]))
}
