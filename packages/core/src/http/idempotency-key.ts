import type { Principal } from '../access/index.js'
import { TaskboardError } from '../errors/index.js'
import { requestFingerprint, type IdempotencyClaim } from '../idempotency/index.js'
import type { HttpRequest } from './http.js'

const VISIBLE_ASCII = /^[\x21-\x7e]{1,255}$/

/**
 * The claim of a request's `Idempotency-Key`, or undefined without one. Its scope is the caller, the caller's current workspace
 * (a user can change it between requests) and `operation`. `input` is the input of the create.
 * @throws TaskboardError `INVALID_FIELD` for a key that isn't 1 to 255 visible ASCII characters, or input nested too deep
 *   for any create.
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
