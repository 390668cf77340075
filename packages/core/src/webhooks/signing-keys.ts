import type { SecretBox } from '../access/index.js'
import type { Instant } from '../environment/index.js'
import { createSigningKey, type SigningKey, standardWebhookKey } from './signature.js'
import type { DeliveryTarget, StoredSecret } from './webhook-store.js'

/**
 * The secrets after a rotation: the new one, and the newest old one that is still valid, for at most `overlapMs` from now.
 * With an overlap of 0, only the new one. Pure.
 * @example
 * ```ts
 * import { rotateSecrets } from '@taskboard/core/storage'
 *
 * const before = [{ sealed: 'old', expiresAt: null }]
 * console.log(rotateSecrets(before, 'new', 0, 60_000).map(({ expiresAt }) => expiresAt)) // [ null, 60000 ]
 * ```
 */
export function rotateSecrets(
  before: readonly StoredSecret[],
  sealed: string,
  now: Instant,
  overlapMs: number,
): readonly StoredSecret[] {
  const overlapEnd = now + overlapMs
  const [previous] = before
    .map((old) => ({ sealed: old.sealed, expiresAt: Math.min(old.expiresAt ?? overlapEnd, overlapEnd) }))
    .filter(({ expiresAt }) => expiresAt > now)
  return [{ sealed, expiresAt: null }, ...(previous ? [previous] : [])]
}

/** Both forms of one secret. */
export interface SigningKeys {
  readonly payload: SigningKey
  readonly standard: SigningKey
}

/** Returns the keys of a webhook's secrets, in order. */
export type OpenSigningKeys = (
  target: Pick<DeliveryTarget, 'workspaceId' | 'secrets'>,
) => readonly SigningKeys[]

const MOST_CACHED = 4_096

/** The context that a webhook's secret is sealed with: in another workspace it doesn't open. */
export function secretContext(workspaceId: string): string {
  return `webhook:${workspaceId}`
}

/** Opens stored secrets and caches the keys of the last few thousand. A rotated secret is another text, so another entry. */
export function createSigningKeyCache(secrets: Pick<SecretBox, 'open'>): OpenSigningKeys {
  const cached = new Map<string, { readonly keys: SigningKeys; readonly workspaceId: string }>()

  function open(sealed: string, workspaceId: string): SigningKeys {
    const found = cached.get(sealed)
    if (found?.workspaceId === workspaceId) return found.keys
    const secret = secrets.open(sealed, secretContext(workspaceId))
    const keys = { payload: createSigningKey(secret), standard: standardWebhookKey(secret) }
    const [oldest] = cached.keys()
    if (cached.size >= MOST_CACHED && oldest !== undefined) cached.delete(oldest)
    cached.set(sealed, { keys, workspaceId })
    return keys
  }

  return ({ workspaceId, secrets: sealed }) => sealed.map((each) => open(each, workspaceId))
}
