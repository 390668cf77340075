import { createTaskboard } from '@taskboard/core'
import { createEndpointGuard, systemClock, systemRandom } from '@taskboard/core/storage'
import {
  createDeliverer,
  createEnvironment,
  createUndiciSender,
  createWebhooks,
  ephemeralSecretBox,
  resolveWebhookSettings,
  systemResolver,
} from '@taskboard/kit/inside/core'
import { webhookReceiver, type WebhookReceiver } from '@taskboard/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createMigratedPglite } from '@taskboard/kit/postgres/migrated-pglite'
import { until } from '@taskboard/kit/processes/until'
import { createMigratedDatabase } from '@taskboard/kit/postgres/test-database'
import { pglitePool } from '../../src/pglite/pglite-pool.js'
import type { PgPool } from '../../src/connection/pool.js'
import { postgresStorage } from '../../src/postgres-storage.js'

const HOUR = 3_600_000
const RETRY_MS = 400

interface Database {
  readonly pool: PgPool
  close(): Promise<void>
}

const databases: Readonly<Record<string, () => Promise<Database>>> = {
  PostgreSQL: async () => {
    const database = await createMigratedDatabase()
    return { pool: database.pool, close: () => database.drop() }
  },
  PGlite: async () => {
    const pglite = await createMigratedPglite()
    return { pool: pglitePool(pglite), close: () => pglite.close() }
  },
}

/** The webhooks of a process whose clock is wrong, and its deliverer: all stored times must be the storage's. */
function createProcess(pool: PgPool, clockAheadMs: number) {
  const clock = { ...systemClock, now: () => systemClock.now() + clockAheadMs }
  const environment = { ...createEnvironment({ clock }), storageNow: () => null }
  const storage = postgresStorage({ pool, listen: false })
  const box = ephemeralSecretBox(systemRandom)
  const guard = createEndpointGuard({ allow: ['127.0.0.0/8'] })
  const settings = resolveWebhookSettings({ retryDelaysMs: [RETRY_MS, RETRY_MS], retryJitter: 0 })
  const deliverer = createDeliverer({
    environment,
    store: storage.webhooks,
    secrets: box,
    sender: createUndiciSender({ clock, guard, resolver: systemResolver }),
    settings,
    pollIntervalMs: 100,
  })
  const onChanged = (webhookId: string): void => deliverer.forget(webhookId)
  const webhooks = createWebhooks({
    environment,
    store: storage.webhooks,
    secrets: box,
    guard,
    settings,
    onChanged,
  })
  return { storage, deliverer, webhooks }
}

describe.each(Object.entries(databases))('beside %s', (_, open) => {
  let database: Database
  let receiver: WebhookReceiver
  beforeEach(async () => {
    database = await open()
    receiver = await webhookReceiver()
  })
  afterEach(async () => {
    await receiver.close()
    await database.close()
  })

  const present = async (): Promise<number> => {
    const { rows } = await database.pool.query({
      text: 'select taskboard.now_ms()::float8 as now',
      values: [],
    })
    return (rows as { now: number }[])[0]?.now ?? Number.NaN
  }

  it.each([
    ['ahead', HOUR],
    ['behind', -HOUR],
  ])(
    'a process an hour %s retries, and signs with an old secret, as one with the correct time does',
    async (__, skewMs) => {
      const { storage, deliverer, webhooks } = createProcess(database.pool, skewMs)
      const taskboard = createTaskboard({ storage, secrets: { encryptionKey: new Uint8Array(32) } })
      const { workspace } = await taskboard.accounts.create({ name: 'Acme', tier: 'professional' })
      receiver.respond(500)
      const input = { url: receiver.url, events: ['task.created' as const], secret: 'old' }
      const { id } = await webhooks.register(workspace.id, input)
      const startedAt = await present()
      await webhooks.rotateSecret(workspace.id, id, { secret: 'new', overlapMs: HOUR / 2 })
      await taskboard.board(workspace.id).add({ title: 'Sent three times' })
      deliverer.start()
      const [delivery] = await until(
        async () => (await webhooks.deliveries(workspace.id, id)).deliveries,
        (all) => all.every(({ status }) => status === 'failed'),
      )
      await deliverer.stop()
      await taskboard.close()
      const endedAt = await present()

      const attempts = delivery?.attempts ?? []
      expect(attempts).toHaveLength(3)
      for (const [index, { at, durationMs }] of attempts.entries()) {
        expect(at).toBeGreaterThanOrEqual(startedAt - 1)
        expect(at + durationMs).toBeLessThanOrEqual(endedAt)
        const before = attempts[index - 1]
        if (before !== undefined)
          expect(at).toBeGreaterThanOrEqual(before.at + before.durationMs + RETRY_MS - 1)
      }
      expect(receiver.deliveries.map((each) => 'x-service-signatures' in each.headers)).toEqual([
        true,
        true,
        true,
      ])
      const [stored] = await storage.webhooks.listWebhooks({ within: workspace.id }, { now: null })
      const [, old] = stored?.secrets ?? []
      expect(old?.expiresAt).toBeGreaterThanOrEqual(startedAt + HOUR / 2)
      expect(old?.expiresAt).toBeLessThanOrEqual(endedAt + HOUR / 2)
      expect(stored?.failingSince).toBe(attempts[0]?.at)
    },
  )
})
