import type { Principal } from '../access/index.js'
import { TaskboardError } from '../errors/index.js'
import { requestFingerprint, type IdempotencyClaim } from '../idempotency/index.js'
import type { HttpRequest } from './http.js'

const VISIBLE_ASCII = /^[\x21-\x7e]{1,255}$/

/**
 * The claim that a request's `Idempotency-Key` makes, or undefined without one. Its scope is the caller, the workspace that
 * the caller works on (a user may change it from one request to the next) and `operation`; `input` is what the create is
 * made from.
 * @throws TaskboardError `INVALID_FIELD` for a key that is not 1 to 255 visible ASCII characters, or input nested so deep
 *   that no create takes it.
 */
export function idempotencyClaim(
  request: HttpRequest,
  principal: Pick<Principal, 'id' | 'defaultWorkspaceId'>,
  operation: string,
  input: unknown,
): IdempotencyClaim | undefined {
  const key = request.header('idempotency-key')
  if (key === undefined) return undefined
  if (!VISIBLE_ASCII.test(key)) {
    throw new TaskboardError('INVALID_FIELD', 'Idempotency-Key must be 1 to 255 visible ASCII characters', {
      field: 'Idempotency-Key',
    })
  }
  const scope = JSON.stringify([principal.id, principal.defaultWorkspaceId, operation])
  return { scope, key, fingerprint: requestFingerprint(input) }
}
