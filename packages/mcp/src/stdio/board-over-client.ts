import { v2ErrorEnvelope, isTaskboardError, TaskboardError } from '@taskboard/core'
import type { Answer, BoardCalls, BoardOperation, ExplainedError, OperationInput } from '../board-calls.js'
import type { BoardClient } from './board-client.js'

/** The client's method of each operation. */
const methods: Readonly<
  Record<BoardOperation, (client: BoardClient) => (...args: never[]) => Promise<unknown>>
> = {
  getAccount: ({ account }) => account.get,
  listAgents: ({ agents }) => agents.list,
  getApproval: ({ approvals }) => approvals.get,
  listApprovals: ({ approvals }) => approvals.list,
  claimTask: ({ tasks }) => tasks.claim,
  getTask: ({ tasks }) => tasks.get,
  listComments: ({ tasks }) => tasks.comments,
  reportTaskProgress: ({ tasks }) => tasks.progress,
  addTaskLogLine: ({ tasks }) => tasks.log,
  addTaskOutput: ({ tasks }) => tasks.output,
  completeTask: ({ tasks }) => tasks.complete,
  failTask: ({ tasks }) => tasks.fail,
  releaseTask: ({ tasks }) => tasks.release,
  reportTaskUsage: ({ tasks }) => tasks.usage,
  holdTask: ({ tasks }) => tasks.hold,
  requestApproval: ({ tasks }) => tasks.approvals.request,
  listTasks: ({ tasks }) => tasks.list,
  createTask: ({ tasks }) => tasks.create,
  createTasks: ({ tasks }) => tasks.createMany,
  updateTask: ({ tasks }) => tasks.update,
  moveTask: ({ tasks }) => tasks.move,
  cancelTask: ({ tasks }) => tasks.cancel,
  delegateTask: ({ tasks }) => tasks.delegate,
  createComment: ({ tasks }) => tasks.comment,
  answerTask: ({ tasks }) => tasks.answer,
}

/** The board of a client's credential, over its HTTP API. The signal ends calls under way, and their repeats. */
export function boardOverClient(client: BoardClient, signal?: AbortSignal): BoardCalls {
  return {
    scopes: null,
    async call(operationId, input) {
      const method = methods[operationId](client)
      const options = { signal, idempotencyKey: input.idempotencyKey }
      return ((await method(...([...argumentsOf(input), options] as never[]))) ?? {}) as Answer
    },
    explain,
  }
}

/** The client takes no id that addresses resolve as a folder, and none that they cannot encode. */
const ADDRESSABLE = /^(?!\.{0,2}$)\P{Surrogate}*$/su

function argumentsOf({ params = {}, query, body }: OperationInput): readonly unknown[] {
  for (const [name, id] of Object.entries(params)) {
    if (!ADDRESSABLE.test(id))
      throw new TaskboardError('INVALID_FIELD', `${name} must be an id`, { field: name })
  }
  const input = query ?? body
  return [...Object.values(params), ...(input === undefined ? [] : [input])]
}

/** An error of the client, by its shape. */
interface ApiError {
  readonly status: number
  readonly code: string
  readonly message: string
  readonly field: string | null
  readonly requestId: string | null
  readonly retryAfter: number | null
}

/** What the client puts before the message of the server. */
const REQUEST_AND_STATUS = /^[A-Z]+ \S*: (?:\d{3} )?/

function explain(error: unknown): ExplainedError {
  const now = Date.now()
  if (isTaskboardError(error) || !isApiError(error)) {
    return v2ErrorEnvelope(error, { requestId: '', now }).body
  }
  const { code, field, requestId, retryAfter } = error
  const message = error.message.replace(REQUEST_AND_STATUS, '')
  const body: ExplainedError = {
    error: {
      code,
      message,
      details: { field: field ?? '', issue: message },
      request_id: requestId ?? '',
      timestamp: new Date(now).toISOString(),
    },
  }
  return retryAfter === null ? body : { ...body, retry_after_s: retryAfter }
}

function isApiError(error: unknown): error is ApiError {
  return (
    error instanceof Error && error.name === 'TaskboardApiError' && 'code' in error && 'retryAfter' in error
  )
}
