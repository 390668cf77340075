import { requireScope } from '../../access/index.js'
import { isTaskboardError, TaskboardError } from '../../errors/index.js'
import type { Surface } from '../../surface.js'
import { boardErrorEnvelope } from '../board-envelope.js'
import { isInternal } from '../error-envelope.js'
import type { HttpRequest, HttpResponse } from '../http.js'
import { readJsonObject, type JsonObject } from '../json-body.js'
import type { BoardOperation } from './operation.js'

const HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
}
const NO_BODY: JsonObject = Object.freeze({})

/**
 * Answers one request of the board API. The checks come in this order, and the first that fails is the answer:
 * credential, limit of the key, action, method, body (as JSON, then its fields), scope, existence.
 */
export async function handleBoardRequest(
  surface: Surface,
  request: HttpRequest,
  findOperation: (request: HttpRequest) => BoardOperation,
): Promise<HttpResponse> {
  try {
    const principal = await surface.authenticate(request)
    if (principal == null) throw surface.refuseCredential(request)
    requireAdmission(await surface.takeBoardLimit(principal))
    const operation = findOperation(request)
    requireMethod(operation, request.method)
    const read = operation.takesBody ? readJsonObject(request, surface.bodyLimitBytes) : NO_BODY
    const body = read instanceof Promise ? await read : read
    if (!principal.scopes.includes(operation.scope)) operation.checkFields?.(body)
    requireScope(principal, operation.scope)
    const board = surface.board(principal.defaultWorkspaceId)
    return {
      status: 200,
      headers: HEADERS,
      body: await operation.run({ surface, principal, request, board, body }),
    }
  } catch (error) {
    return toErrorResponse(surface, request, error)
  }
}

function requireAdmission(decision: { readonly allowed: boolean; readonly retryAfterMs: number }): void {
  if (decision.allowed) return
  const { retryAfterMs } = decision
  throw new TaskboardError('RATE_LIMITED', 'too many requests; wait as long as Retry-After says', {
    retryAfterMs,
  })
}

function requireMethod({ methods }: BoardOperation, method: string): void {
  if (methods.includes(method)) return
  throw new TaskboardError('METHOD_NOT_ALLOWED', `use ${methods.join(' or ')}`, { allow: methods })
}

function toErrorResponse(surface: Surface, request: HttpRequest, error: unknown): HttpResponse {
  const { logger } = surface.environment
  const { method, path } = request
  if (isInternal(error)) logger.error({ err: error, method, path }, 'a request failed')
  else if (isTaskboardError(error, 'SERVICE_UNAVAILABLE'))
    logger.warn({ err: error, method, path }, 'a request could not be served')
  const { status, headers, body } = boardErrorEnvelope(error)
  return { status, headers: { ...HEADERS, ...headers }, body: JSON.stringify(body) }
}
