import type { z } from 'zod'
import type { SecretBox } from '../access/index.js'
import type { Environment, OnRecord } from '../environment/index.js'
import { parseInput, TaskboardError } from '../errors/index.js'
import { type IdempotencyClaim, sealedClaim } from '../idempotency/index.js'
import type { EndpointGuard } from './endpoint-guard.js'
import { secretContext } from './signing-keys.js'
import { isSameSecret, newWebhookSecret } from './signature.js'
import { createdWebhookInput, newWebhookInput } from './webhook-input.js'
import type { WebhookSettings } from './webhook-options.js'
import type { NewStoredWebhook, StoredWebhook, WebhookStore } from './webhook-store.js'
import { toWebhook, type Webhook } from './webhook.js'

/** A webhook that a user made. */
interface CreatedWebhook {
  readonly webhook: Webhook
  /** The generated secret, which is shown only here; else null. */
  readonly secret: string | null
}

type RegistrationOptions<Tx> = OnRecord<Tx> & { readonly idempotency?: IdempotencyClaim | undefined }

/** The verbs that add webhooks. */
export interface Registrations<Tx> {
  /** For the Board API (v1) and the host's code: see `Webhooks`. */
  register(
    workspaceId: string,
    input: z.input<typeof newWebhookInput>,
    options?: RegistrationOptions<Tx>,
  ): Promise<Webhook>
  /**
   * For users: a webhook of the workspace with the same URL and event types is returned instead of a second one.
   * @throws TaskboardError `INVALID_FIELD` (`secret`) for a secret that is too short, or (`generateSecret`) for one that is given and to be
   * generated. `CONFLICT` with the id of the existing webhook when the given or generated secret differs from its secret.
   */
  create(
    workspaceId: string,
    input: z.input<typeof createdWebhookInput>,
    options?: RegistrationOptions<Tx>,
  ): Promise<CreatedWebhook>
}

interface SecretRules {
  /** @throws TaskboardError `INVALID_FIELD` (`secret`) for one that is too short for users. */
  requireLong(secret: string | null | undefined): void
  /** A secret as the storage keeps it, and whether it is too short. */
  toStored(workspaceId: string, secret: string): { readonly sealed: string; readonly weakSecret: boolean }
  /** Whether `secret` is the current one of a webhook. */
  isOf(webhook: StoredWebhook, secret: string): boolean
  /** A claim as the storage keeps it: its fingerprint may come from a request with a secret. */
  toKept(claim: IdempotencyClaim | undefined): IdempotencyClaim | null
}

/** What may be a secret, and how it is kept. */
export function createSecretRules(
  secrets: Pick<SecretBox, 'seal' | 'open' | 'digest'>,
  { shortestSecret }: Pick<WebhookSettings, 'shortestSecret'>,
): SecretRules {
  const isWeak = (secret: string): boolean => secret.length < shortestSecret
  return {
    requireLong(secret) {
      if (secret == null || !isWeak(secret)) return
      const rule = `secret must have at least ${shortestSecret} characters`
      throw new TaskboardError('INVALID_FIELD', rule, { field: 'secret' })
    },
    toStored: (workspaceId, secret) => ({
      sealed: secrets.seal(secret, secretContext(workspaceId)),
      weakSecret: isWeak(secret),
    }),
    isOf: ({ workspaceId, secrets: [current] }, secret) =>
      current !== undefined && isSameSecret(secrets.open(current.sealed, secretContext(workspaceId)), secret),
    toKept: (claim) => sealedClaim(secrets, claim),
  }
}

interface RegistrationDeps<Tx> {
  readonly environment: Environment
  readonly store: Pick<WebhookStore<Tx>, 'insertWebhook'>
  readonly guard: EndpointGuard
  readonly secretRules: SecretRules
}

export function createRegistrations<Tx>({
  environment,
  store,
  guard,
  secretRules,
}: RegistrationDeps<Tx>): Registrations<Tx> {
  function toStore(
    workspaceId: string,
    { url, events, secret }: z.output<typeof newWebhookInput>,
  ): NewStoredWebhook {
    requireUrl(guard, url)
    if (secret == null) return { workspaceId, url, events, secrets: [], weakSecret: false }
    const { sealed, weakSecret } = secretRules.toStored(workspaceId, secret)
    return { workspaceId, url, events, secrets: [{ sealed, expiresAt: null }], weakSecret }
  }

  return {
    async register(workspaceId, input, options) {
      const webhook = toStore(workspaceId, parseInput(newWebhookInput, input))
      const insertion = { webhook, idempotency: secretRules.toKept(options?.idempotency) }
      const { value } = await store.insertWebhook(insertion, environment.call(options))
      return toWebhook(value)
    },
    async create(workspaceId, input, options) {
      const { generateSecret = false, ...given } = parseInput(createdWebhookInput, input)
      if (generateSecret === true && given.secret != null) throw secretTwice()
      secretRules.requireLong(given.secret)
      const generated = generateSecret === true ? newWebhookSecret(environment.random) : null
      const secret = generated ?? given.secret ?? null
      const webhook = toStore(workspaceId, { ...given, secret })
      const insertion = { webhook, idempotency: secretRules.toKept(options?.idempotency), unlessThere: true }
      const { value, replayed } = await store.insertWebhook(insertion, environment.call(options))
      if (replayed && secret !== null && !secretRules.isOf(value, secret)) throw otherSecret(value)
      return { webhook: toWebhook(value), secret: generated }
    },
  }
}

/** @throws TaskboardError `INVALID_FIELD` (`url`) for an address that deliveries may not go to. */
export function requireUrl(guard: EndpointGuard, url: string): void {
  const reason = guard.refuseUrl(url)
  if (reason !== null) throw new TaskboardError('INVALID_FIELD', `url ${reason}`, { field: 'url' })
}

function secretTwice(): TaskboardError {
  const rule = 'generateSecret must not be true when a secret is given'
  return new TaskboardError('INVALID_FIELD', rule, { field: 'generateSecret' })
}

function otherSecret({ id }: StoredWebhook): TaskboardError {
  const message = `${id} has this URL and these events already, with another secret; rotate that secret, or delete the webhook`
  return new TaskboardError('CONFLICT', message, { resourceId: id })
}
