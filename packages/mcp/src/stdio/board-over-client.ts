import { v2ErrorEnvelope, isTaskboardError, TaskboardError } from '@taskboard/core'
import { operationSchemas } from '@taskboard/core/transport'
import type { Answer, BoardCalls, BoardOperation, ExplainedError, OperationInput } from '../board-calls.js'
import type { BoardClient } from './board-client.js'

/** A method of a client: the ids of the path, then the query or the body, then options. */
type Method = (...args: readonly unknown[]) => Promise<unknown>

/** The method by which a client calls an operation. @throws TypeError for a client that has none. */
function methodOf(client: BoardClient, operationId: BoardOperation): Method {
  const { client: name } = operationSchemas(operationId)
  const found = name
    .split('.')
    .reduce<unknown>(
      (group, each) => (group as Readonly<Record<string, unknown>> | undefined)?.[each],
      client,
    )
  if (typeof found !== 'function') throw new TypeError(`the client has no method ${name}`)
  return found as Method
}

/** The board of a client's credential, over its HTTP API. The signal ends calls in progress, and their repeats. */
export function boardOverClient(client: BoardClient, signal?: AbortSignal): BoardCalls {
  return {
    scopes: null,
    async call(operationId, input) {
      const options = { signal, idempotencyKey: input.idempotencyKey }
      const answer = await methodOf(client, operationId)(...argumentsOf(input), options)
      return (answer ?? {}) as Answer
    },
    explain,
  }
}

/** The client takes no id that addresses resolve as a folder, and none that they can't encode. */
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
