import { z } from 'zod'
import { chatInput, columns, holdReasons, priorities } from '../../board/index.js'
import { webhookEventTypes } from '../../events/index.js'
import type { RoutePaths } from '../../wiring/transport-services.js'
import { newWebhookInput } from '../../webhooks/index.js'
import { boardErrorTable } from '../v1/envelope.js'
import type { ClientMethod } from './client-methods.js'
import type { PathDescription } from './described-routes.js'
import { columnText, newTaskBody } from '../wire/task-wire.js'
import { idText, pageQuery, timestamp } from '../wire/wire-schemas.js'

type Json = Readonly<Record<string, unknown>>
type ToSchema = (schema: z.ZodType, io: 'input' | 'output') => Json

const success = z.literal(true)
const column = z.enum(columns)
const score = z.number().min(0).max(1).meta({ description: 'As of the answer, rounded to four decimals.' })

const listedTask = z
  .object({
    id: z.string(),
    title: z.string(),
    description: z.string().nullable(),
    priority: z.enum(priorities),
    priority_score: score,
    status: column,
    created_at: timestamp,
    due_date: timestamp.nullable(),
    tags: z.array(z.string()),
    hold: z
      .object({
        reason: z.enum(holdReasons),
        message: z.string().nullable(),
      })
      .optional()
      .meta({ description: 'Why agents cannot take the task; only present on a held task.' }),
  })
  .meta({ id: 'BoardTask' })
const createdTask = z
  .object({ id: z.string(), title: z.string(), status: column, priority_score: score, created_at: timestamp })
  .meta({ id: 'CreatedBoardTask' })
const list = z.object({
  success,
  tasks: z.array(listedTask),
  count: z.int(),
  next_cursor: z.string().optional().meta({ description: 'Only present when there are more tasks.' }),
})
const written = z.object({ success, task: createdTask }).meta({ id: 'BoardTaskWritten' })
const reply = z.object({ success, reply: z.string(), timestamp }).meta({ id: 'BoardChatReply' })
const registered = z.object({
  success,
  webhook: z.object({
    id: z.string(),
    url: z.string(),
    events: z.array(z.enum(webhookEventTypes)),
    enabled: z.boolean(),
    signed: z.boolean(),
    created_at: timestamp,
  }),
})
const boardError = z
  .object({
    success: z.literal(false),
    error: z.string().meta({ description: 'For people; it may change.' }),
    code: z.enum([...new Set(Object.values(boardErrorTable).map(({ code }) => code))]),
  })
  .meta({ id: 'BoardError' })

const { deadline: dueDate, workspace_id: _workspace, parent_id: _parent, ...taskFields } = newTaskBody.shape
const addBody = z
  .strictObject({ ...taskFields, due_date: dueDate })
  .meta({ id: 'BoardAdd', description: 'For `action=add`.' })
const moveBody = z
  .strictObject({ task_id: idText, to: columnText })
  .meta({ id: 'BoardMove', description: 'For `action=move`.' })
const chatBody = chatInput.strict().meta({ id: 'BoardChat', description: 'For `action=chat`.' })
const webhookBody = newWebhookInput.strict().meta({ id: 'BoardWebhook' })

/** The facts that a client needs about an action, whose method sends it. */
interface BoardAction {
  readonly scope: string
  readonly client: ClientMethod
  readonly summary: string
  /** Takes an `Idempotency-Key`. */
  readonly idempotent?: boolean
  readonly repeatable: boolean
  /** The component that is its body, and the one that is its answer. */
  readonly body?: string
  readonly answer?: string
  /** A body that passes every check but whether what it names exists. */
  readonly example?: object
}

/** OpenAPI identifies operations by path and method only, so the actions of a method share one. */
const ACTIONS = {
  get: {
    todo: {
      scope: 'tasks:read',
      client: 'board.todo',
      summary: 'The tasks that wait, are on hold, or depend on others; up to 1,000 per page',
      repeatable: true,
    },
    doing: {
      scope: 'tasks:read',
      client: 'board.doing',
      summary: 'The tasks that agents work on; up to 1,000 per page',
      repeatable: true,
    },
    done: {
      scope: 'tasks:read',
      client: 'board.done',
      summary: 'The completed tasks; up to 1,000 per page',
      repeatable: true,
    },
  },
  post: {
    add: {
      scope: 'tasks:write',
      client: 'board.add',
      summary: 'Adds a task, once even when a response is lost',
      idempotent: true,
      repeatable: false,
      body: 'BoardAdd',
      answer: 'BoardTaskWritten',
      example: { title: 'Prepare the launch', priority: 'high', due_date: '2030-12-01T17:00:00Z' },
    },
    move: {
      scope: 'tasks:write',
      client: 'board.move',
      summary: 'Moves a task to any column',
      repeatable: true,
      body: 'BoardMove',
      answer: 'BoardTaskWritten',
      example: { task_id: 'task_00000000000000000000000000', to: 'done' },
    },
    chat: {
      scope: 'chat:write',
      client: 'board.chat',
      summary: 'Sends a message to the agent of the workspace, and waits for its reply',
      repeatable: false,
      body: 'BoardChat',
      answer: 'BoardChatReply',
      example: { message: 'What is left to do?', user: 'Ada' },
    },
  },
} as const satisfies Record<'get' | 'post', Readonly<Record<string, BoardAction>>>
const ALWAYS = [400, 401, 403, 429, 500, 503]
const WRITING = [402, 404, 409, 413, 415]

/** The board API (v1) as paths of an OpenAPI document. */
export function boardPaths(paths: RoutePaths, toSchema: ToSchema): Readonly<Record<string, PathDescription>> {
  const describe = describing(toSchema(boardError, 'output'))
  return {
    [paths.board]: {
      get: describe(
        {
          operationId: 'listBoardTasks',
          summary: 'Lists a column: TODO by score, DOING by start, DONE newest first',
          description: scopesOf(ACTIONS.get),
          'x-taskboard': { actions: ACTIONS.get },
        },
        {
          parameters: [
            parameter('action', { enum: Object.keys(ACTIONS.get) }),
            ...Object.entries(pageQuery).map(([name, schema]) => ({
              name,
              in: 'query',
              required: false,
              schema:
                name === 'limit'
                  ? { type: 'integer', minimum: 1, maximum: 1_000, default: 1_000 }
                  : toSchema(schema, 'input'),
            })),
          ],
          answer: toSchema(list, 'output'),
        },
      ),
      post: describe(
        {
          operationId: 'writeToBoard',
          summary: 'Adds a task, moves a task or asks the agent, depending on `action`',
          description: `The body depends on the action: BoardAdd, BoardMove or BoardChat. ${scopesOf(ACTIONS.post)}`,
          'x-taskboard': { actions: ACTIONS.post },
        },
        {
          parameters: [parameter('action', { enum: Object.keys(ACTIONS.post) }), IDEMPOTENCY_KEY],
          body: { anyOf: [addBody, moveBody, chatBody].map((schema) => toSchema(schema, 'input')) },
          answer: { anyOf: [written, reply].map((schema) => toSchema(schema, 'output')) },
        },
      ),
    },
    [paths.webhooks]: {
      post: describe(
        {
          operationId: 'registerWebhook',
          summary: 'Registers an endpoint for events of the key’s workspace',
          description:
            'Requires a key with the scope `webhooks:write`. Without a secret, deliveries carry no signature.',
          'x-taskboard': { client: 'board.registerWebhook', repeatable: false },
        },
        {
          parameters: [IDEMPOTENCY_KEY],
          body: toSchema(webhookBody, 'input'),
          example: { url: 'https://receiver.example/hook', events: ['task.completed'] },
          answer: toSchema(registered, 'output'),
        },
      ),
    },
  }
}

interface BoardHead {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly 'x-taskboard': object
}

interface BoardForm {
  readonly parameters: readonly Json[]
  readonly body?: Json | undefined
  readonly example?: Json | undefined
  readonly answer: Json
}

/** Describes operations whose errors have one schema. */
function describing(error: Json): (head: BoardHead, form: BoardForm) => Json {
  return (head, { parameters, body, example, answer }) => ({
    ...head,
    tags: ['board'],
    security: [{ bearer: [] }],
    parameters,
    ...(body !== undefined && { requestBody: { required: true, content: jsonOf(body, example) } }),
    responses: {
      200: { description: 'Done.', content: jsonOf(answer) },
      ...Object.fromEntries(
        [...ALWAYS, ...(body === undefined ? [] : WRITING)]
          .toSorted((one, other) => one - other)
          .map((status) => [status, { description: codesOf(status), content: jsonOf(error) }]),
      ),
    },
  })
}

/** The scopes that the actions of a method require. */
function scopesOf(actions: Readonly<Record<string, BoardAction>>): string {
  const each = Object.entries(actions).map(([action, { scope }]) => `\`${action}\` \`${scope}\``)
  return `Requires a key with the scope of the action: ${each.join(', ')}.`
}

const IDEMPOTENCY_KEY: Json = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'For creates: a retry with the same key and body returns the first response.',
  schema: { type: 'string' },
}

function parameter(name: string, schema: Json): Json {
  return { name, in: 'query', required: true, schema: { type: 'string', ...schema } }
}

function jsonOf(schema: Json, example?: Json): Json {
  return { 'application/json': { schema, ...(example !== undefined && { example }) } }
}

function codesOf(status: number): string {
  const codes = Object.values(boardErrorTable).flatMap((row) => (row.status === status ? [row.code] : []))
  return `${[...new Set(codes)].join(' or ')}.`
}
