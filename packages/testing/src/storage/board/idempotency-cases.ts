import type { IdempotencyClaim } from '@taskboard/core'
import assert from 'node:assert/strict'
import { AsyncResource } from 'node:async_hooks'
import { assertRefused, type StorageCheck } from '../storage-case.js'
import { newTask } from '../new-task.js'
import { DAY, HOUR, MINUTE, PERSON, START, type StorageFixture } from '../storage-fixture.js'

const claimOf = (fingerprint: string, key = 'k', scope = 's'): IdempotencyClaim => ({
  scope,
  key,
  fingerprint,
})

function insert(
  { storage, workspaceId, at }: StorageFixture,
  claim: IdempotencyClaim,
  afterMs = 0,
  tx?: unknown,
) {
  return storage.tasks.insertTask(
    { task: newTask({ workspaceId }), actor: PERSON, idempotency: claim },
    at(afterMs, tx),
  )
}

/** Keys that make creates repeatable. */
export const idempotencyCases: readonly StorageCheck[] = [
  {
    id: 'idempotency.replay',
    name: 'a repeated key returns the first task as it was, and creates nothing',
    async check(fixture) {
      const first = await insert(fixture, claimOf('f'))
      await fixture.claim()
      const again = await insert(fixture, claimOf('f'), HOUR)
      assert.deepEqual([first.replayed, again.replayed], [false, true])
      assert.deepEqual(again.value, first.value)
      assert.deepEqual(await fixture.eventTypes(), ['task.created', 'task.started'])
    },
  },
  {
    id: 'idempotency.conflict',
    name: 'the same key with another fingerprint is CONFLICT, and names what it made',
    async check(fixture) {
      const { value } = await insert(fixture, claimOf('f'))
      await assert.rejects(insert(fixture, claimOf('g')), { code: 'CONFLICT', resourceId: value.id })
      assert.deepEqual(await fixture.eventTypes(), ['task.created'])
    },
  },
  {
    id: 'idempotency.scopes',
    name: 'keys of different scopes, and different keys, are independent',
    async check(fixture) {
      const claims = [claimOf('f'), claimOf('f', 'k', 'other'), claimOf('f', 'other')]
      const made = await Promise.all(claims.map((claim) => insert(fixture, claim)))
      assert.ok(made.every(({ replayed }) => !replayed))
      assert.equal(new Set(made.map(({ value }) => value.id)).size, 3)
    },
  },
  {
    id: 'idempotency.twins',
    name: 'twins at once create one task',
    async check(fixture) {
      const made = await Promise.all(Array.from({ length: 8 }, () => insert(fixture, claimOf('f'))))
      assert.equal(new Set(made.map(({ value }) => value.id)).size, 1)
      assert.equal(made.filter(({ replayed }) => !replayed).length, 1)
      assert.deepEqual(await fixture.eventTypes(), ['task.created'])
    },
  },
  {
    id: 'idempotency.twin-waits',
    name: 'a twin waits for an open transaction, and makes the task itself when that one rolls back',
    async check(fixture) {
      for (const outcome of ['commit', 'rollback'] as const) {
        const key = claimOf('f', outcome)
        let twin: ReturnType<typeof insert> | undefined
        let isTwinDone = false
        const insertOutside = AsyncResource.bind(() => insert(fixture, key))
        const work = fixture.storage.transaction(async (tx) => {
          const { value } = await insert(fixture, key, 0, tx)
          twin = insertOutside()
          void twin.finally(() => (isTwinDone = true)).catch(() => undefined)
          await new Promise((resolve) => setTimeout(resolve, 0))
          assert.equal(isTwinDone, false)
          if (outcome === 'rollback') throw new Error('no')
          return value
        })
        const made = await work.catch(() => null)
        const second = await twin
        assert.equal(second?.replayed, outcome === 'commit')
        if (made !== null) assert.equal(second?.value.id, made.id)
      }
    },
  },
  {
    id: 'idempotency.failure',
    name: 'a create that failed leaves its key unused',
    async check(fixture) {
      const { storage, workspaceId, at } = fixture
      const bad = newTask({ workspaceId, dependsOn: ['task_unknown'] })
      await assertRefused(
        storage.tasks.insertTask({ task: bad, actor: PERSON, idempotency: claimOf('f') }, at()),
        'INVALID_FIELD',
      )
      assert.equal((await insert(fixture, claimOf('g'))).replayed, false)
    },
  },
  {
    id: 'idempotency.day',
    name: 'a key is remembered for 24 hours',
    async check(fixture) {
      const { value } = await insert(fixture, claimOf('f'))
      assert.equal((await insert(fixture, claimOf('f'), DAY - 1)).value.id, value.id)
      const later = await insert(fixture, claimOf('f'), DAY)
      assert.equal(later.replayed, false)
      assert.notEqual(later.value.id, value.id)
    },
  },
  {
    id: 'idempotency.prune',
    name: 'pruning drops records from before an instant, at most the limit',
    async check(fixture) {
      for (const [index, key] of ['a', 'b', 'c'].entries()) await insert(fixture, claimOf('f', key), index)
      const { storage } = fixture
      assert.equal(
        await storage.prune(
          { rows: 'idempotency', olderThanMs: MINUTE, limit: 1 },
          { now: START + MINUTE + 2 },
        ),
        1,
      )
      assert.equal(
        await storage.prune(
          { rows: 'idempotency', olderThanMs: MINUTE, limit: 10 },
          { now: START + MINUTE + 2 },
        ),
        1,
      )
      assert.equal(
        await storage.prune(
          { rows: 'idempotency', olderThanMs: MINUTE, limit: 10 },
          { now: START + MINUTE + 2 },
        ),
        0,
      )
      assert.equal((await insert(fixture, claimOf('f', 'c'), 3)).replayed, true)
      assert.equal((await insert(fixture, claimOf('f', 'a'), 3)).replayed, false)
    },
  },
  {
    id: 'idempotency.answer',
    name: 'the first answer under a key is kept, with its order, until the key is used again',
    async check(fixture) {
      const { storage, at } = fixture
      const keep = (answer: object, claim = claimOf('f')) =>
        storage.saveIdempotentResponse({ claim, answer }, at())
      assert.deepEqual(await keep({ none: 1 }), { none: 1 })
      await insert(fixture, claimOf('f'))
      const first = { zebra: [1], a: null, b: { c: 'é' } }
      const kept = await Promise.all([keep(first), keep({ second: 2 })])
      assert.deepEqual(kept[0], kept[1])
      assert.equal(JSON.stringify(await keep({ third: 3 })), JSON.stringify(kept[0]))
      assert.deepEqual(await keep({ other: 1 }, claimOf('f', 'other')), { other: 1 })
      await insert(fixture, claimOf('f'), DAY)
      assert.deepEqual(await keep({ again: 1 }), { again: 1 })
    },
  },
  {
    id: 'idempotency.webhooks',
    name: 'keys work for webhooks too',
    async check({ storage, workspaceId, at }) {
      const input = { workspaceId, url: 'https://example.com/', events: [], secrets: [], weakSecret: false }
      const register = (claim: IdempotencyClaim) =>
        storage.webhooks.insertWebhook({ webhook: input, idempotency: claim }, at())
      const first = await register(claimOf('f'))
      const again = await register(claimOf('f'))
      assert.deepEqual(again, { value: first.value, replayed: true })
      await assertRefused(register(claimOf('g')), 'CONFLICT')
    },
  },
]
