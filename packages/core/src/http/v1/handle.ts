import { requireScope, type Principal } from '../../access/index.js'
import { isTaskboardError, TaskboardError } from '../../errors/index.js'
import type { TransportServices } from '../../wiring/transport-services.js'
import { noteRefusal, withCaller } from '../caller.js'
import { boardErrorEnvelope } from './envelope.js'
import { isInternal } from '../error-envelope.js'
import { requireFields, requireParameters } from '../field-names.js'
import type { HttpRequest, HttpResponse } from '../http.js'
import { readJsonObject, type JsonObject } from '../json-body.js'
import { parseQuery, type Query } from '../query.js'
import type { BoardOperation } from './operation.js'

const HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
}
const NO_BODY: JsonObject = Object.freeze({})

/**
 * Answers one request of the board API. The checks run in this order, and the first failure is the response: credential, limit of the key,
 * action, method, names of the query's parameters. Then come body (as JSON, then its fields), scope and existence.
 */
export async function handleBoardRequest(
  services: TransportServices,
  request: HttpRequest,
  findOperation: (query: Query) => BoardOperation,
): Promise<HttpResponse> {
  let principal: Principal | null = null
  try {
    principal = await services.authenticate(request)
    if (principal === null) throw services.refuseCredential(request)
    requireAdmission(await services.takeBoardLimit(principal))
    const query = parseQuery(request.query)
    const operation = findOperation(query)
    requireMethod(operation, request.method)
    requireParameters(query, operation.parameters)
    const { fields } = operation
    const read = fields === undefined ? NO_BODY : readJsonObject(request, services.bodyLimitBytes)
    let body = NO_BODY
    if (read instanceof Promise) [body, principal] = await withCaller(services, request, principal, read)
    else body = read
    if (fields !== undefined) requireFields(body, fields)
    if (!principal.scopes.includes(operation.scope)) operation.checkFields?.(body)
    requireScope(principal, operation.scope)
    const { defaultWorkspaceId } = principal
    const isReached = services.reach.includes(principal, defaultWorkspaceId)
    requireReached(isReached instanceof Promise ? await isReached : isReached)
    const board = services.board(defaultWorkspaceId)
    return {
      status: 200,
      headers: HEADERS,
      body: await operation.run({ services, principal, request, board, query: query.values, body }),
    }
  } catch (error) {
    if (principal !== null) noteRefusal(services, principal, request, error)
    return toErrorResponse(services, request, error)
  }
}

/** Responds to unknown paths below the paths of the Board API. */
export function answerUnknownBoardPath(services: TransportServices, request: HttpRequest): HttpResponse {
  return toErrorResponse(services, request, new TaskboardError('NOT_FOUND', 'there is no such path'))
}

function requireAdmission(decision: { readonly allowed: boolean; readonly retryAfterMs: number }): void {
  if (decision.allowed) return
  const { retryAfterMs } = decision
  throw new TaskboardError('RATE_LIMITED', 'too many requests; retry after the Retry-After header', {
    retryAfterMs,
  })
}

function requireMethod({ methods }: BoardOperation, method: string): void {
  if (methods.includes(method)) return
  throw new TaskboardError('METHOD_NOT_ALLOWED', `use ${methods.join(' or ')}`, { allow: methods })
}

function requireReached(isReached: boolean): void {
  if (!isReached) throw new TaskboardError('NOT_FOUND', 'no such workspace')
}

function toErrorResponse(services: TransportServices, request: HttpRequest, error: unknown): HttpResponse {
  const { logger } = services.environment
  const { method, path } = request
  if (isInternal(error)) logger.error({ err: error, method, path }, 'a request failed')
  else if (isTaskboardError(error, 'SERVICE_UNAVAILABLE'))
    logger.warn({ err: error, method, path }, 'a request could not be served')
  const { status, headers, body } = boardErrorEnvelope(error)
  return { status, headers: { ...HEADERS, ...headers }, body: JSON.stringify(body) }
}
