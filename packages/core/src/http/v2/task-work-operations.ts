import { z } from 'zod'
import { requireScope } from '../../access/index.js'
import {
  actorOf,
  logLevels,
  completionInput,
  failureInput,
  finishInput,
  logInput,
  mostOpenSubtasks,
  outputFields,
  progressInput,
} from '../../board/index.js'
import { boundedList, TaskboardError, wholeNumber } from '../../errors/index.js'
import { toWireComment } from '../wire/comment-wire.js'
import { idempotencyClaim } from '../idempotency-key.js'
import { boardOfTask, operation } from './operation.js'
import { budgetHolders, usageFields } from '../../usage/index.js'
import {
  claimedTaskJson,
  listedTaskBody,
  outputJson,
  taskJson,
  toListedInput,
  toWireTask,
} from '../wire/task-wire.js'
import { toWorkedTask, workedTaskJson } from './worked-task-wire.js'
import { toWireUsage, usageJson } from '../wire/usage-wire.js'
import { idText, timestamp, toTimestamp } from '../wire/wire-schemas.js'

const params = z.object({ task_id: idText })
const leaseSeconds = wholeNumber(1, 86_400).optional()
const claimedFor = leaseSeconds.meta({
  description:
    'The length of the lease in seconds, from the claim and from each write without its own lease_s. Default 60.',
})
const held = {
  fencing_token: completionInput.shape.fencingToken.meta({
    description: 'The token from the claim. An outdated token is rejected with 409.',
  }),
  lease_s: leaseSeconds.meta({
    description: 'The length of the lease in seconds, from now. Default: the length from the claim.',
  }),
}
const common = {
  tag: 'tasks',
  method: 'POST',
  scope: 'tasks:write',
  wireFields: { leaseMs: 'lease_s' },
} as const
const worked = { status: 200, schema: workedTaskJson } as const

const claimTask = operation({
  ...common,
  id: 'claimTask',
  summary: 'Claims the best ready task for an agent outside of the host',
  description:
    'The agent has a lease of lease_s seconds on the task. Each of its writes renews the lease. After the lease another agent can take the task. Null when no task is ready. With task_id it claims that task alone.',
  path: '/v2/tasks/claim',
  client: 'tasks.claim',
  repeatable: false,
  body: z.object({
    agent_id: idText,
    lease_s: claimedFor,
    task_id: idText.optional().meta({
      description:
        'To claim this task alone: 409 with the reason when the agent cannot take it. If the agent already has it, the earlier run ends, and its attempt does not count.',
    }),
  }),
  example: { agent_id: 'agent_00000000000000000000000000', lease_s: 60 },
  answer: { status: 200, schema: z.object({ task: claimedTaskJson.nullable() }) },
  async run({ services, principal, body }) {
    const { id: agentId, name, workspaceId } = await services.agents.find(principal, body.agent_id)
    const wanted = { agentId, leaseMs: toMs(body.lease_s), taskId: body.task_id }
    const task = await services.board(workspaceId).claim(wanted)
    if (task?.lease == null) return { task: null }
    const { fencingToken, expiresAt } = task.lease
    const agent = { id: agentId, name, status: 'busy' } as const
    const { question = null, answer = null } = task.hasComments
      ? await services.tasks.exchange(principal, task.id)
      : {}
    const claimed = {
      fencing_token: fencingToken,
      lease_expires_at: toTimestamp(expiresAt),
      question: question && toWireComment(question),
      answer: answer && toWireComment(answer),
    }
    return { task: Object.assign(toWireTask({ task, agent }), claimed) }
  },
})

const heartbeat = operation({
  ...common,
  id: 'heartbeatTask',
  summary: 'Renews the lease of a claimed task',
  path: '/v2/tasks/{task_id}/heartbeat',
  client: 'tasks.heartbeat',
  repeatable: true,
  params,
  body: z.object(held),
  example: { fencing_token: 1 },
  answer: worked,
  async run({ services, principal, params: { task_id: id }, body }) {
    const board = await boardOfTask(services, principal, id)
    return toWorkedTask(await board.heartbeat(id, leaseOf(body)))
  },
})

const reportProgress = operation({
  ...common,
  id: 'reportTaskProgress',
  summary: 'Reports the progress of a claimed task, in percent',
  path: '/v2/tasks/{task_id}/progress',
  client: 'tasks.progress',
  repeatable: true,
  params,
  body: z.object({ ...held, progress: progressInput.shape.progress }),
  example: { fencing_token: 1, progress: 50 },
  answer: worked,
  async run({ services, principal, params: { task_id: id }, body }) {
    const board = await boardOfTask(services, principal, id)
    return toWorkedTask(await board.progress(id, { ...leaseOf(body), progress: body.progress }))
  },
})

const addLogLine = operation({
  ...common,
  id: 'addTaskLogLine',
  summary: 'Adds a line to the log of a claimed task',
  path: '/v2/tasks/{task_id}/logs',
  client: 'tasks.log',
  repeatable: false,
  params,
  body: z.object({ ...held, message: logInput.shape.message, level: logInput.shape.level }),
  example: { fencing_token: 1, message: 'two of four offers read' },
  answer: { status: 201, schema: z.object({ message: z.string(), level: z.enum(logLevels) }) },
  async run({ services, principal, params: { task_id: id }, body }) {
    const { message, level } = body
    const board = await boardOfTask(services, principal, id)
    await board.log(id, { ...leaseOf(body), message, level })
    return { message, level }
  },
})

const addOutput = operation({
  ...common,
  id: 'addTaskOutput',
  summary: 'Adds a reference to an output of a claimed task',
  description: 'The bytes are stored elsewhere. A task has at most 100 outputs.',
  path: '/v2/tasks/{task_id}/outputs',
  client: 'tasks.output',
  repeatable: false,
  params,
  body: z.object({ ...held, ...outputFields.shape }),
  example: { fencing_token: 1, type: 'file', name: 'offers.pdf', url: 'https://files.example/1' },
  answer: { status: 201, schema: outputJson },
  async run({ services, principal, params: { task_id: id }, body }) {
    const { type, name, url, size = null } = body
    const board = await boardOfTask(services, principal, id)
    await board.output(id, { ...leaseOf(body), type, name, url, size })
    return { type, name, url, size }
  },
})

const delegateTask = operation({
  ...common,
  id: 'delegateTask',
  summary: 'Creates subtasks of a claimed task',
  description:
    'All or none. With wait, the task returns to todo and can be taken again when all of them are done; that attempt does not count.',
  path: '/v2/tasks/{task_id}/delegate',
  client: 'tasks.delegate',
  idempotent: true,
  params,
  body: z.object({
    ...held,
    tasks: boundedList(listedTaskBody.omit({ parent_id: true }), {
      of: 'tasks',
      least: 1,
      most: mostOpenSubtasks,
    }),
    wait: z.boolean().default(false),
  }),
  example: { fencing_token: 1, tasks: [{ title: 'Read the first offer' }], wait: true },
  answer: { status: 201, schema: z.object({ tasks: z.array(taskJson) }) },
  async run({ services, principal, request, params: { task_id: id }, body }) {
    const inputs = body.tasks.map((task) => toListedInput({ ...task, parent_id: null }))
    const workspaceId = await services.tasks.locate(principal, id)
    const read = services.parseTasks(inputs, workspaceId)
    const claimed = { tasks: inputs, id, wait: body.wait }
    const idempotency = idempotencyClaim(request, principal, 'POST /v2/tasks/{task_id}/delegate', claimed)
    const split = { ...leaseOf(body), tasks: inputs, wait: body.wait }
    const board = services.board(workspaceId)
    const tasks = await services.quota.createTasks(
      principal,
      read.length,
      (tx) => board.delegateOnce(id, split, { actor: actorOf(principal), idempotency, tx }),
      { isRepeatable: idempotency !== undefined },
    )
    return { tasks: tasks.map((task) => toWireTask({ task, agent: null })) }
  },
})

const recordedJson = usageJson
  .extend({
    id: z.string(),
    task_id: z.string(),
    agent_id: z.string().nullable(),
    fencing_token: z.int().nullable(),
    model: z.string(),
    at: timestamp,
    total: usageJson.meta({ description: 'The sum of all reports on the task.' }),
    spent: z.enum(budgetHolders).nullable().meta({
      description: 'The owner of the budget that the report spent. The task is then on hold as budget.',
    }),
  })
  .meta({ id: 'RecordedUsage' })

const reportUsage = operation({
  ...common,
  id: 'reportTaskUsage',
  summary: 'Records what work on a task has used',
  description:
    'With the fencing_token of a claim it is a report of the agent, and renews its lease. Without one it counts for the attempt in progress, and needs the scope agents:write too. For a model that the host has a price for, the cost is the larger of cost_usd and the one by that price. One report has at most 100 dollars and 10,000,000 tokens, unless the host says otherwise.',
  path: '/v2/tasks/{task_id}/usage',
  client: 'tasks.usage',
  idempotent: true,
  wireFields: { leaseMs: 'lease_s', cachedInputTokens: 'cached_input_tokens' },
  params,
  body: z.object({
    fencing_token: held.fencing_token.nullish(),
    lease_s: held.lease_s,
    model: usageFields.shape.model,
    input_tokens: usageFields.shape.inputTokens,
    output_tokens: usageFields.shape.outputTokens,
    cached_input_tokens: usageFields.shape.cachedInputTokens,
    cost_usd: usageFields.shape.costUsd,
  }),
  example: { fencing_token: 1, model: 'small', input_tokens: 1_200, output_tokens: 300 },
  answer: { status: 201, schema: recordedJson },
  async run({ services, principal, request, params: { task_id: id }, body }) {
    // Nothing but a claim ties a worker to what it reports, and a report can spend a budget of everybody.
    if (body.fencing_token == null) requireScope(principal, 'agents:write')
    const board = await boardOfTask(services, principal, id)
    const idempotency = idempotencyClaim(request, principal, 'POST /v2/tasks/{task_id}/usage', {
      ...body,
      id,
    })
    const input = {
      model: body.model,
      inputTokens: body.input_tokens,
      outputTokens: body.output_tokens,
      cachedInputTokens: body.cached_input_tokens,
      costUsd: body.cost_usd,
      fencingToken: body.fencing_token,
      leaseMs: toMs(body.lease_s),
    }
    const used = await board.usage(id, input, { idempotency })
    return {
      ...toWireUsage(used),
      id: used.id,
      task_id: used.taskId,
      agent_id: used.agentId,
      fencing_token: used.fencingToken,
      model: used.model,
      at: toTimestamp(used.at),
      total: toWireUsage(used.total),
      spent: used.spent,
    }
  },
})

const completeTask = operation({
  ...common,
  id: 'completeTask',
  summary: 'Completes a task with its result',
  description:
    'With the fencing_token of a claim, the agent that works on the task completes it. Without one, a person completes it, in any column. While an agent works on the task, a person needs take_over, which ends the run of the agent.',
  path: '/v2/tasks/{task_id}/complete',
  client: 'tasks.complete',
  repeatable: true,
  params,
  body: z.object({
    fencing_token: held.fencing_token.optional(),
    result: completionInput.shape.result,
    take_over: finishInput.shape.takeOver.meta({
      description: 'Whether to complete the task even while an agent works on it. Not with a fencing_token.',
    }),
  }),
  example: { fencing_token: 1, result: 'The second one.' },
  answer: worked,
  async run({ services, principal, params: { task_id: id }, body }) {
    const { fencing_token: fencingToken, result, take_over: takeOver } = body
    if (fencingToken !== undefined && takeOver) {
      throw new TaskboardError('INVALID_FIELD', 'takeOver must not be given with a fencing_token', {
        field: 'takeOver',
      })
    }
    const board = await boardOfTask(services, principal, id)
    if (fencingToken !== undefined) return toWorkedTask(await board.complete(id, { fencingToken, result }))
    return toWorkedTask(await board.complete(id, { result, takeOver }, { actor: actorOf(principal) }))
  },
})

const failTask = operation({
  ...common,
  id: 'failTask',
  summary: 'Fails a claimed task',
  description:
    'It is retried after a backoff while attempts remain and retry is not false. Otherwise it is held. With retry_after_s the attempt does not count: the agent cannot work now, and takes no task until then.',
  path: '/v2/tasks/{task_id}/fail',
  client: 'tasks.fail',
  repeatable: false,
  wireFields: { retryAfterMs: 'retry_after_s' },
  params,
  body: z.object({
    fencing_token: held.fencing_token,
    reason: failureInput.shape.reason,
    retry: failureInput.shape.retry,
    retry_after_s: wholeNumber(1, 3_600).optional().meta({
      description:
        'After how many seconds the task can be taken again. For outages and rate limits, which are not the fault of the task.',
    }),
  }),
  example: { fencing_token: 1, reason: 'an offer cannot be read' },
  answer: worked,
  async run({ services, principal, params: { task_id: id }, body }) {
    const board = await boardOfTask(services, principal, id)
    const { fencing_token: fencingToken, reason, retry } = body
    const retryAfterMs = toMs(body.retry_after_s)
    return toWorkedTask(await board.fail(id, { fencingToken, reason, retry, retryAfterMs }))
  },
})

/** Operations for agents outside of the host: they claim tasks and report on them. */
export const taskWorkOperations = [
  claimTask,
  heartbeat,
  reportProgress,
  addLogLine,
  addOutput,
  delegateTask,
  reportUsage,
  completeTask,
  failTask,
]

interface HeldBody {
  readonly fencing_token: number
  readonly lease_s?: number | undefined
}

function leaseOf({ fencing_token: fencingToken, lease_s: seconds }: HeldBody) {
  return { fencingToken, leaseMs: toMs(seconds) }
}

function toMs(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : seconds * 1_000
}
