import { enterpriseErrorEnvelope, isTaskboardError } from '@taskboard/core'
import type { Answer, BoardCalls, ExplainedError, OperationInput } from '../board-calls.js'
import type { BoardClient } from './board-client.js'

/** The client's method of each operation that a tool calls. */
const methods: Readonly<Record<string, (client: BoardClient) => (...args: never[]) => Promise<unknown>>> = {
  getAccount: ({ account }) => account.get,
  claimTask: ({ tasks }) => tasks.claim,
  getTask: ({ tasks }) => tasks.get,
  listComments: ({ tasks }) => tasks.comments,
  reportTaskProgress: ({ tasks }) => tasks.progress,
  addTaskLogLine: ({ tasks }) => tasks.log,
  addTaskOutput: ({ tasks }) => tasks.output,
  completeTask: ({ tasks }) => tasks.complete,
  failTask: ({ tasks }) => tasks.fail,
  holdTask: ({ tasks }) => tasks.hold,
  requestApproval: ({ tasks }) => tasks.approvals.request,
  listTasks: ({ tasks }) => tasks.list,
  createTask: ({ tasks }) => tasks.create,
  createTasks: ({ tasks }) => tasks.createMany,
  updateTask: ({ tasks }) => tasks.update,
  moveTask: ({ tasks }) => tasks.move,
  createComment: ({ tasks }) => tasks.comment,
  answerTask: ({ tasks }) => tasks.answer,
}

/** The board of a client's credential, over its HTTP API. */
export function boardOverClient(client: BoardClient): BoardCalls {
  return {
    scopes: null,
    async call(operationId, input) {
      const method = methods[operationId]?.(client)
      if (method === undefined) throw new TypeError(`no method for ${operationId}`)
      return ((await method(...(argumentsOf(input) as never[]))) ?? {}) as Answer
    },
    explain,
  }
}

function argumentsOf({ params = {}, query, body }: OperationInput): readonly unknown[] {
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

function explain(error: unknown): ExplainedError {
  const now = Date.now()
  if (isTaskboardError(error) || !isApiError(error)) {
    return enterpriseErrorEnvelope(error, { requestId: '', now }).body
  }
  const { code, message, field, requestId, retryAfter } = error
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
