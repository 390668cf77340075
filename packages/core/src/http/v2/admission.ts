import { type LoginOrigin, type Principal, requireScope } from '../../access/index.js'
import type { Environment } from '../../environment/index.js'
import { TaskboardError } from '../../errors/index.js'
import type { TierDecision } from '../../limits/index.js'
import type { TransportServices } from '../../wiring/transport-services.js'
import { givenRequestId } from '../caller.js'
import type { HttpRequest } from '../http.js'
import type { ProtectedOperation } from './operation.js'

const SECOND_MS = 1_000

const NONE: Readonly<Record<string, string>> = Object.freeze({})

/**
 * The headers for an account's limits, in whole numbers: the limit and the remaining requests of the hour, and its end in epoch seconds.
 * The same follow for the minute. Absent for an interval without a limit. `Retry-After` comes with the error.
 */
export function limitHeaders(decision: TierDecision | null): Readonly<Record<string, string>> {
  if (decision === null) return NONE
  const { hour, minute } = decision
  const headers: Record<string, string> = {}
  if (hour !== null) {
    headers['x-ratelimit-limit'] = String(hour.limit)
    headers['x-ratelimit-remaining'] = String(hour.remaining)
    headers['x-ratelimit-reset'] = String(Math.ceil(hour.resetAt / SECOND_MS))
  }
  if (minute !== null) {
    headers['x-ratelimit-burst'] = String(minute.limit)
    headers['x-ratelimit-burst-remaining'] = String(minute.remaining)
  }
  return headers
}

/** The headers for the account's limits, as in `docs/errors.md`. */
export const limitHeaderNames = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-RateLimit-Burst',
  'X-RateLimit-Burst-Remaining',
] as const

/** The id in a request's response and log lines. It is the one of the host, or the caller's `X-Request-Id` if it is well-formed, else a new one. */
export function requestIdOf(request: HttpRequest, { newId }: Environment): string {
  return givenRequestId(request) ?? newId('req')
}

/** Where a login comes from. */
export function loginOriginOf(request: HttpRequest): LoginOrigin {
  const { clientAddress } = request
  return { clientAddress, userAgent: request.header('user-agent'), requestId: givenRequestId(request) }
}

/** The known facts about a request so far, for any kind of response. */
export interface Admission {
  readonly requestId: string
  /** Headers of the caller's limits; none before the limits are checked. */
  limits: Readonly<Record<string, string>>
}

/**
 * The headers of every response of API v2, as a new object. Without a spread: V8 takes fifty times as long to spread
 * several objects into one as to copy them onto it (3 µs).
 */
export function answerHeaders({ requestId, limits }: Admission): Record<string, string> {
  const common = {
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-request-id': requestId,
  }
  return Object.assign(common, limits)
}

/** The caller. @throws TaskboardError for an invalid credential. */
export async function identify(services: TransportServices, request: HttpRequest): Promise<Principal> {
  const principal = await services.authenticate(request)
  if (principal === null) throw services.refuseCredential(request)
  return principal
}

/** Records the headers of the caller's limits. @throws TaskboardError `RATE_LIMITED` when they reject. */
export function applyLimits(decision: TierDecision | null, admission: Admission): void {
  admission.limits = limitHeaders(decision)
  if (decision?.allowed === false) {
    throw new TaskboardError('RATE_LIMITED', 'too many requests; retry after the Retry-After header', {
      retryAfterMs: decision.retryAfterMs,
    })
  }
}

/**
 * What an operation requires of its caller, before its parameters are read. A promise when it requires a proof.
 * @throws TaskboardError `FORBIDDEN` unless the caller can use the operation; `STEP_UP_REQUIRED` when its proof is too old.
 */
export function requireCaller(
  services: Pick<TransportServices, 'requireProof'>,
  principal: Principal,
  operation: Pick<ProtectedOperation, 'userOnly' | 'scope' | 'needsProof'>,
): Promise<void> | undefined {
  requirePermission(principal, operation)
  return operation.needsProof === true ? services.requireProof(principal) : undefined
}

function requirePermission(
  principal: Principal,
  { userOnly, scope }: Pick<ProtectedOperation, 'userOnly' | 'scope'>,
): void {
  if (userOnly === true && principal.kind !== 'user') {
    throw new TaskboardError('FORBIDDEN', 'an API key cannot do this; use an access token')
  }
  if (scope !== 'any') requireScope(principal, scope)
}
