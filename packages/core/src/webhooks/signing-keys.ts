import type { SecretBox } from '../access/index.js'
import { createSigningKey, type SigningKey } from './signature.js'
import { standardWebhookKey } from './standard-webhooks.js'
import type { DeliveryTarget } from './webhook-store.js'

/** Both forms of one secret. */
export interface SigningKeys {
  readonly payload: SigningKey
  readonly standard: SigningKey
}

/** Gives the keys of a webhook's secrets, in their order. */
export type OpenSigningKeys = (
  target: Pick<DeliveryTarget, 'workspaceId' | 'secrets'>,
) => readonly SigningKeys[]

const MOST_CACHED = 4_096

/** What a webhook's secret is sealed for: a sealed one that is moved to another workspace does not open. */
export function secretContext(workspaceId: string): string {
  return `webhook:${workspaceId}`
}

/** Opens stored secrets, and remembers the keys of the last few thousand; a rotated secret is another text and so another entry. */
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
