import { callerOf, recheckCaller } from '../caller.js'
import { actorOf, chatInput, type Column, parseNewTask, type Task } from '../../board/index.js'
import type { Instant } from '../../environment/index.js'
import { isStorableText, parseInput, TaskboardError } from '../../errors/index.js'
import { scoreTask, type Scoring } from '../../priority/index.js'
import type { TransportServices } from '../../wiring/transport-services.js'
import { newWebhookInput, type Webhook } from '../../webhooks/index.js'
import { fieldNames, fieldNamesOf, NO_FIELDS } from '../field-names.js'
import type { Route } from '../http.js'
import { idempotencyClaim } from '../idempotency-key.js'
import type { JsonObject } from '../json-body.js'
import type { Query } from '../query.js'
import { boardTaskFields, toTaskInput } from '../wire/task-wire.js'
import { tracedRoute } from '../traced-route.js'
import { handleBoardRequest } from './handle.js'
import { type BoardOperation, reading, writing } from './operation.js'

/** The parts of a task's JSON that don't depend on its score. A stored task never changes, so they are made once. */
interface TaskText {
  readonly beforeScore: string
  readonly afterScore: string
}

const texts = new WeakMap<Task, TaskText>()

/** A task with all its listed fields as JSON, with the score as of `now`, and `hold` only if it has one. */
function listedTaskJson(task: Task, now: Instant, scoring: Scoring): string {
  let text = texts.get(task)
  if (text === undefined) {
    text = toListedText(task)
    texts.set(task, text)
  }
  return text.beforeScore + scoreTask(task, now, scoring) + text.afterScore
}

/** The five fields of a task in the answers to add and move, as JSON. */
function createdTaskJson(task: Task, now: Instant, scoring: Scoring): string {
  const title = JSON.stringify(task.title)
  const score = scoreTask(task, now, scoring)
  return `{"id":"${task.id}","title":${title},"status":"${task.column}","priority_score":${score},"created_at":${time(task.createdAt)}}`
}

function toListedText(task: Task): TaskText {
  const { id, title, description, priority, column, createdAt, dueDate, tags, hold } = task
  const holdText = hold && `,"hold":${JSON.stringify({ reason: hold.reason, message: hold.message })}`
  return {
    beforeScore: `${JSON.stringify({ id, title, description, priority }).slice(0, -1)},"priority_score":`,
    afterScore: `,"status":"${column}","created_at":${time(createdAt)},"due_date":${time(dueDate)},"tags":${JSON.stringify(tags)}${holdText ?? ''}}`,
  }
}

let lastInstant: Instant = Number.NaN

let lastText = ''

/** A time as JSON: ISO 8601 in UTC with milliseconds. Keeps the last text, because calls in a row mostly have the same time. */
function time(instant: Instant | null): string {
  if (instant === null) return 'null'
  if (instant !== lastInstant) {
    lastText = `"${new Date(instant).toISOString()}"`
    lastInstant = instant
  }
  return lastText
}

/** `?action=add`: creates a task in TODO. Its score is as of its creation, so that a retry returns the same bytes. */
const addTask: BoardOperation = {
  ...writing,
  scope: 'tasks:write',
  fields: boardTaskFields,
  checkFields: (body) => void parseNewTask(toTaskInput(body), '', 1),
  async run({ services, principal, request, board, body }) {
    const input = toTaskInput(body)
    const idempotency = idempotencyClaim(request, principal, 'add', input)
    const actor = actorOf(principal)
    const task = await services.quota.createTask(
      principal,
      (tx) => board.addOnce(input, { actor, idempotency, tx }),
      { isRepeatable: idempotency !== undefined, check: () => parseNewTask(input, '', 1) },
    )
    return `{"success":true,"task":${createdTaskJson(task, task.createdAt, services.scoring)}}`
  },
}

/** `/api/webhooks/create`: registers an endpoint of the caller's default workspace. */
const createWebhook: BoardOperation = {
  ...writing,
  scope: 'webhooks:write',
  parameters: NO_FIELDS,
  fields: fieldNamesOf(newWebhookInput),
  checkFields: (body) => void parseInput(newWebhookInput, body),
  async run({ services, principal, request, body }) {
    const { url, events, secret } = parseInput(newWebhookInput, body)
    const input = { url, events, ...(secret == null ? {} : { secret }) }
    const idempotency = idempotencyClaim(request, principal, 'webhooks/create', input)
    const by = callerOf(principal, request)
    const webhook = await services.quota.createHeld(principal, 'webhooks', (tx) =>
      services.webhooks.register(principal.defaultWorkspaceId, input, { idempotency, tx, by }),
    )
    return JSON.stringify({ success: true, webhook: toWireWebhook(webhook) })
  },
}

/** Never the secret: `signed` says whether there is one. */
function toWireWebhook({ id, url, events, enabled, signed, createdAt }: Webhook): object {
  return { id, url, events, enabled, signed, created_at: new Date(createdAt).toISOString() }
}

/** `?action=todo`, `doing` and `done`: a column's tasks, a page at a time. */
function listColumn(column: Column): BoardOperation {
  return {
    ...reading,
    scope: 'tasks:read',
    async run({ services, query, board }) {
      const limit = requestedLimit(query['limit'])
      const cursor = query['cursor'] ?? null
      const { tasks, asOf, nextCursor } = await board.list(column, { limit, cursor })
      let list = ''
      for (const task of tasks) {
        if (list !== '') list += ','
        list += listedTaskJson(task, asOf, services.scoring)
      }
      const next = nextCursor === null ? '' : `,"next_cursor":${JSON.stringify(nextCursor)}`
      return `{"success":true,"tasks":[${list}],"count":${tasks.length}${next}}`
    },
  }
}

/** Also the default: simple clients don't page, and must not miss tasks silently. */
const LARGEST_PAGE = 1_000

function requestedLimit(text: string | undefined): number {
  if (text === undefined) return LARGEST_PAGE
  if (/^\d{1,6}$/.test(text)) return Number(text)
  throw new TaskboardError('INVALID_FIELD', 'limit must be a whole number from 1 to 1000', { field: 'limit' })
}

const targets: ReadonlyMap<unknown, Column> = new Map([
  ['todo', 'TODO'],
  ['doing', 'DOING'],
  ['done', 'DONE'],
])

const LONGEST_ID = 64

/** `?action=move`: any column to any. */
export const moveTask: BoardOperation = {
  ...writing,
  scope: 'tasks:write',
  fields: fieldNames({ required: ['task_id', 'to'] }),
  checkFields: (body) => void parseMove(body),
  async run({ services, principal, board, body }) {
    const { taskId, to } = parseMove(body)
    if (taskId.length > LONGEST_ID || !isStorableText(taskId)) throw notFound()
    const task = await board.move(taskId, to, { actor: actorOf(principal) })
    const now = services.environment.clock.now()
    return `{"success":true,"task":${createdTaskJson(task, now, services.scoring)}}`
  },
}

function parseMove(body: JsonObject): { taskId: string; to: Column } {
  return { taskId: requireText(body, 'task_id'), to: requireTarget(requireText(body, 'to')) }
}

function requireText(body: JsonObject, field: string): string {
  const value = body[field]
  if (typeof value === 'string') return value
  throw new TaskboardError('INVALID_FIELD', `${field} must be text`, { field })
}

function requireTarget(to: string): Column {
  const column = targets.get(to)
  if (column !== undefined) return column
  throw new TaskboardError('INVALID_FIELD', 'to must be one of todo, doing, done', { field: 'to' })
}

function notFound(): TaskboardError {
  return new TaskboardError('TASK_NOT_FOUND', 'no such task')
}

/** `?action=chat`: asks the workspace's agent. */
const sendChat: BoardOperation = {
  ...writing,
  scope: 'chat:write',
  fields: fieldNamesOf(chatInput),
  checkFields: (body) => void parseInput(chatInput, body),
  async run({ services, principal, request, board, body }) {
    const { reply, at } = await board.chat(
      { message: body['message'] as string, user: body['user'] as string | null | undefined },
      { caller: principal, recheck: recheckCaller(services, request, principal, board.workspaceId) },
    )
    return `{"success":true,"reply":${JSON.stringify(reply)},"timestamp":${time(at)}}`
  },
}

const actions: ReadonlyMap<string, BoardOperation> = new Map([
  ['todo', listColumn('TODO')],
  ['doing', listColumn('DOING')],
  ['done', listColumn('DONE')],
  ['add', addTask],
  ['move', moveTask],
  ['chat', sendChat],
])

function findAction({ values, repeated }: Query): BoardOperation {
  const operation = repeated.has('action') ? undefined : actions.get(values['action'] ?? '')
  if (operation !== undefined) return operation
  if (repeated.has('action')) throw new TaskboardError('INVALID_ACTION', 'action must be given once')
  throw new TaskboardError('INVALID_ACTION', `action must be one of ${[...actions.keys()].join(', ')}`)
}

/**
 * The Board API (v1) as routes: the actions and webhook registration, at the configured paths. An adapter registers each
 * for every method.
 * @example
 * ```ts
 * import { createTaskboard } from '@taskboard/core'
 * import { boardRoutes } from '@taskboard/core/transport'
 * import { memoryStorage } from '@taskboard/memory'
 *
 * const taskboard = createTaskboard({ storage: memoryStorage() })
 * console.log(boardRoutes(taskboard).map(({ path }) => path)) // [ '/api/board', '/api/webhooks/create' ]
 * ```
 */
export function boardRoutes({ services }: { readonly services: TransportServices }): readonly Route[] {
  return [
    tracedRoute(services, {
      path: services.paths.board,
      handle: (request) => handleBoardRequest(services, request, findAction),
    }),
    tracedRoute(services, {
      path: services.paths.webhooks,
      handle: (request) => handleBoardRequest(services, request, () => createWebhook),
    }),
  ]
}
