import { requireScope, type Principal } from '../../access/index.js'
import { TaskboardError } from '../../errors/index.js'
import type { TierDecision } from '../../limits/index.js'
import type { Surface } from '../../surface.js'
import type { HttpRequest } from '../http.js'
import { limitHeaders } from './limit-headers.js'
import type { ProtectedOperation } from './operation.js'

/** What a request has become known by so far, for an answer of whatever kind. */
export interface Admission {
  readonly requestId: string
  /** Headers of the caller's limits; none before they were asked. */
  limits: Readonly<Record<string, string>>
}

/**
 * The headers of every answer of the enterprise API, as an object of the caller's own. Not by spreading: V8 takes fifty times as
 * long to spread several objects into one as to copy them onto it (3 us).
 */
export function answerHeaders({ requestId, limits }: Admission): Record<string, string> {
  const common = {
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-request-id': requestId,
  }
  return Object.assign(common, limits)
}

/** Who is calling. @throws TaskboardError for a credential that does not hold. */
export async function identify(surface: Surface, request: HttpRequest): Promise<Principal> {
  const principal = await surface.authenticate(request)
  if (principal === null) throw surface.refuseCredential(request)
  return principal
}

/** Notes the headers of the caller's limits. @throws TaskboardError `RATE_LIMITED` when they refuse. */
export function applyLimits(decision: TierDecision | null, admission: Admission): void {
  admission.limits = limitHeaders(decision)
  if (decision?.allowed === false) {
    throw new TaskboardError('RATE_LIMITED', 'too many requests; wait as long as Retry-After says', {
      retryAfterMs: decision.retryAfterMs,
    })
  }
}

/** @throws TaskboardError `FORBIDDEN` unless the caller may use the operation. */
export function requirePermission(
  principal: Principal,
  { userOnly, scope }: Pick<ProtectedOperation, 'userOnly' | 'scope'>,
): void {
  if (userOnly === true && principal.kind !== 'user') {
    throw new TaskboardError('FORBIDDEN', 'an API key cannot do this; use an access token')
  }
  if (scope !== 'any') requireScope(principal, scope)
}
