import { TaskboardError } from '@taskboard/core'
import { operationSchemas } from '@taskboard/core/transport'
import { z } from 'zod'
import type { Answer } from '../board-calls.js'
import { decodeRun, encodeRun } from '../run-handle.js'
import { shownTask, workedTask } from './task-forms.js'
import { members, pick, type Tool, tool, type ToolCall } from './tool.js'

/** Calls of a model come minutes apart. */
const LEASE_SECONDS = 600
const PERCENT = 100

const run = z.string().meta({ description: 'From claim_task.' })
const id = z.string()
const write = { set: 'worker', scope: 'tasks:write' } as const
const bodyOf = (operationId: string) => operationSchemas(operationId).body
const held = z.object(
  members(operationSchemas('reportTaskProgress').answer, 'status', 'progress', 'lease_expires_at'),
)

/** The task of a run, and the body of an operation on it. */
function underRun(args: Answer, ...names: readonly string[]) {
  const { taskId, fencingToken } = decodeRun(String(args['run']))
  const given = names.filter((name) => args[name] !== undefined).map((name) => [name, args[name]])
  const body = { fencing_token: fencingToken, ...Object.fromEntries(given) } as Answer
  return { params: { task_id: taskId }, body }
}

const claimTask = tool({
  ...write,
  name: 'claim_task',
  description:
    'Take the best ready task. Returns its run, for all other tools of the work. The lease lasts 10 minutes and each write renews it. run is null when nothing is ready.',
  input: z.object({
    agent_id: id
      .optional()
      .meta({ description: 'Who works it; can be left out if the server has a default.' }),
  }),
  output: z.object({
    run: z.string().nullable(),
    lease_expires_at: z.string().nullable(),
    task: workedTask.nullable(),
    answer: z.string().nullable().meta({ description: "A person's answer to the last question." }),
  }),
  hints: { destructiveHint: false },
  async run({ board, args, agentId }) {
    const claimant = (args['agent_id'] as string | undefined) ?? agentId
    if (claimant === undefined) {
      throw new TaskboardError('MISSING_FIELD', 'agent_id is required', { field: 'agent_id' })
    }
    const body = { agent_id: claimant, lease_s: LEASE_SECONDS }
    const task = (await board.call('claimTask', { body }))['task'] as Answer | null
    if (task === null) {
      const nothing = { run: null, lease_expires_at: null, task: null, answer: null }
      return { value: nothing, text: 'No task is ready.' }
    }
    const handle = encodeRun({
      taskId: String(task['id']),
      agentId: claimant,
      fencingToken: Number(task['fencing_token']),
    })
    const answer = (task['answer'] as Answer | null)?.['body'] ?? null
    const value = {
      run: handle,
      lease_expires_at: task['lease_expires_at'],
      task: pick(task, workedTask),
      answer,
    }
    return { value, text: `Claimed ${String(task['id'])}: ${String(task['title'])}` }
  },
})

const comment = z.object(members(operationSchemas('createComment').answer, 'kind', 'body', 'created_at'))

const getTask = tool({
  ...write,
  scope: 'tasks:read',
  name: 'get_task',
  description: 'Read a task with its log, its outputs and its thread, oldest comment first.',
  input: z.object({ task_id: id, comments_cursor: z.string().optional() }),
  output: z.object({
    ...shownTask.shape,
    comments: z.array(comment),
    next_comments_cursor: z.string().nullable(),
  }),
  hints: { readOnlyHint: true },
  async run({ board, args }) {
    const params = { task_id: String(args['task_id']) }
    const cursor = args['comments_cursor'] as string | undefined
    const [task, thread] = await Promise.all([
      board.call('getTask', { params }),
      board.call('listComments', { params, query: { limit: '50', cursor } }),
    ])
    const comments = (thread['comments'] as readonly Answer[]).map((each) => pick(each, comment))
    const value = { ...pick(task, shownTask), comments, next_comments_cursor: thread['next_cursor'] ?? null }
    return { value, text: `${String(task['title'])}: ${String(task['status'])}` }
  },
})

const reportProgress = tool({
  ...write,
  name: 'report_progress',
  description: 'Report progress in percent, and keep the task for 10 more minutes.',
  input: z.object({ run, progress: z.int().min(0).max(PERCENT) }),
  output: held,
  hints: { destructiveHint: false, idempotentHint: true },
  run: (call) => work(call, 'reportTaskProgress', ['progress'], 'Noted.'),
})

const addLog = tool({
  ...write,
  name: 'add_log',
  description: 'Add a line to the log of the task.',
  input: z.object({ run, ...members(bodyOf('addTaskLogLine'), 'message', 'level') }),
  output: operationSchemas('addTaskLogLine').answer,
  hints: { destructiveHint: false },
  run: (call) => work(call, 'addTaskLogLine', ['message', 'level'], 'Logged.'),
})

const addOutput = tool({
  ...write,
  name: 'add_output',
  description: 'Link something that you made, stored elsewhere.',
  input: z.object({ run, ...members(bodyOf('addTaskOutput'), 'type', 'name', 'url', 'size') }),
  output: z.object(members(operationSchemas('addTaskOutput').answer, 'type', 'name', 'url', 'size')),
  hints: { destructiveHint: false },
  run: (call) => work(call, 'addTaskOutput', ['type', 'name', 'url', 'size'], 'Added.'),
})

const completeTask = tool({
  ...write,
  name: 'complete_task',
  description: 'Finish the task with its result. Ends the run.',
  input: z.object({ run, ...members(bodyOf('completeTask'), 'result') }),
  output: z.object(members(held, 'status')),
  hints: { destructiveHint: false, idempotentHint: true },
  run: (call) => work(call, 'completeTask', ['result'], 'Completed.'),
})

const failTask = tool({
  ...write,
  name: 'fail_task',
  description: 'Give up this attempt. It is retried later, unless retry is false. Ends the run.',
  input: z.object({ run, ...members(bodyOf('failTask'), 'reason', 'retry') }),
  output: z.object(members(operationSchemas('failTask').answer, 'status', 'not_before')),
  hints: { idempotentHint: true },
  run: (call) => work(call, 'failTask', ['reason', 'retry'], 'The attempt has failed.'),
})

const askPerson = tool({
  ...write,
  name: 'ask_person',
  description:
    'Ask people a question. Ends the run: the task waits, and the agent that claims it afterwards gets the answer.',
  input: z.object({ run, question: z.string() }),
  output: z.object(members(held, 'status')),
  hints: { destructiveHint: false },
  async run({ board, args }) {
    const { params, body } = underRun(args)
    const hold = { ...body, reason: 'needs_input', message: args['question'] }
    const answer = await board.call('holdTask', { params, body: hold })
    return {
      value: { status: answer['status'] },
      text: 'Asked. The task waits for the answer; the run has ended.',
    }
  },
})

const outcomes = {
  approved: 'Approved: do exactly this now, once.',
  rejected: 'Rejected; the comment has the reason.',
  pending: 'A person has to decide. The run has ended: claim again later, and ask again with the same input.',
} as const

const approval = z.object(members(operationSchemas('getTask').answer, 'id'))
const approvalAnswer = operationSchemas('requestApproval').answer

const requestApproval = tool({
  ...write,
  name: 'request_approval',
  description:
    'Ask people for permission to do one thing, once. approved: do exactly this now. rejected: do not. pending: the run has ended; after the decision, the next claim asks again with the same action and input.',
  input: z.object({ run, ...members(bodyOf('requestApproval'), 'action', 'summary', 'input') }),
  output: z.object({
    ...members(approvalAnswer, 'outcome'),
    approval_id: approval.shape['id'] as z.ZodType,
    comment: z.string().nullable(),
  }),
  hints: { destructiveHint: false },
  async run({ board, args }) {
    const answer = await board.call('requestApproval', underRun(args, 'action', 'summary', 'input'))
    const outcome = answer['outcome'] as keyof typeof outcomes
    const { id: approvalId, comment: reason } = answer['approval'] as Answer
    const value = { outcome, approval_id: approvalId, comment: reason ?? null }
    return { value, text: outcomes[outcome] }
  },
})

async function work(
  { board, args }: ToolCall<Answer>,
  operationId: string,
  names: readonly string[],
  text: string,
) {
  const answer = await board.call(operationId, underRun(args, ...names))
  return { value: answer, text }
}

/** What an agent needs that works tasks. */
export const workerTools: readonly Tool[] = [
  claimTask,
  getTask,
  reportProgress,
  addLog,
  addOutput,
  completeTask,
  failTask,
  askPerson,
  requestApproval,
]
