import { z } from 'zod'
import {
  actorOf,
  commentBody,
  completionInput,
  holdInput,
  holdReasons,
  questionInput,
} from '../../board/index.js'
import { parseInput, TaskboardError } from '../../errors/index.js'
import { recheckCaller } from '../caller.js'
import { idempotencyClaim } from '../idempotency-key.js'
import { commentJson, toWireComment } from '../wire/comment-wire.js'
import { toWorkedTask, workedTaskJson } from './worked-task-wire.js'
import { boardOfTask, operation, workspaceOf } from './operation.js'
import { idText, nextCursor, pageQuery, timestamp, toTimestamp } from '../wire/wire-schemas.js'

const params = z.object({ task_id: idText })
const newComment = z.object({
  body: commentBody.meta({ minLength: 1, description: '1 to 20,000 characters.' }),
})
/** A hold as a question. */
const asked = z.object({ message: commentBody })
const common = { tag: 'tasks', params } as const

const listComments = operation({
  ...common,
  id: 'listComments',
  summary: 'The comments on a task, oldest first',
  method: 'GET',
  path: '/v2/tasks/{task_id}/comments',
  client: 'tasks.comments',
  scope: 'tasks:read',
  query: z.object(pageQuery),
  answer: { status: 200, schema: z.object({ comments: z.array(commentJson), next_cursor: nextCursor }) },
  async run({ services, principal, params: { task_id: id }, query }) {
    const board = await boardOfTask(services, principal, id)
    const { comments, nextCursor: next } = await board.comments(id, query)
    return { comments: comments.map(toWireComment), next_cursor: next }
  },
})

const createComment = operation({
  ...common,
  id: 'createComment',
  summary: 'Comments on a task',
  description: 'No one can edit a comment. It is deleted with its task.',
  method: 'POST',
  path: '/v2/tasks/{task_id}/comments',
  client: 'tasks.comment',
  scope: 'tasks:write',
  idempotent: true,
  body: newComment,
  example: { body: 'The third offer has a new price.' },
  answer: { status: 201, schema: commentJson },
  async run({ services, principal, request, params: { task_id: id }, body: input }) {
    const idempotency = idempotencyClaim(request, principal, 'POST /v2/tasks/{id}/comments', { id, ...input })
    const board = await boardOfTask(services, principal, id)
    return toWireComment(await board.comment(id, input, { actor: actorOf(principal), idempotency }))
  },
})

const answerTask = operation({
  ...common,
  id: 'answerTask',
  summary: "Answers an agent's question and releases its task",
  description:
    'Rejected with 409 unless the task is on hold as needs_input, and with 403 as a decision of this caller would be. Agents can take it again, and the next one finds the answer.',
  method: 'POST',
  path: '/v2/tasks/{task_id}/answer',
  client: 'tasks.answer',
  scope: 'tasks:write',
  idempotent: true,
  body: newComment,
  example: { body: 'Without the tax.' },
  answer: { status: 201, schema: commentJson },
  async run({ services, principal, request, params: { task_id: id }, body: input }) {
    const idempotency = idempotencyClaim(request, principal, 'POST /v2/tasks/{id}/answer', { id, ...input })
    const board = await boardOfTask(services, principal, id)
    return toWireComment(await board.answer(id, input, { actor: actorOf(principal), idempotency }))
  },
})

const holdTask = operation({
  ...common,
  id: 'holdTask',
  summary: 'Puts a claimed task on hold',
  description:
    'The agent no longer has the task. With the reason needs_input the message is required: it is a question, a comment of the task, and the attempt does not count.',
  method: 'POST',
  path: '/v2/tasks/{task_id}/hold',
  client: 'tasks.hold',
  repeatable: false,
  scope: 'tasks:write',
  body: z.object({
    fencing_token: completionInput.shape.fencingToken.meta({
      description: 'The token from the claim. An outdated token is rejected with 409.',
    }),
    reason: z.enum(holdReasons),
    message: holdInput.shape.message,
    require_other_person: questionInput.shape.requireOtherPerson.meta({
      description: 'With needs_input: whether someone else than the owner of this credential has to answer.',
    }),
  }),
  example: { fencing_token: 1, reason: 'needs_input', message: 'With or without the tax?' },
  answer: { status: 200, schema: workedTaskJson },
  async run({ services, principal, params: { task_id: id }, body }) {
    const { fencing_token: fencingToken, require_other_person: requireOtherPerson, ...hold } = body
    const question = hold.reason === 'needs_input' ? parseInput(asked, hold).message : null
    if (question === null && requireOtherPerson) {
      const rule = 'is only for the reason needs_input'
      throw new TaskboardError('INVALID_FIELD', `requireOtherPerson ${rule}`, { field: 'requireOtherPerson' })
    }
    const board = await boardOfTask(services, principal, id)
    if (question === null) return toWorkedTask(await board.hold(id, { ...hold, fencingToken }))
    await board.ask(id, { fencingToken, question, requireOtherPerson }, { actor: actorOf(principal) })
    return toWorkedTask(await board.get(id))
  },
})

/** Operations on the conversations of tasks. */
export const conversationOperations = [listComments, createComment, answerTask, holdTask]

const sendChatMessage = operation({
  id: 'sendChatMessage',
  tag: 'agents',
  summary: 'Asks the chat agent of a workspace',
  description:
    'Waits for the reply. The agent can do what this caller can: it reads with tasks:read, and adds tasks with tasks:write, within the quota. Its usage counts in its own monthly budget and in the workspace budget; 402 says that one of them is spent. 503 when no agent of the workspace can chat, or when it does not reply. A message is not kept: send what the agent must know.',
  method: 'POST',
  path: '/v2/chat',
  client: 'chat.send',
  repeatable: false,
  scope: 'chat:write',
  body: z.object({
    message: z.string({ error: 'must be text' }).meta({ description: '1 to 20,000 characters.' }),
    user: z
      .string({ error: 'must be text' })
      .nullish()
      .meta({ description: 'The asker, as shown to the agent.' }),
    workspace_id: idText.nullish(),
  }),
  example: { message: 'What is left to do?' },
  answer: { status: 200, schema: z.object({ reply: z.string(), timestamp }) },
  async run({ services, principal, request, body }) {
    const workspaceId = await workspaceOf(services, principal, body.workspace_id)
    const { message, user } = body
    const recheck = recheckCaller(services, request, principal, workspaceId)
    const { reply, at } = await services
      .board(workspaceId)
      .chat({ message, user }, { caller: principal, recheck })
    return { reply, timestamp: toTimestamp(at) }
  },
})

/** The chat with an agent, as on the board API. */
export const chatOperations = [sendChatMessage]
