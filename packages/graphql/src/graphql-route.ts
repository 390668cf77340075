import { TaskboardError } from '@taskboard/core'
import {
  protectedRoute,
  type HttpRequest,
  type HttpResponse,
  type ProtectedCall,
  type Route,
  type TransportServices,
} from '@taskboard/core/transport'
import type { ExecutionResult, GraphQLError } from 'graphql'
import {
  createHandler,
  type OperationArgs,
  type Request,
  type RequestParams,
  type Response,
} from 'graphql-http'
import { endpointOf, type GraphqlEndpoint } from './endpoint.js'
import { formatError, fromEnvelope } from './errors.js'
import { createContext, type GraphqlContext } from './graphql-context.js'
import { graphqlDescription } from './graphql-description.js'
import type { GraphqlOptions } from './graphql-options.js'
import { boundVariables } from './limits/bound-variables.js'

const JSON_TYPE = 'application/json; charset=utf-8'
const GRAPHQL_TYPE = 'application/graphql-response+json; charset=utf-8'
/** Four times what Node.js takes by default. */
const LONGEST_QUERY = 65_536
const LONGEST_ACCEPT = 16_384

/** The context in the shape that the handler requires. */
type Shared = GraphqlContext & Record<PropertyKey, unknown>

/**
 * The GraphQL endpoint as a route, for the `routes` of an HTTP adapter. It uses the credentials, the limits and the scopes of
 * API v2, and follows the GraphQL over HTTP specification. Batched requests are rejected.
 * @throws TaskboardError `INVALID_CONFIG` for an invalid option.
 * @example
 * ```ts
 * import { createTaskboard } from '@taskboard/core'
 * import { taskboardRouter } from '@taskboard/express'
 * import { taskboardGraphql } from '@taskboard/graphql'
 * import { memoryStorage } from '@taskboard/memory'
 * import express from 'express'
 *
 * const taskboard = createTaskboard({ storage: memoryStorage() })
 * const endpoint = taskboardGraphql(taskboard)
 * console.log(endpoint.path) // /v2/graphql
 * express().use(taskboardRouter(taskboard, { routes: [endpoint] }))
 * ```
 */
export function taskboardGraphql(
  taskboard: { readonly services: TransportServices },
  options: GraphqlOptions = {},
): Route {
  const endpoint = endpointOf(taskboard, options)
  return protectedRoute(taskboard, {
    path: '/v2/graphql',
    description: graphqlDescription,
    answer: (call) => answerCall(endpoint, call),
    refuse: (envelope, request) => ({
      status: envelope.status,
      headers: { 'content-type': typeAccepted(acceptOf(request)) },
      body: JSON.stringify({ errors: [fromEnvelope(envelope)] }),
    }),
  })
}

async function answerCall(endpoint: GraphqlEndpoint, call: ProtectedCall): Promise<HttpResponse> {
  const { request } = call
  requireShortQuery(request.query)
  const body = request.method === 'POST' ? await call.readBody() : null
  const handler = createHandler<unknown, unknown, Shared>({
    onSubscribe: (_, params) => toExecution(endpoint, call, params),
    execute: endpoint.execute,
    onOperation: (_, __, result) => toResponse(endpoint, call, result),
    formatError: (error) => formatError(error, { ...endpoint, explain: call.explain }) as GraphQLError,
  })
  const url = request.query === '' ? request.path : `${request.path}?${request.query}`
  const headers = {
    get: (name: string) => (name === 'accept' ? acceptOf(request) : request.header(name)) ?? null,
  }
  const plain: Request<unknown, unknown> = {
    method: request.method === 'HEAD' ? 'GET' : request.method,
    url,
    headers,
    body: body,
    raw: null,
    context: null,
  }
  return finish(await handler(plain))
}

/** The handler parses the JSON in it at any depth. @throws TaskboardError `PAYLOAD_TOO_LARGE` */
function requireShortQuery(query: string): void {
  if (query.length <= LONGEST_QUERY) return
  throw new TaskboardError(
    'PAYLOAD_TOO_LARGE',
    `the query must have at most ${LONGEST_QUERY} characters; send a body instead`,
  )
}

function toExecution(
  endpoint: GraphqlEndpoint,
  call: ProtectedCall,
  { query, variables, operationName }: RequestParams,
): OperationArgs<Shared> | Response {
  const { schema, documents, caller } = endpoint
  const prepared = documents.prepare(query, variables)
  if (!('kind' in prepared)) return toResponse(endpoint, call, { errors: prepared })
  return {
    schema,
    document: prepared,
    variableValues: boundVariables(schema, prepared, variables),
    operationName,
    contextValue: createContext(call, caller) as Shared,
  }
}

/** The result of an execution, or the errors of its variables. */
function toResponse(
  { suggests }: GraphqlEndpoint,
  { request, explain }: ProtectedCall,
  result: ExecutionResult,
): Response {
  const type = typeAccepted(acceptOf(request))
  const { errors } = result
  const shown =
    errors === undefined
      ? result
      : { ...result, errors: errors.map((error) => formatError(error, { explain, suggests })) }
  const isRefused = result.data === undefined && type === GRAPHQL_TYPE
  return [
    JSON.stringify(shown),
    { status: isRefused ? 400 : 200, statusText: '', headers: { 'content-type': type } },
  ]
}

const codes: Readonly<Record<number, string>> = {
  405: 'METHOD_NOT_ALLOWED',
  406: 'INVALID_REQUEST',
  415: 'UNSUPPORTED_MEDIA_TYPE',
}

/** The handler's response as a plain value. Some of its rejections have no body or no content type. */
function finish([body, { status, statusText, headers = {} }]: Response): HttpResponse {
  if (body !== null && 'content-type' in headers) return { status, headers, body }
  const error = { message: statusText, extensions: { code: codes[status] ?? 'INVALID_REQUEST' } }
  return {
    status,
    headers: { ...headers, 'content-type': JSON_TYPE },
    body: JSON.stringify({ errors: [error] }),
  }
}

/** As much of the header as Node.js accepts by default, because all of it is parsed. */
function acceptOf(request: HttpRequest): string | undefined {
  return request.header('accept')?.slice(0, LONGEST_ACCEPT)
}

/** The content type of a response: the first supported one that the client names. */
function typeAccepted(accept: string | undefined): string {
  for (const range of accept?.toLowerCase().split(',') ?? []) {
    const type = range.trim()
    if (type.startsWith('application/graphql-response+json')) return GRAPHQL_TYPE
    if (/^(application\/json|application\/\*|\*\/\*)/.test(type)) return JSON_TYPE
  }
  return JSON_TYPE
}
