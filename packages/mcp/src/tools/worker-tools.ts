import { type Comment, whoSaid } from '@taskboard/core'
import { operationSchemas } from '@taskboard/core/transport'
import { z } from 'zod'
import type { Answer, BoardCalls, BoardOperation } from '../board-calls.js'
import { decodeRun, encodeRun } from '../run-handle.js'
import { agentFinder, onlyRemoteAgent } from './agent-names.js'
import { afterClaim, nextSteps } from './next-steps.js'
import { readApprovals, taskApproval } from './task-approvals.js'
import { shownTask, workedTask } from './task-forms.js'
import { members, next, pick, type Tool, tool, type ToolCall } from './tool.js'

/** Calls of a model come minutes apart. */
const LEASE_MINUTES = 10
const MOST_LEASE_MINUTES = 1_440
const LOG_LINES = 20
/** The operation returns no more. */
const MOST_LOG_LINES = 100
/** About 5,000 tokens: clients reject answers that are much longer. */
const RESULT_CHARACTERS = 20_000
const PERCENT = 100

const run = z.string()
const id = z.string()
const write = { sets: ['worker'], scope: 'tasks:write' } as const
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
    'Take the best ready task, or task_id. Returns its run, for other tools. Each write renews the lease. run is null when nothing is ready.',
  input: z.object({
    agent: id.optional().meta({ description: 'Name or id of who works on it, if several.' }),
    task_id: id.optional().meta({ description: 'This task alone; even after a lost run.' }),
    lease_minutes: z
      .int()
      .min(1)
      .max(MOST_LEASE_MINUTES)
      .optional()
      .meta({ description: `Between two writes. Default ${LEASE_MINUTES}.` }),
  }),
  output: z.object({
    run: z.string().nullable(),
    lease_expires_at: z.string().nullable(),
    task: workedTask.nullable(),
    question: z.string().nullable(),
    answer: z.string().nullable(),
    answered_by: z.string().nullable(),
    approvals: z.array(taskApproval),
    next,
  }),
  hints: { destructiveHint: false },
  async run({ board, args, agent }) {
    const agentId = await claimantOf(board, args['agent'] ?? agent)
    const minutes = Number(args['lease_minutes'] ?? LEASE_MINUTES)
    const taskGiven = args['task_id'] === undefined ? {} : { task_id: args['task_id'] }
    const body = { agent_id: agentId, lease_s: minutes * 60, ...taskGiven }
    const task = (await board.call('claimTask', { body }))['task'] as Answer | null
    if (task === null)
      return { value: { approvals: [] }, text: 'No task is ready.', next: nextSteps.nothingReady }
    const taskId = String(task['id'])
    const fencingToken = Number(task['fencing_token'])
    // Without its run, nobody could work on the task until the lease expires.
    const approvals = await readApprovals(board, taskId).catch(() => null)
    const [question, answer] = [task['question'], task['answer']] as readonly (Said | null)[]
    const value = {
      run: encodeRun({ taskId, agentId, fencingToken }),
      lease_expires_at: task['lease_expires_at'],
      task: pick(task, workedTask),
      question: question?.body ?? null,
      answer: answer?.body ?? null,
      answered_by: answer && whoSaid(answer),
      approvals: approvals?.shown ?? [],
    }
    const text = `Claimed ${taskId}: ${String(task['title'])}.`
    const step = afterClaim(approvals, {
      answeredBy: answer?.author.kind ?? null,
      hasHistory: fencingToken > 1,
      hasDependencies: (task['depends_on'] as readonly string[]).length > 0,
      minutes,
    })
    return { value, text, next: step }
  },
})

async function claimantOf(board: BoardCalls, wanted: unknown): Promise<string> {
  if (wanted === undefined || wanted === null) return onlyRemoteAgent(board, 'agent')
  return (await agentFinder(board)(wanted, 'agent')) as string
}

/** A comment as an operation returns it. */
type Said = Pick<Comment, 'kind' | 'author' | 'body'>

/** `by` has its kind as well: `the answer of Ada`. */
const comment = z.object({
  by: z.string(),
  ...members(operationSchemas('createComment').answer, 'body', 'created_at'),
})

const getTask = tool({
  ...write,
  scope: 'tasks:read',
  name: 'get_task',
  description: 'Read a task with its newest log lines, outputs, approvals and thread, oldest comment first.',
  input: z.object({
    task_id: id,
    comments_cursor: z.string().optional(),
    log_lines: z
      .int()
      .min(0)
      .max(MOST_LOG_LINES)
      .optional()
      .meta({ description: `Default ${LOG_LINES}.` }),
    result_offset: z.int().min(0).optional().meta({ description: 'For the rest.' }),
  }),
  output: z.object({
    ...shownTask.shape,
    approvals: z.array(taskApproval),
    comments: z.array(comment),
    next_comments_cursor: z.string().nullable(),
    next_result_offset: z.int().nullable(),
  }),
  hints: { readOnlyHint: true },
  async run({ board, args }) {
    const params = { task_id: String(args['task_id']) }
    const cursor = args['comments_cursor'] as string | undefined
    const [task, approvals, thread] = await Promise.all([
      board.call('getTask', { params }),
      readApprovals(board, params.task_id),
      board.call('listComments', { params, query: { limit: '50', cursor } }),
    ])
    const comments = (thread['comments'] as readonly (Answer & Said)[]).map((each) =>
      pick({ ...each, by: whoSaid(each) }, comment),
    )
    const logs = task['logs'] as readonly Answer[]
    const lines = Number(args['log_lines'] ?? LOG_LINES)
    const value = {
      ...pick(task, shownTask),
      ...partOf(task['result'] as string | null, Number(args['result_offset'] ?? 0)),
      logs: logs.slice(Math.max(0, logs.length - lines)),
      approvals: approvals.shown,
      comments,
      next_comments_cursor: thread['next_cursor'] ?? null,
    }
    return { value, text: `${String(task['title'])}: ${String(task['status'])}` }
  },
})

/** At most `RESULT_CHARACTERS` of a result, and where the rest begins; null at its end. */
function partOf(result: string | null, offset: number) {
  const end = offset + RESULT_CHARACTERS
  const isCut = result !== null && result.length > end
  return { result: result?.slice(offset, end) ?? null, next_result_offset: isCut ? end : null }
}

const reportProgress = tool({
  ...write,
  name: 'report_progress',
  description: 'Report progress in percent, and renew the lease.',
  input: z.object({ run, progress: z.int().min(0).max(PERCENT) }),
  output: z.object({ ...held.shape, next }),
  hints: { destructiveHint: false, idempotentHint: true },
  run: (call) => work(call, 'reportTaskProgress', ['progress'], 'Noted.', nextSteps.progressed),
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
  description: 'Link something you made, stored elsewhere.',
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
  output: z.object({ ...members(held, 'status'), next }),
  hints: { destructiveHint: false, idempotentHint: true },
  run: (call) => work(call, 'completeTask', ['result'], 'Completed.', nextSteps.completed),
})

const failTask = tool({
  ...write,
  name: 'fail_task',
  description: 'Give up this attempt. It is retried later, unless retry is false. Ends the run.',
  input: z.object({ run, ...members(bodyOf('failTask'), 'reason', 'retry') }),
  output: z.object({ ...members(operationSchemas('failTask').answer, 'status', 'not_before'), next }),
  hints: { idempotentHint: true },
  run: (call) => work(call, 'failTask', ['reason', 'retry'], 'Failed.', nextSteps.failed),
})

const askPerson = tool({
  ...write,
  name: 'ask_person',
  description: 'Ask people a question. Ends the run: the task waits; its next claim has the answer.',
  input: z.object({ run, question: z.string() }),
  output: z.object({ ...members(held, 'status'), next }),
  hints: { destructiveHint: false },
  renames: { message: 'question' },
  async run({ board, args }) {
    const { params, body } = underRun(args)
    const hold = { ...body, reason: 'needs_input', message: args['question'] }
    const answer = await board.call('holdTask', { params, body: hold })
    return { value: { status: answer['status'] }, text: 'Asked.', next: nextSteps.asked }
  },
})

const approvalAnswer = operationSchemas('requestApproval').answer

const requestApproval = tool({
  ...write,
  name: 'request_approval',
  description:
    'Ask people for permission to do a thing, once. approved: do exactly this now. rejected: do not. pending: the run is over; after the decision, claim and ask again with the same action and input.',
  input: z.object({
    run,
    ...members(bodyOf('requestApproval'), 'action', 'summary'),
    input: z.unknown().optional().meta({ description: 'All that it works on, any JSON. Default null.' }),
  }),
  output: z.object({
    ...members(approvalAnswer, 'outcome'),
    approval_id: id,
    comment: z.string().nullable(),
    next,
  }),
  hints: { destructiveHint: false },
  async run({ board, args }) {
    const answer = await board.call('requestApproval', underRun(args, 'action', 'summary', 'input'))
    const outcome = answer['outcome'] as keyof typeof nextSteps.requested
    const { id: approvalId, comment: reason } = answer['approval'] as Answer
    const value = { outcome, approval_id: approvalId, comment: reason ?? null }
    return { value, text: `Permission: ${outcome}.`, next: nextSteps.requested[outcome] }
  },
})

const wholeApproval = z.object({
  ...members(operationSchemas('getApproval').answer, 'id', 'task_id', 'action', 'summary', 'input'),
  ...members(operationSchemas('getApproval').answer, 'status', 'comment'),
  next,
})

const getApproval = tool({
  ...write,
  scope: 'tasks:read',
  name: 'get_approval',
  description: 'Read what was asked, its exact input and the decision.',
  input: z.object({ approval_id: id }),
  output: wholeApproval,
  hints: { readOnlyHint: true },
  async run({ board, args }) {
    const approval = await board.call('getApproval', { params: { approval_id: String(args['approval_id']) } })
    const status = approval['status'] as keyof typeof nextSteps.approval
    return { value: approval, text: `Approval: ${status}.`, next: nextSteps.approval[status] }
  },
})

async function work(
  { board, args }: ToolCall<Answer>,
  operationId: BoardOperation,
  names: readonly string[],
  text: string,
  step?: string,
) {
  const answer = await board.call(operationId, underRun(args, ...names))
  return { value: answer, text, next: step }
}

const releaseTask = tool({
  ...write,
  name: 'release_task',
  description: 'Give the task back for another claim, without counting the attempt.',
  input: z.object({ run }),
  output: z.object({ ...members(held, 'status'), next }),
  hints: { destructiveHint: false },
  run: (call) => work(call, 'releaseTask', [], 'Given back.', nextSteps.released),
})

const usageBody = bodyOf('reportTaskUsage')
const usageNames = ['model', 'input_tokens', 'output_tokens', 'cached_input_tokens', 'cost_usd'] as const

const reportUsage = tool({
  ...write,
  name: 'report_usage',
  description: 'Record the tokens used since the last report, for costs and budgets.',
  input: z.object({ run, ...members(usageBody, ...usageNames) }),
  output: z.object({ ...members(operationSchemas('reportTaskUsage').answer, 'spent'), next }),
  hints: { destructiveHint: false },
  async run({ board, args }) {
    const answer = await board.call('reportTaskUsage', underRun(args, ...usageNames))
    const step = answer['spent'] === null ? nextSteps.recorded : nextSteps.spent
    return { value: { spent: answer['spent'] }, text: 'Recorded.', next: step }
  },
})

/** What an agent needs that works on tasks. */
export const workerTools: readonly Tool[] = [
  claimTask,
  getTask,
  reportProgress,
  addLog,
  addOutput,
  completeTask,
  failTask,
  releaseTask,
  reportUsage,
  askPerson,
  requestApproval,
  getApproval,
]
