import assert from 'node:assert/strict'
import type { FeedPosition, IdempotencyClaim } from '@taskboard/core'
import { assertRefused, type StorageCheck } from './storage-case.js'
import { DAY, HOUR, LEASE_MS, MINUTE, newTask, PERSON, proofOf, START, type World } from './world.js'

const claimOf = (fingerprint: string, key = 'k', scope = 's'): IdempotencyClaim => ({
  scope,
  key,
  fingerprint,
})

function insert({ storage, workspaceId, at }: World, claim: IdempotencyClaim, afterMs = 0, tx?: unknown) {
  return storage.tasks.insertTask(newTask({ workspaceId }), PERSON, claim, at(afterMs, tx))
}

/** All that a rolled back transaction might have touched. */
async function observe(world: World, webhookId: string, feedStart: FeedPosition) {
  const { storage, workspaceId, at, events } = world
  const list = (column: 'TODO' | 'DOING' | 'DONE') =>
    storage.tasks.listTasks({ workspaceId, column, limit: 100, after: null }, at(HOUR))
  const query = { workspaceId, webhookId, status: null, limit: 100, afterId: null }
  return {
    columns: [await list('TODO'), await list('DOING'), await list('DONE')],
    events: await events(),
    deliveries: await storage.webhooks.listDeliveries(query, at()),
    webhooks: await storage.webhooks.listWebhooks(workspaceId, at()),
    agents: await storage.agents.listAgents(workspaceId, at()),
    feed: (await storage.events.readFeed(feedStart, 100)).events,
  }
}

/** Transactions of the host, and keys that make creates repeatable. */
export const transactionCases: readonly StorageCheck[] = [
  {
    id: 'transactions.commit',
    name: 'what is written in a transaction is there after it, and its value is returned',
    async check({ storage, add, get, eventTypes, at }) {
      const [one, two] = await storage.transaction(async (tx) => [
        await add({}, at(0, tx)),
        await add({}, at(0, tx)),
      ])
      assert.ok(one && two)
      assert.deepEqual(await get(one), one)
      assert.deepEqual(await get(two), two)
      assert.deepEqual(await eventTypes(), ['task.created', 'task.created'])
    },
  },
  {
    id: 'transactions.own-writes',
    name: 'a transaction sees its own writes, and can go on from them',
    async check({ storage, add, get, claim, at }) {
      await storage.transaction(async (tx) => {
        const task = await add({}, at(0, tx))
        assert.deepEqual(await get(task, tx), task)
        const claimed = await claim(at(0, tx))
        assert.equal(claimed?.id, task.id)
        await storage.tasks.completeTask(proofOf(claimed), 'r', null, at(0, tx))
      })
      const rest = await claim()
      assert.equal(rest, null)
    },
  },
  {
    id: 'transactions.unseen',
    name: 'nobody else sees its tasks, events or deliveries before the commit',
    async check(world) {
      const { storage, add, addWebhook, at } = world
      const webhook = await addWebhook()
      const start = await storage.events.feedEnd()
      const before = await observe(world, webhook.id, start)
      let waiting: ReturnType<typeof observe> | undefined
      let hasAnswered = false
      await storage.transaction(async (tx) => {
        await add({}, at(0, tx))
        if (world.readsWait) {
          waiting = observe(world, webhook.id, start).finally(() => (hasAnswered = true))
        } else {
          assert.deepEqual(await observe(world, webhook.id, start), before)
          assert.deepEqual(await storage.events.readFeed(start, 10), { events: [], position: start })
        }
        await add({}, at(0, tx))
        assert.equal(hasAnswered, false)
      })
      const after = await observe(world, webhook.id, start)
      assert.deepEqual([after.events.length, after.deliveries.length], [2, 2])
      if (world.readsWait) assert.deepEqual(await waiting, after)
    },
  },
  {
    id: 'transactions.rollback',
    name: 'a rolled back transaction leaves no trace, and its error is unchanged',
    async check(world) {
      const { storage, workspaceId, agent, add, addWebhook, claim, at } = world
      const webhook = await addWebhook()
      const [first, second] = [await add({ priority: 'urgent' }), await add()]
      const start = await storage.events.feedEnd()
      const before = await observe(world, webhook.id, start)
      const fault = new Error('the host changed its mind')
      const work = storage.transaction(async (tx) => {
        const inside = at(0, tx)
        await add({ dependsOn: [first.id] }, inside)
        const claimed = await claim(inside)
        assert.equal(claimed?.id, first.id)
        await storage.tasks.completeTask(proofOf(claimed), 'r', null, inside)
        await storage.tasks.holdTask(workspaceId, second.id, 'approval', null, PERSON, inside)
        await storage.webhooks.updateWebhook(workspaceId, webhook.id, { enabled: false }, inside)
        await storage.agents.insertAgent({ workspaceId, name: 'n', type: 'other' }, null, inside)
        await storage.agents.reportAgentStatus(workspaceId, agent.id, 'busy', inside)
        throw fault
      })
      await assert.rejects(work, (error) => error === fault)
      assert.deepEqual(await observe(world, webhook.id, start), before)
      assert.equal((await claim())?.id, first.id)
      assert.equal((await claim())?.id, second.id)
    },
  },
  {
    id: 'transactions.rollback-seq',
    name: 'places that a rolled back transaction took are given again: the log has no gap',
    async check({ storage, add, events, at }) {
      await add()
      await storage
        .transaction(async (tx) => {
          await add({}, at(0, tx))
          throw new Error('no')
        })
        .catch(() => undefined)
      await add()
      assert.deepEqual(
        (await events()).map(({ seq }) => seq),
        [1, 2],
      )
    },
  },
  {
    id: 'transactions.refused-verb',
    name: 'a verb that is refused inside leaves the transaction usable and writes nothing itself',
    async check({ storage, add, get, eventTypes, workspaceId, at }) {
      const task = await storage.transaction(async (tx) => {
        const added = await add({}, at(0, tx))
        await assertRefused(
          storage.tasks.completeTask(
            { workspaceId, taskId: added.id, fencingToken: 9 },
            'r',
            null,
            at(0, tx),
          ),
          'CONFLICT',
        )
        return added
      })
      assert.deepEqual(await get(task), task)
      assert.deepEqual(await eventTypes(), ['task.created'])
    },
  },
  {
    id: 'transactions.verbs-at-once',
    name: 'verbs at once within a transaction do not come between each other: one that is refused undoes nothing else',
    async check({ storage, workspaceId, add, events, at }) {
      const first = await add()
      const foreign = newTask({ workspaceId, dependsOn: ['task_unknown'] })
      await storage.transaction(async (tx) => {
        const inside = at(0, tx)
        const refused = () =>
          assertRefused(storage.tasks.insertTask(foreign, PERSON, null, inside), 'INVALID_FIELD', 'dependsOn')
        const adding = () => add({ dependsOn: [first.id] }, inside)
        await Promise.all([
          refused(),
          adding(),
          add({}, inside),
          refused(),
          add({}, inside),
          adding(),
          refused(),
        ])
      })
      const seqs = (await events()).map(({ seq }) => seq)
      assert.deepEqual(seqs, [1, 2, 3, 4, 5])
    },
  },
  {
    id: 'transactions.at-once',
    name: 'transactions and single writes at once keep each whole and the log in order',
    async check({ storage, add, events, at }) {
      const pair = () =>
        storage.transaction(async (tx) => {
          await add({ title: 'pair' }, at(0, tx))
          await Promise.resolve()
          await add({ title: 'pair' }, at(0, tx))
        })
      const failing = () => pair().then(() => add())
      const rolledBack = () =>
        storage
          .transaction(async (tx) => {
            await add({ title: 'never' }, at(0, tx))
            throw new Error('no')
          })
          .catch(() => undefined)
      await Promise.all([pair(), add(), rolledBack(), failing(), pair(), rolledBack(), add()])
      const all = await events()
      assert.deepEqual(
        all.map(({ seq }) => seq),
        Array.from({ length: 9 }, (_, index) => index + 1),
      )
      assert.ok(!JSON.stringify(all).includes('never'))
    },
  },
  {
    id: 'transactions.over',
    name: 'a verb with a transaction that is over fails and writes nothing',
    async check({ storage, add, eventTypes, at }) {
      let kept: unknown
      await storage.transaction(async (tx) => {
        kept = tx
      })
      await assert.rejects(add({}, at(0, kept)))
      assert.deepEqual(await eventTypes(), [])
    },
  },
  {
    id: 'idempotency.replay',
    name: 'a repeated key gives the first one’s task as it was, and makes nothing',
    async check(world) {
      const first = await insert(world, claimOf('f'))
      await world.claim()
      const again = await insert(world, claimOf('f'), HOUR)
      assert.deepEqual([first.replayed, again.replayed], [false, true])
      assert.deepEqual(again.value, first.value)
      assert.deepEqual(await world.eventTypes(), ['task.created', 'task.started'])
    },
  },
  {
    id: 'idempotency.conflict',
    name: 'the same key with another fingerprint is CONFLICT, and names what it made',
    async check(world) {
      const { value } = await insert(world, claimOf('f'))
      await assert.rejects(insert(world, claimOf('g')), { code: 'CONFLICT', resourceId: value.id })
      assert.deepEqual(await world.eventTypes(), ['task.created'])
    },
  },
  {
    id: 'idempotency.scopes',
    name: 'keys of different scopes, and different keys, are independent',
    async check(world) {
      const claims = [claimOf('f'), claimOf('f', 'k', 'other'), claimOf('f', 'other')]
      const made = await Promise.all(claims.map((claim) => insert(world, claim)))
      assert.ok(made.every(({ replayed }) => !replayed))
      assert.equal(new Set(made.map(({ value }) => value.id)).size, 3)
    },
  },
  {
    id: 'idempotency.twins',
    name: 'twins at once make one task',
    async check(world) {
      const made = await Promise.all(Array.from({ length: 8 }, () => insert(world, claimOf('f'))))
      assert.equal(new Set(made.map(({ value }) => value.id)).size, 1)
      assert.equal(made.filter(({ replayed }) => !replayed).length, 1)
      assert.deepEqual(await world.eventTypes(), ['task.created'])
    },
  },
  {
    id: 'idempotency.twin-waits',
    name: 'a twin waits for an open transaction, and makes the task itself when that one rolls back',
    async check(world) {
      for (const outcome of ['commit', 'rollback'] as const) {
        const key = claimOf('f', outcome)
        let twin: ReturnType<typeof insert> | undefined
        let isTwinDone = false
        const work = world.storage.transaction(async (tx) => {
          const { value } = await insert(world, key, 0, tx)
          twin = insert(world, key)
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
    async check(world) {
      const { storage, workspaceId, at } = world
      const bad = newTask({ workspaceId, dependsOn: ['task_unknown'] })
      await assertRefused(storage.tasks.insertTask(bad, PERSON, claimOf('f'), at()), 'INVALID_FIELD')
      assert.equal((await insert(world, claimOf('g'))).replayed, false)
    },
  },
  {
    id: 'idempotency.day',
    name: 'a key is remembered for 24 hours',
    async check(world) {
      const { value } = await insert(world, claimOf('f'))
      assert.equal((await insert(world, claimOf('f'), DAY - 1)).value.id, value.id)
      const later = await insert(world, claimOf('f'), DAY)
      assert.equal(later.replayed, false)
      assert.notEqual(later.value.id, value.id)
    },
  },
  {
    id: 'idempotency.prune',
    name: 'pruning drops records from before an instant, at most the limit',
    async check(world) {
      for (const [index, key] of ['a', 'b', 'c'].entries()) await insert(world, claimOf('f', key), index)
      const { storage } = world
      assert.equal(await storage.pruneIdempotency(START + 2, 1), 1)
      assert.equal(await storage.pruneIdempotency(START + 2, 10), 1)
      assert.equal(await storage.pruneIdempotency(START + 2, 10), 0)
      assert.equal((await insert(world, claimOf('f', 'c'), 3)).replayed, true)
      assert.equal((await insert(world, claimOf('f', 'a'), 3)).replayed, false)
    },
  },
  {
    id: 'idempotency.answer',
    name: 'the first answer under a key stands, in its order, until the key is used anew',
    async check(world) {
      const { storage, at } = world
      const keep = (answer: object, claim = claimOf('f')) => storage.keepAnswer(claim, answer, at())
      assert.deepEqual(await keep({ none: 1 }), { none: 1 })
      await insert(world, claimOf('f'))
      const first = { zebra: [1], a: null, b: { c: 'é' } }
      const kept = await Promise.all([keep(first), keep({ second: 2 })])
      assert.deepEqual(kept[0], kept[1])
      assert.equal(JSON.stringify(await keep({ third: 3 })), JSON.stringify(kept[0]))
      assert.deepEqual(await keep({ other: 1 }, claimOf('f', 'other')), { other: 1 })
      await insert(world, claimOf('f'), DAY)
      assert.deepEqual(await keep({ anew: 1 }), { anew: 1 })
    },
  },
  {
    id: 'idempotency.webhooks',
    name: 'keys work for webhooks too',
    async check({ storage, workspaceId, at }) {
      const input = { workspaceId, url: 'https://example.com/', events: [], secrets: [] }
      const register = (claim: IdempotencyClaim) => storage.webhooks.insertWebhook(input, claim, at())
      const first = await register(claimOf('f'))
      const again = await register(claimOf('f'))
      assert.deepEqual(again, { value: first.value, replayed: true })
      await assertRefused(register(claimOf('g')), 'CONFLICT')
    },
  },
  {
    id: 'transactions.lease-rollback',
    name: 'a claim that is rolled back gives its lease and fencing token back',
    async check({ storage, add, claim, expire, at }) {
      await add()
      await storage
        .transaction(async (tx) => {
          assert.ok(await claim(at(0, tx)))
          throw new Error('no')
        })
        .catch(() => undefined)
      assert.deepEqual(await expire(at(LEASE_MS)), { expired: 0, nextExpiryAt: null })
      assert.equal((await claim(at(MINUTE)))?.lease?.fencingToken, 1)
    },
  },
]
