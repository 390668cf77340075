import type { Principal } from '../access/index.js'
import type { AuditActor } from '../environment/index.js'
import { isTaskboardError } from '../errors/index.js'
import type { TransportServices } from '../wiring/transport-services.js'
import type { HttpRequest } from './http.js'

const WELL_FORMED = /^[A-Za-z0-9_.-]{1,64}$/

/** The id that the host has given a request, or the caller's `X-Request-Id` if it is well-formed; null for none. */
export function givenRequestId(request: HttpRequest): string | null {
  const given = request.requestId ?? request.header('x-request-id')
  return given !== undefined && WELL_FORMED.test(given) ? given : null
}

/** The caller of a request, for the audit. */
export function callerOf({ kind, id, name, sessionId }: Principal, request: HttpRequest): AuditActor {
  const { clientAddress } = request
  return { kind, id, name, sessionId, clientAddress, requestId: givenRequestId(request) }
}

/** Counts what a caller was refused because it may not do that, for the audit. */
export function noteRefusal(
  services: Pick<TransportServices, 'countRefusal'>,
  principal: Principal,
  request: HttpRequest,
  error: unknown,
): void {
  const isRefusal = isTaskboardError(error, 'FORBIDDEN') || isTaskboardError(error, 'STEP_UP_REQUIRED')
  if (isRefusal) services.countRefusal(callerOf(principal, request), principal.accountId)
}
