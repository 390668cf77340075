import type { Principal } from '../../access/index.js'
import { isTaskboardError } from '../../errors/index.js'
import type { TransportServices } from '../../wiring/transport-services.js'
import { v2ErrorEnvelope, type V2ErrorBody } from './envelope.js'
import { isInternal, type ErrorEnvelope } from '../error-envelope.js'
import { withCaller } from '../caller.js'
import type { HttpRequest, HttpResponse, Route } from '../http.js'
import { readJsonObject, type JsonObject } from '../json-body.js'
import { tracedRoute } from '../traced-route.js'
import { type Admission, answerHeaders, applyLimits, identify, requestIdOf } from './admission.js'
import { describeRoute, mountedPath, type PathDescription } from './described-routes.js'

/** A request with a valid credential, within the limits of its account. */
export interface ProtectedCall {
  readonly services: TransportServices
  readonly request: HttpRequest
  readonly principal: Principal
  readonly requestId: string
  /**
   * The request's body as a JSON object. Call it at most once.
   * @throws TaskboardError `UNSUPPORTED_MEDIA_TYPE`, `PAYLOAD_TOO_LARGE`, `INVALID_JSON`.
   */
  readonly readBody: () => JsonObject | Promise<JsonObject>
  /**
   * The public part of an error, in the form of API v2. An internal error (of the library, a port or the host) is
   * logged under the request's id and returned without detail.
   */
  readonly explain: (error: unknown) => ErrorEnvelope<V2ErrorBody>
}

export interface ProtectedRouteOptions {
  /** Below `/v2` as documented: the task board's own prefix replaces that. Any other path stays as it is. */
  readonly path: `/${string}`
  /** Its entry in the OpenAPI document and the reference. Default: none. */
  readonly description?: PathDescription | undefined
  /** Can throw; the error goes to `refuse`. */
  readonly answer: (call: ProtectedCall) => Promise<HttpResponse>
  /** Formats an error for the protocol; its headers are added. */
  readonly refuse: (envelope: ErrorEnvelope<V2ErrorBody>, request: HttpRequest) => HttpResponse
}

/**
 * A route of another protocol next to API v2, with the same credentials, account limits, request ids and answer
 * headers.
 * @example
 * ```ts
 * import { createTaskboard } from '@taskboard/core'
 * import { protectedRoute, type HttpRequest } from '@taskboard/core/transport'
 * import { memoryStorage } from '@taskboard/memory'
 *
 * const taskboard = createTaskboard({ storage: memoryStorage() })
 * const route = protectedRoute(taskboard, {
 *   path: '/v2/whoami',
 *   answer: async ({ principal }) => ({ status: 200, headers: {}, body: principal.id }),
 *   refuse: ({ status, body }) => ({ status, headers: {}, body: JSON.stringify(body) }),
 * })
 * const request: HttpRequest = {
 *   method: 'GET',
 *   path: '/v2/whoami',
 *   params: {},
 *   query: '',
 *   header: () => undefined,
 *   clientAddress: '203.0.113.7',
 *   body: { kind: 'none' },
 * }
 * console.log((await route.handle(request)).status) // 401
 * ```
 */
export function protectedRoute(
  { services }: { readonly services: TransportServices },
  { path, description, answer, refuse }: ProtectedRouteOptions,
): Route {
  async function handle(request: HttpRequest): Promise<HttpResponse> {
    const admission: Admission = { requestId: requestIdOf(request, services.environment), limits: {} }
    const { requestId } = admission
    const explain = (error: unknown) => explainError(services, request, requestId, error)
    let response: HttpResponse
    try {
      const principal = await identify(services, request)
      applyLimits(await services.takeTierLimit(principal), admission)
      const readBody = () => {
        const read = readJsonObject(request, services.bodyLimitBytes)
        return read instanceof Promise ? ofSameCaller(services, request, principal, read) : read
      }
      response = await answer({ services, request, principal, requestId, readBody, explain })
    } catch (error) {
      const envelope = explain(error)
      const refused = refuse(envelope, request)
      response = { ...refused, headers: { ...refused.headers, ...envelope.headers } }
    }
    return { ...response, headers: Object.assign(answerHeaders(admission), response.headers) }
  }
  const mounted = mountedPath(services, path)
  if (description !== undefined) describeRoute(services, mounted, description)
  return tracedRoute(services, { path: mounted, handle })
}

function explainError(
  { environment: { logger, clock } }: TransportServices,
  { method, path }: HttpRequest,
  requestId: string,
  error: unknown,
): ErrorEnvelope<V2ErrorBody> {
  const line = { err: error, method, path, requestId }
  if (isInternal(error)) logger.error(line, 'a request failed')
  else if (isTaskboardError(error, 'SERVICE_UNAVAILABLE')) logger.warn(line, 'a request could not be served')
  return v2ErrorEnvelope(error, { requestId, now: clock.now() })
}

/** @throws TaskboardError `UNAUTHORIZED` when the caller has fewer rights, or is somewhere else, by the time the body is there. */
async function ofSameCaller<T>(
  services: TransportServices,
  request: HttpRequest,
  principal: Principal,
  arriving: Promise<T>,
): Promise<T> {
  const [value, caller] = await withCaller(services, request, principal, arriving)
  if (mayAsMuch(principal, caller)) return value
  throw services.refuseCredential(request)
}

/** Whether a caller has kept what it could do, and reach. */
function mayAsMuch(before: Principal, now: Principal): boolean {
  const { scopes, workspaceIds: reached } = now
  return (
    now.accountId === before.accountId &&
    now.defaultWorkspaceId === before.defaultWorkspaceId &&
    before.scopes.every((scope) => scopes.includes(scope)) &&
    (reached === 'all' ||
      (before.workspaceIds !== 'all' && before.workspaceIds.every((id) => reached.includes(id))))
  )
}
