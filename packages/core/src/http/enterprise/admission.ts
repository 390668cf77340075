import { requireScope, type Principal } from '../../access/index.js'
import { TaskboardError } from '../../errors/index.js'
import type { TierDecision } from '../../limits/index.js'
import type { Surface } from '../../surface.js'
import type { HttpRequest } from '../http.js'
import { limitHeaders } from './limit-headers.js'
import type { ProtectedOperation } from './operation.js'

/** What is known of a request so far, for any kind of answer. */
export interface Admission {
  readonly requestId: string
  /** Headers of the caller's limits; none before the limits are checked. */
  limits: Readonly<Record<string, string>>
}

/**
 * The headers of every answer of the enterprise API, as a new object. Without a spread: V8 takes fifty times as long to spread
 * several objects into one as to copy them onto it (3 us).
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
export async function identify(surface: Surface, request: HttpRequest): Promise<Principal> {
  const principal = await surface.authenticate(request)
  if (principal === null) throw surface.refuseCredential(request)
  return principal
}

/** Records the headers of the caller's limits. @throws TaskboardError `RATE_LIMITED` when they refuse. */
export function applyLimits(decision: TierDecision | null, admission: Admission): void {
  admission.limits = limitHeaders(decision)
  if (decision?.allowed === false) {
    throw new TaskboardError('RATE_LIMITED', 'too many requests; retry after the Retry-After header', {
      retryAfterMs: decision.retryAfterMs,
    })
  }
}

/** @throws TaskboardError `FORBIDDEN` unless the caller can use the operation. */
export function requirePermission(
  principal: Principal,
  { userOnly, scope }: Pick<ProtectedOperation, 'userOnly' | 'scope'>,
): void {
  if (userOnly === true && principal.kind !== 'user') {
    throw new TaskboardError('FORBIDDEN', 'an API key cannot do this; use an access token')
  }
  if (scope !== 'any') requireScope(principal, scope)
}
