import { createSecretBox } from '../src/access/index.js'
import { createEnvironment, systemRandom, type Clock } from '../src/environment/index.js'
import { TaskboardError } from '../src/errors/index.js'
import { createEndpointGuard } from '../src/webhooks/endpoint-guard.js'
import { createSigningKeyCache, rotateSecrets } from '../src/webhooks/signing-keys.js'
import { signPayload } from '../src/webhooks/signature.js'
import type { Delivery, StoredWebhook, WebhookStore } from '../src/webhooks/webhook-store.js'
import { createWebhooks, type TransportWebhooks } from '../src/webhooks/webhooks.js'

export const NOW = Date.UTC(2026, 0, 1)
export const HOUR = 3_600_000
export const URL = 'https://example.com/hooks'

type Calls = [verb: string, ...args: unknown[]][]

/** One workspace's webhooks and deliveries in arrays, with a record of every call. */
function createTestStore() {
  const webhooks: StoredWebhook[] = []
  const deliveries: Delivery[] = []
  const calls: Calls = []
  const find = (workspaceId: string, webhookId: string): StoredWebhook => {
    const found = webhooks.find((each) => each.id === webhookId && each.workspaceId === workspaceId)
    if (!found) throw new TaskboardError('NOT_FOUND', 'no such webhook')
    return found
  }
  const verbs: Partial<WebhookStore> = {
    async insertWebhook({ webhook, unlessThere }) {
      const there = unlessThere === true ? webhooks.find(({ url }) => url === webhook.url) : undefined
      if (there !== undefined) return { value: there, replayed: true }
      const fields = {
        enabled: true,
        disabledReason: null,
        failingSince: null,
        createdAt: NOW,
        updatedAt: NOW,
      }
      const value: StoredWebhook = { ...webhook, ...fields, id: `wh_${webhooks.length + 1}` }
      webhooks.push(value)
      return { value, replayed: false }
    },
    listWebhooks: async (query) =>
      webhooks.filter(
        ({ id, workspaceId }) =>
          workspaceId === query.within && (!('webhookId' in query) || id === query.webhookId),
      ),
    async updateWebhook({ workspaceId, webhookId, change }) {
      const before = find(workspaceId, webhookId)
      if ('rotation' in change) {
        const { sealed, weakSecret, overlapMs } = change.rotation
        const secrets = rotateSecrets(before.secrets, sealed, NOW, overlapMs)
        const rotated = { ...before, secrets, weakSecret }
        webhooks[webhooks.indexOf(before)] = rotated
        return rotated
      }
      const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))
      const after: StoredWebhook = {
        ...before,
        ...given,
        disabledReason: change.enabled === false ? 'host' : null,
      }
      webhooks[webhooks.indexOf(before)] = after
      return after
    },
    deleteWebhook: async () => true,
    async insertTestDelivery({ workspaceId, webhookId, event }) {
      const logged = {
        ...event,
        id: 'log_1',
        workspaceId,
        seq: 0,
        at: NOW,
        payloadVersion: 1,
      } as Delivery['event']
      return delivery('evt_1', logged, webhookId)
    },
    async listDeliveries({ limit, afterId }) {
      const start = afterId === null ? 0 : deliveries.findIndex(({ id }) => id === afterId) + 1
      return deliveries.slice(start, start + limit)
    },
    resendDeliveries: async () => 3,
  }
  const store = new Proxy(verbs as WebhookStore, {
    get:
      (target, verb: keyof WebhookStore) =>
      (...args: unknown[]) => {
        calls.push([verb, ...args])
        return (target[verb] as (...args: unknown[]) => unknown)(...args)
      },
  })
  return { store, webhooks, deliveries, calls }
}

export function delivery(id: string, event: Delivery['event'], webhookId = 'wh_1'): Delivery {
  const state = {
    status: 'pending',
    attemptCount: 0,
    attempts: [],
    nextAttemptAt: NOW,
    createdAt: NOW,
  } as const
  return { id, webhookId, workspaceId: 'ws_1', event, ...state }
}

/** The webhooks of a store of arrays, on a clock that stands still. */
export function setUpWebhooks(): {
  webhooks: TransportWebhooks
  storage: ReturnType<typeof createTestStore>
  readonly changed: readonly string[]
  readonly signaturesAt: (now: number) => string[]
} {
  const clock: Clock = { now: () => NOW, setTimer: () => ({ cancel: () => undefined }) }
  const box = createSecretBox({ encryptionKey: systemRandom.bytes(32) }, systemRandom)
  const storage = createTestStore()
  const changed: string[] = []
  const webhooks = createWebhooks({
    environment: createEnvironment({ clock }),
    store: storage.store,
    secrets: box,
    guard: createEndpointGuard(),
    settings: { rotationOverlapMs: 24 * HOUR, shortestSecret: 16 },
    onChanged: (webhookId) => changed.push(webhookId),
  })
  const openKeys = createSigningKeyCache(box)
  const signaturesAt = (now: number): string[] => {
    const [webhook] = storage.webhooks
    const { workspaceId = '', secrets = [] } = webhook ?? {}
    const valid = secrets.filter(({ expiresAt }) => expiresAt === null || expiresAt > now)
    const keys = openKeys({ workspaceId, secrets: valid.map(({ sealed }) => sealed) })
    return keys.map(({ payload }) => signPayload(payload, 'body'))
  }
  return { webhooks, storage, changed, signaturesAt }
}
