import type { Principal } from '../../access/index.js'
import { isTaskboardError, parseInput, TaskboardError } from '../../errors/index.js'
import type { TransportServices } from '../../wiring/transport-services.js'
import { callerOf, noteRefusal, withCaller } from '../caller.js'
import { v2ErrorEnvelope } from './envelope.js'
import { isInternal } from '../error-envelope.js'
import { fieldNamesOf, NO_FIELDS, parseFields, requireParameters } from '../field-names.js'
import type { HttpRequest, HttpResponse } from '../http.js'
import { readJsonObject } from '../json-body.js'
import { parseQuery } from '../query.js'
import {
  type Admission,
  answerHeaders,
  applyLimits,
  identify,
  requestIdOf,
  requireCaller,
} from './admission.js'
import type { Method, Operation, ProtectedOperation } from './operation.js'

/** The operations of one path. */
export type OperationsByMethod = ReadonlyMap<Method, Operation>

interface Progress extends Admission {
  principal?: Principal
  operation: Operation | undefined
}

const JSON_TYPE = 'application/json; charset=utf-8'
const NOTHING = Object.freeze({})
/** Far more than a login needs, and cheap to handle for a caller without a credential. */
const PUBLIC_BODY_BYTES = 16_384
const NO_LIMITS: Readonly<Record<string, string>> = Object.freeze({})

/**
 * Answers one request of API v2. The checks run in this order, and the first failure is the answer:
 * credential, limits of the account, method, scope, parameters and body, existence. A path with only public operations requires
 * no credential.
 */
export async function handleV2Request(
  services: TransportServices,
  request: HttpRequest,
  operations: OperationsByMethod,
): Promise<HttpResponse> {
  const progress: Progress = {
    requestId: requestIdOf(request, services.environment),
    limits: NO_LIMITS,
    operation: undefined,
  }
  try {
    const operation = findOperation(operations, request.method)
    if (operation?.scope === 'none' || (operation === undefined && allPublic(operations))) {
      progress.operation = operation ?? refuseMethod(operations)
      return await runPublic(services, request, progress)
    }
    const principal = await identify(services, request)
    progress.principal = principal
    const deciding = services.takeTierLimit(principal)
    const early = operation?.beginsEarly === true ? begun(services, request, principal, operation) : null
    applyLimits(await deciding, progress)
    progress.operation = operation ?? refuseMethod(operations)
    const value = await (early ?? runProtected(services, request, principal, progress.operation))
    return toResponse(progress.operation, progress, value)
  } catch (error) {
    return toErrorResponse(services, request, progress, error)
  }
}

/** Answers unknown paths below the prefix of API v2. */
export function answerUnknownV2Path(services: TransportServices, request: HttpRequest): HttpResponse {
  const requestId = requestIdOf(request, services.environment)
  const progress: Progress = { requestId, limits: NO_LIMITS, operation: undefined }
  return toErrorResponse(
    services,
    request,
    progress,
    new TaskboardError('NOT_FOUND', 'there is no such path'),
  )
}

/** HEAD is treated as GET; the adapter leaves the body out. */
function findOperation(operations: OperationsByMethod, method: string): Operation | undefined {
  return operations.get((method === 'HEAD' ? 'GET' : method) as Method)
}

function allPublic(operations: OperationsByMethod): boolean {
  return [...operations.values()].every(({ scope }) => scope === 'none')
}

function refuseMethod(operations: OperationsByMethod): never {
  const allow = [...operations.keys()].flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
  throw new TaskboardError('METHOD_NOT_ALLOWED', `use ${allow.join(' or ')}`, { allow })
}

async function runPublic(
  services: TransportServices,
  request: HttpRequest,
  progress: Progress,
): Promise<HttpResponse> {
  const operation = progress.operation
  if (operation?.scope !== 'none') throw new TypeError('the operation is not public')
  const input = readRequest(operation, request, Math.min(services.bodyLimitBytes, PUBLIC_BODY_BYTES))
  const call = { services, request, ...(input instanceof Promise ? await input : input) }
  return toResponse(operation, progress, await operation.run(call))
}

/** Runs an operation that may fail before it is awaited. */
function begun(
  services: TransportServices,
  request: HttpRequest,
  principal: Principal,
  operation: Operation,
): Promise<unknown> {
  const running = runProtected(services, request, principal, operation)
  running.catch(() => undefined)
  return running
}

async function runProtected(
  services: TransportServices,
  request: HttpRequest,
  principal: Principal,
  operation: Operation,
): Promise<unknown> {
  if (operation.scope === 'none') throw new TypeError('the operation is public')
  const proving = requireCaller(services, principal, operation)
  if (proving !== undefined) await proving
  const input = readRequest(operation, request, services.bodyLimitBytes)
  if (!(input instanceof Promise)) return runWith(services, request, principal, operation, input)
  const [given, caller] = await withCaller(services, request, principal, input)
  if (caller !== principal) await requireCaller(services, caller, operation)
  return runWith(services, request, caller, operation, given)
}

function runWith(
  services: TransportServices,
  request: HttpRequest,
  principal: Principal,
  operation: ProtectedOperation,
  given: Input,
): unknown {
  const by = callerOf(principal, request)
  return operation.run({ services, request, principal, by, ...given, isRead: () => true })
}

interface Input {
  readonly params: unknown
  readonly query: unknown
  readonly body: unknown
}

/** Immediate when the body has arrived, or isn't needed. */
function readRequest(operation: Operation, request: HttpRequest, maxBytes: number): Input | Promise<Input> {
  const params = operation.params === undefined ? NOTHING : parseInput(operation.params, request.params)
  const query = queryOf(operation, request.query)
  const { body: schema } = operation
  if (schema === undefined) return { params, query, body: NOTHING }
  const body = readJsonObject(request, maxBytes)
  if (body instanceof Promise) {
    return body.then((read) => ({ params, query, body: parseFields(schema, read) }))
  }
  return { params, query, body: parseFields(schema, body) }
}

function queryOf({ query: schema }: Operation, text: string): unknown {
  const query = parseQuery(text)
  requireParameters(query, schema === undefined ? NO_FIELDS : fieldNamesOf(schema))
  return schema === undefined ? NOTHING : parseInput(schema, query.values)
}

function toResponse({ answer }: Operation, progress: Progress, value: unknown): HttpResponse {
  const headers = answerHeaders(progress)
  if (answer.status === 204) return { status: 204, headers, body: '' }
  if ('mediaType' in answer) {
    headers['content-type'] = answer.mediaType
    return { status: answer.status, headers: Object.assign(headers, answer.headers), body: String(value) }
  }
  headers['content-type'] = JSON_TYPE
  return { status: answer.status, headers, body: JSON.stringify(value) }
}

function toErrorResponse(
  services: TransportServices,
  request: HttpRequest,
  progress: Progress,
  error: unknown,
): HttpResponse {
  const { requestId, operation, principal } = progress
  if (principal !== undefined) noteRefusal(services, principal, request, error)
  const { logger, clock } = services.environment
  const line = { err: error, method: request.method, path: request.path, requestId }
  if (isInternal(error)) logger.error(line, 'a request failed')
  else if (isTaskboardError(error, 'SERVICE_UNAVAILABLE')) logger.warn(line, 'a request could not be served')
  const { status, headers, body } = v2ErrorEnvelope(error, {
    requestId,
    now: clock.now(),
    wireFields: operation?.wireFields,
  })
  return {
    status,
    headers: Object.assign(answerHeaders(progress), { 'content-type': JSON_TYPE }, headers),
    body: JSON.stringify(body),
  }
}
