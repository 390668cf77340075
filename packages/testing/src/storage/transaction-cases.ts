import assert from 'node:assert/strict'
import type { Column } from '@taskboard/core'
import { agentFields, anyTask, type FeedPosition } from '@taskboard/core/storage'
import { AsyncResource } from 'node:async_hooks'
import { countTasks } from './board/count-tasks.js'
import { assertRefused, type StorageCheck } from './storage-case.js'
import { newTask } from './new-task.js'
import {
  changeTask,
  HOUR,
  LEASE_MS,
  MINUTE,
  PERSON,
  proofOf,
  readAgent,
  readTask,
  readWebhook,
  type StorageFixture,
} from './storage-fixture.js'

/** Everything that a rolled back transaction might have changed. */
async function observe(fixture: StorageFixture, webhookId: string, feedStart: FeedPosition) {
  const { storage, workspaceId, at, events } = fixture
  const list = (column: Column) =>
    storage.tasks.listTasks({ workspaceId, column, limit: 100, after: null }, at(HOUR))
  const query = { workspaceId, webhookId, status: null, limit: 100, afterId: null }
  return {
    columns: [await list('TODO'), await list('DOING'), await list('DONE')],
    events: await events(),
    deliveries: await storage.webhooks.listDeliveries(query, at()),
    webhooks: await storage.webhooks.listWebhooks({ within: workspaceId }, at()),
    agents: await storage.agents.listAgents({ reach: null, workspaceId }, at()),
    feed: (await storage.events.readFeed({ position: feedStart, limit: 100 }, at())).events,
  }
}

/** Transactions of the host. */
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
    name: 'a transaction sees its own writes, and can build on them',
    async check({ storage, add, get, claim, at }) {
      await storage.transaction(async (tx) => {
        const task = await add({}, at(0, tx))
        assert.deepEqual(await get(task, tx), task)
        const claimed = await claim(at(0, tx))
        assert.equal(claimed?.id, task.id)
        await storage.tasks.completeTask({ proof: proofOf(claimed), result: 'r', next: null }, at(0, tx))
      })
      const rest = await claim()
      assert.equal(rest, null)
    },
  },
  {
    id: 'transactions.reads',
    name: 'every reading with the transaction shows what was written in it',
    async check(fixture) {
      const { storage, workspaceId, accountId, agent, add, addWebhook, at } = fixture
      const reach = { accountId, workspaceIds: 'all' } as const
      await storage.transaction(async (tx) => {
        const inside = at(0, tx)
        const webhook = await addWebhook(['task.started'], inside)
        const { id } = await add({ title: 'written inside' }, inside)
        const list = async (column: Column) => {
          const page = await storage.tasks.listTasks({ workspaceId, column, limit: 9, after: null }, inside)
          return page.tasks.map((task) => task.id)
        }
        assert.deepEqual([await list('TODO'), await list('DOING')], [[id], []])
        const claimed = await fixture.claim(inside)
        assert.ok(claimed)
        const proof = proofOf(claimed)
        await storage.tasks.appendToTask(
          { proof, log: { level: 'info', message: 'a line' }, leaseMs: LEASE_MS },
          inside,
        )
        const output = { type: 'link', name: 'draft', url: 'https://example.com/', size: null } as const
        await storage.tasks.appendToTask({ proof, output, leaseMs: LEASE_MS }, inside)
        assert.deepEqual([await list('TODO'), await list('DOING')], [[], [id]])
        const logs = (await readTask(storage.tasks, { workspaceId, id }, ['logs'], inside)).logs
        assert.deepEqual(
          logs.map(({ message }) => message),
          ['a line'],
        )
        assert.deepEqual((await readTask(storage.tasks, { workspaceId, id }, ['outputs'], inside)).outputs, [
          output,
        ])
        await storage.tasks.completeTask({ proof, result: 'r', next: null }, inside)
        assert.deepEqual([await list('DOING'), await list('DONE')], [[], [id]])
        assert.equal(
          (
            await storage.tasks.getTask(
              { within: reach, taskId: id, parts: ['task', 'agent', 'logs', 'outputs'], logLines: 9 },
              inside,
            )
          ).task.result,
          'r',
        )
        const search = {
          ...anyTask,
          agentId: null,
          workspaceId: null,
          sort: 'created',
          limit: 9,
          after: null,
        } as const
        assert.equal((await storage.tasks.searchTasks({ reach, ...search }, inside)).found.length, 1)
        assert.deepEqual(await countTasks(storage, workspaceId, inside), { TODO: 0, DOING: 0, DONE: 1 })
        const query = { workspaceId, webhookId: webhook.id, status: null, limit: 9, afterId: null }
        assert.equal((await storage.webhooks.listDeliveries(query, inside)).length, 1)
        assert.deepEqual(
          (await storage.webhooks.listWebhooks({ within: workspaceId }, inside)).map((each) => each.id),
          [webhook.id],
        )
        assert.equal(
          (await readWebhook(storage.webhooks, { within: reach, webhookId: webhook.id }, inside)).id,
          webhook.id,
        )
        const { value: second } = await storage.agents.insertAgent(
          { agent: { ...agentFields.empty, workspaceId, name: 'second', type: 'other' }, idempotency: null },
          inside,
        )
        assert.equal((await readAgent(storage.agents, { reach, agentId: second.id }, inside)).id, second.id)
        const page = { workspaceId, limit: 9, afterId: null }
        assert.deepEqual(
          (await storage.agents.listAgents({ reach, ...page, parts: ['work'] }, inside)).map(
            (each) => each.id,
          ),
          [agent.id, second.id],
        )
        await storage.notifications.setTarget({ workspaceId, channel: 'mail', settings: {} }, inside)
        assert.equal((await storage.notifications.listTargets({ workspaceId }, inside)).length, 1)
      })
    },
  },
  {
    id: 'transactions.waits-for-itself',
    name: 'a call without the transaction that would wait for its end is refused at once inside it, and waits outside',
    async check({ storage, add, get, at, readsWait, writesWait, eventTypes }) {
      const task = await add()
      const order: string[] = []
      const addOutside = AsyncResource.bind(() => add().finally(() => order.push('outside')))
      let outside: Promise<unknown> | undefined
      await storage.transaction(async (tx) => {
        await add({}, at(0, tx))
        if (writesWait) {
          outside = addOutside()
          await assertRefused(add(), 'MISSING_FIELD', 'tx')
          await assertRefused(add({ dependsOn: [task.id] }), 'MISSING_FIELD', 'tx')
          await assertRefused(
            storage.transaction(() => Promise.resolve()),
            'MISSING_FIELD',
            'tx',
          )
        }
        if (readsWait) await assertRefused(get(task), 'MISSING_FIELD', 'tx')
        else assert.deepEqual(await get(task), task)
        assert.deepEqual(await get(task, tx), task)
        await new Promise((resolve) => setTimeout(resolve, 0))
        order.push('inside')
      })
      await outside
      await add()
      assert.deepEqual(order, writesWait ? ['inside', 'outside'] : ['inside'])
      assert.equal((await eventTypes()).length, writesWait ? 4 : 3)
    },
  },
  {
    id: 'transactions.begun-inside',
    name: 'work that began inside a transaction and continues after it is no longer refused',
    async check({ storage, add, get, at }) {
      let end = (): void => undefined
      const over = new Promise<void>((resolve) => (end = resolve))
      let later: Promise<unknown> | undefined
      const task = await storage.transaction(async (tx) => {
        later = over.then(() => add())
        return add({}, at(0, tx))
      })
      end()
      await later
      assert.deepEqual(await get(task), task)
    },
  },
  {
    id: 'transactions.unseen',
    name: 'other callers do not see its tasks, events or deliveries before the commit',
    async check(fixture) {
      const { storage, add, addWebhook, at } = fixture
      const webhook = await addWebhook()
      const start = await storage.events.feedEnd({ after: null }, at())
      const before = await observe(fixture, webhook.id, start)
      let waiting: ReturnType<typeof observe> | undefined
      let hasAnswered = false
      const observeOutside = AsyncResource.bind(() => observe(fixture, webhook.id, start))
      await storage.transaction(async (tx) => {
        await add({}, at(0, tx))
        if (fixture.readsWait) {
          waiting = observeOutside().finally(() => (hasAnswered = true))
        } else {
          assert.deepEqual(await observe(fixture, webhook.id, start), before)
          assert.deepEqual(await storage.events.readFeed({ position: start, limit: 10 }, at()), {
            events: [],
            position: start,
          })
        }
        await add({}, at(0, tx))
        assert.equal(hasAnswered, false)
      })
      const after = await observe(fixture, webhook.id, start)
      assert.deepEqual([after.events.length, after.deliveries.length], [2, 2])
      if (fixture.readsWait) assert.deepEqual(await waiting, after)
    },
  },
  {
    id: 'transactions.rollback',
    name: 'a rolled back transaction leaves no trace, and its error is unchanged',
    async check(fixture) {
      const { storage, workspaceId, agent, add, addWebhook, claim, at } = fixture
      const webhook = await addWebhook()
      const [first, second] = [await add({ priority: 'urgent' }), await add()]
      const start = await storage.events.feedEnd({ after: null }, at())
      const before = await observe(fixture, webhook.id, start)
      const fault = new Error('the host changed its mind')
      const work = storage.transaction(async (tx) => {
        const inside = at(0, tx)
        await add({ dependsOn: [first.id] }, inside)
        const claimed = await claim(inside)
        assert.equal(claimed?.id, first.id)
        await storage.tasks.completeTask({ proof: proofOf(claimed), result: 'r', next: null }, inside)
        await changeTask(
          storage.tasks,
          { workspaceId, id: second.id },
          { kind: 'hold', reason: 'approval', message: null, actor: PERSON },
          inside,
        )
        await storage.webhooks.updateWebhook(
          { workspaceId, webhookId: webhook.id, change: { enabled: false } },
          inside,
        )
        await storage.agents.insertAgent(
          { agent: { ...agentFields.empty, workspaceId, name: 'n', type: 'other' }, idempotency: null },
          inside,
        )
        await storage.agents.reportPresence({ workspaceId, agentId: agent.id, status: 'busy' }, inside)
        throw fault
      })
      await assert.rejects(work, (error) => error === fault)
      assert.deepEqual(await observe(fixture, webhook.id, start), before)
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
            { proof: { workspaceId, taskId: added.id, fencingToken: 9 }, result: 'r', next: null },
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
          assertRefused(
            storage.tasks.insertTask({ task: foreign, actor: PERSON, idempotency: null }, inside),
            'INVALID_FIELD',
            'dependsOn',
          )
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
      assert.deepEqual(await expire(at(LEASE_MS)), { expired: 0, nextExpiryInMs: null })
      assert.equal((await claim(at(MINUTE)))?.lease?.fencingToken, 1)
    },
  },
]
