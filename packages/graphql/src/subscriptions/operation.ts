import { TaskboardError } from '@taskboard/core'
import type { HttpRequest, RealtimeConnection, StreamRequest } from '@taskboard/core/transport'
import { type ExecutionArgs, GraphQLError } from 'graphql'
import type { OperationResult, SubscribePayload } from 'graphql-ws'
import type { GraphqlEndpoint } from '../endpoint.js'
import { createContext } from '../graphql-context.js'
import { boundVariables } from '../limits/bound-variables.js'
import { AnswerTurns, PacedStream } from './paced-stream.js'

/** The running operations of a connection by id, as graphql-ws keeps them. It removes a completed one and calls its `return`. */
type UnderWay = Record<string, AsyncIterable<unknown> | null>

type Outcome = Awaited<OperationResult>

type OperationAnswer = Exclude<Outcome, AsyncIterable<unknown>>

type Result = IteratorResult<OperationAnswer, undefined>

const END: Result = Object.freeze({ value: undefined, done: true })

/**
 * The results of one operation, in order. graphql-ws knows operations only by id. After each wait it takes the operation that now has the
 * id for the one it waited for. Clients may reuse the id of a completed operation. The earlier operation would then send results too,
 * complete the later one, or never end. So once completed, this keeps graphql-ws waiting. A promise that never resolves is
 * garbage-collected together with its waiter.
 */
export class OperationOutcome implements AsyncIterableIterator<OperationAnswer> {
  #results: AsyncIterator<OperationAnswer, undefined> | null = null
  #isCompleted = false

  /** Registers the operation before it has results, so that it can be completed. */
  constructor(underWay: UnderWay, id: string) {
    underWay[id] = this
  }

  /** Resolves as `waited` does, or never once the operation is completed. */
  async unlessCompleted<T>(waited: Promise<T>): Promise<T> {
    try {
      return await waited
    } finally {
      if (this.#isCompleted) await new Promise<never>(() => undefined)
    }
  }

  /** Takes the outcome of the execution: one result, or a stream of them. */
  async take(outcome: Outcome): Promise<this> {
    this.#results = Symbol.asyncIterator in outcome ? outcome[Symbol.asyncIterator]() : only(outcome)
    if (this.#isCompleted) await this.#results.return?.()
    return this.unlessCompleted(Promise.resolve(this))
  }

  next(): Promise<Result> {
    return this.unlessCompleted(this.#results?.next() ?? Promise.resolve(END))
  }

  async return(): Promise<Result> {
    this.#isCompleted = true
    await this.#results?.return?.()
    return END
  }

  [Symbol.asyncIterator](): this {
    return this
  }
}

async function* only(result: OperationAnswer): AsyncGenerator<OperationAnswer, undefined> {
  yield result
}

/**
 * Begins an operation like an HTTP request: checks the credential, counts against the account's limits, and measures the document.
 * `underWay` is how many operations the connection has, including this one.
 * @returns the errors, when the operation must not be executed.
 */
export async function beginOperation(
  { services, schema, documents, caller }: GraphqlEndpoint,
  connection: RealtimeConnection,
  payload: SubscribePayload,
  underWay: number,
): Promise<ExecutionArgs | readonly GraphQLError[]> {
  const { query, variables, operationName } = payload
  try {
    requireRoom(underWay, services.realtime.settings.subscriptionsPerConnection)
    const principal = await connection.recheck()
    if (principal === null) throw new TaskboardError('UNAUTHORIZED', 'the connection is closed')
    requireWithinLimits(await services.takeTierLimit(principal))
    const document = documents.prepare(query, variables)
    if (!('kind' in document)) return document
    const request = requestOf(connection, payload)
    const openStream = async (stream: StreamRequest) =>
      new PacedStream(await connection.openStream(stream), turnsOf(connection))
    return {
      schema,
      document,
      variableValues: boundVariables(schema, document, variables),
      operationName,
      contextValue: createContext({ services, principal, request, openStream }, caller),
    }
  } catch (error) {
    const originalError = error instanceof Error ? error : new Error(String(error))
    return [new GraphQLError(originalError.message, { originalError })]
  }
}

/** The turns of connections that have subscribed. */
const turns = new WeakMap<RealtimeConnection, AnswerTurns>()

function turnsOf(connection: RealtimeConnection): AnswerTurns {
  const own = turns.get(connection) ?? new AnswerTurns()
  turns.set(connection, own)
  return own
}

function requireRoom(underWay: number, most: number): void {
  if (underWay <= most) return
  throw new TaskboardError('QUOTA_EXCEEDED', `at most ${most} operations at a time on a connection`)
}

type Decision = Awaited<ReturnType<GraphqlEndpoint['services']['takeTierLimit']>>

function requireWithinLimits(decision: Decision): void {
  if (decision?.allowed !== false) return
  const { retryAfterMs } = decision
  const seconds = Math.ceil(retryAfterMs / 1_000)
  throw new TaskboardError('RATE_LIMITED', `too many requests; the next one passes in ${seconds} s`, {
    retryAfterMs,
  })
}

/** The operation as an HTTP request. Its extensions replace the headers that belong to one request. */
function requestOf({ origin }: RealtimeConnection, { extensions }: SubscribePayload): HttpRequest {
  const idempotencyKey = extensions?.['idempotencyKey']
  return {
    method: 'POST',
    path: '/v2/graphql',
    params: {},
    query: '',
    header: (name) =>
      name === 'idempotency-key'
        ? typeof idempotencyKey === 'string'
          ? idempotencyKey
          : undefined
        : origin.header(name),
    clientAddress: origin.clientAddress,
    body: { kind: 'none' },
  }
}
