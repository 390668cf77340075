import type { Principal } from '../access/index.js'
import type { AuditActor } from '../environment/index.js'
import { isTaskboardError } from '../errors/index.js'
import type { TransportServices } from '../wiring/transport-services.js'
import type { HttpRequest } from './http.js'

/** As long as a look-up of a credential is trusted. */
const LATE_MS = 1_000

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

/** Counts what a caller was rejected because it may not do that, for the audit. */
export function noteRefusal(
  services: Pick<TransportServices, 'countRefusal'>,
  principal: Principal,
  request: HttpRequest,
  error: unknown,
): void {
  const isRefusal = isTaskboardError(error, 'FORBIDDEN') || isTaskboardError(error, 'STEP_UP_REQUIRED')
  if (isRefusal) services.countRefusal(callerOf(principal, request), principal.accountId)
}

/**
 * The parts of a request that arrive after its caller was checked, with the caller as of then. A body can be held back for minutes, in
 * which its caller may lose rights, or be deleted.
 * @throws TaskboardError `UNAUTHORIZED` when the credential isn't valid any more.
 */
export async function withCaller<T>(
  services: Pick<TransportServices, 'authenticate' | 'environment' | 'refuseCredential'>,
  request: HttpRequest,
  principal: Principal,
  arriving: Promise<T>,
): Promise<readonly [T, Principal]> {
  const { clock } = services.environment
  const from = clock.now()
  const value = await arriving
  const tookMs = clock.now() - from
  if (tookMs >= 0 && tookMs < LATE_MS) return [value, principal]
  const caller = await services.authenticate(request)
  if (caller?.id !== principal.id) throw services.refuseCredential(request)
  return [value, caller]
}

/** The caller of a request in progress, as of now; null once it is over or can't reach the workspace. Looked up once a second at most. */
export function recheckCaller(
  services: Pick<TransportServices, 'authenticate' | 'environment' | 'reach'>,
  request: HttpRequest,
  principal: Principal,
  workspaceId: string,
): () => Promise<Principal | null> {
  const { clock } = services.environment
  let caller: Principal | null = principal
  let checkedAt = clock.now()
  return async () => {
    const age = clock.now() - checkedAt
    if (caller === null || (age >= 0 && age < LATE_MS)) return caller
    const found = await services.authenticate(request)
    const isSame = found?.id === principal.id && (await services.reach.includes(found, workspaceId))
    caller = isSame ? found : null
    checkedAt = clock.now()
    return caller
  }
}
