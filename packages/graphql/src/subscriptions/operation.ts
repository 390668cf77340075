import { TaskboardError } from '@taskboard/core'
import type { HttpRequest, RealtimeConnection, StreamRequest } from '@taskboard/core/transport'
import { GraphQLError, type ExecutionArgs } from 'graphql'
import type { SubscribePayload } from 'graphql-ws'
import type { GraphqlEndpoint } from '../endpoint.js'
import { createContext } from '../graphql-context.js'
import { boundVariables } from '../limits/bound-variables.js'
import { AnswerTurns, PacedStream } from './paced-stream.js'

/**
 * Begins an operation like an HTTP request: checks the credential, counts against the account's limits, and measures the document.
 * `underWay` is how many operations the connection has, including this one.
 * @returns the errors, when the operation must not be executed.
 */
export async function beginOperation(
  { surface, schema, documents, caller }: GraphqlEndpoint,
  connection: RealtimeConnection,
  payload: SubscribePayload,
  underWay: number,
): Promise<ExecutionArgs | readonly GraphQLError[]> {
  const { query, variables, operationName } = payload
  try {
    requireRoom(underWay, surface.realtime.settings.subscriptionsPerConnection)
    const principal = await connection.recheck()
    if (principal === null) throw new TaskboardError('UNAUTHORIZED', 'the connection has ended')
    requireWithinLimits(await surface.takeTierLimit(principal))
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
      contextValue: createContext({ surface, principal, request, openStream }, caller),
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

type Decision = Awaited<ReturnType<GraphqlEndpoint['surface']['takeTierLimit']>>

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
