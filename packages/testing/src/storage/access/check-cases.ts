import assert from 'node:assert/strict'
import { newTask } from '../new-task.js'
import type { StorageCheck } from '../storage-case.js'
import { proofOf } from '../storage-fixture.js'

const TRACEPARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'

/** What a storage says of itself, and what it keeps for telemetry. */
export const checkCases: readonly StorageCheck[] = [
  {
    id: 'check.counts',
    name: 'a check says that the storage is current, and counts the tasks that wait and those that agents work, when asked',
    async check({ storage, workspaceId, add, addClaimed, at }) {
      assert.deepEqual(await storage.check({ withCounts: false }, at()), { isCurrent: true, counts: null })
      const count = async () => (await storage.check({ withCounts: true }, at())).counts
      assert.deepEqual(await count(), { waiting: 0, running: 0 })
      const done = await addClaimed({})
      await storage.tasks.completeTask({ proof: proofOf(done), result: '', next: null }, at())
      const before = await add({})
      await addClaimed({ priority: 'urgent' })
      await add({ dependsOn: [before.id] })
      const actor = { kind: 'host', id: null } as const
      const held = await add({})
      const hold = { kind: 'hold', reason: 'needs_input', message: null, actor } as const
      const moved = await add({})
      const change = (
        taskId: string,
        command: typeof hold | { kind: 'move'; to: 'DOING'; actor: typeof actor },
      ) => storage.tasks.changeTask({ target: { workspaceId, taskId }, command }, at())
      await change(held.id, hold)
      await change(moved.id, { kind: 'move', to: 'DOING', actor })
      assert.deepEqual(await count(), { waiting: 2, running: 1 })
    },
  },
  {
    id: 'check.key',
    name: 'one text is kept for all: the first one, or one that replaces what is kept',
    async check({ storage, at, another }) {
      const keep = (sealed: string, replaces: string | null, by = storage) =>
        by.keepKeyCheck({ sealed, replaces }, at())
      const first = await Promise.all(['a', 'b', 'c', 'd'].map((sealed) => keep(sealed, null)))
      const [kept = ''] = first
      assert.ok(['a', 'b', 'c', 'd'].includes(kept))
      assert.deepEqual(
        first,
        Array.from({ length: 4 }, () => kept),
      )
      assert.equal(await keep('e', null), kept)
      assert.equal(await keep('e', 'not kept'), kept)
      const next = await Promise.all(['f', 'g', 'h'].map((sealed) => keep(sealed, kept)))
      assert.equal(new Set(next).size, 1)
      assert.ok(['f', 'g', 'h'].includes(next[0] ?? ''))
      assert.equal(await keep('i', kept), next[0])
      const other = await another()
      if (other === null) return
      assert.equal(await keep('i', null, other.storage), next[0])
      assert.equal(await keep('i', next[0] ?? '', other.storage), 'i')
      assert.equal(await keep('j', null), 'i')
    },
  },
  {
    id: 'check.sealed',
    name: 'sealed texts of webhooks, channels and factors are listed in pages and replaced where they still are',
    async check(fixture) {
      const { storage, workspaceId, accountId, at } = fixture
      const { access, webhooks, channels, sessions } = storage
      const insert = async (sealed: readonly string[]) => {
        const secrets = sealed.map((text) => ({ sealed: text, expiresAt: null }))
        const webhook = {
          workspaceId,
          weakSecret: false,
          url: 'https://a.example/',
          events: ['task.created'] as const,
          secrets,
        }
        return (await webhooks.insertWebhook({ webhook, idempotency: null }, at())).value
      }
      await insert([])
      const [first, second] = [await insert(['w1', 'w2']), await insert(['w3'])]
      const config = { workspaceId, type: 't', name: 'n', config: {}, events: ['task.created'] as const }
      const inserted = { channel: { ...config, secrets: { url: 'c1', key: 'c2' } }, idempotency: null }
      const { value: channel } = await channels.insertChannel(inserted, at())
      const user = await access.insertUser(
        { accountId, email: 'ada@acme.example', passwordHash: 'x', scopes: null },
        at(),
      )
      const offer = { kind: 'offer', sealedSecret: 'f1' } as const
      await sessions.changeMfa({ userId: user.id, change: offer }, at())
      const texts = async (kind: 'webhook' | 'channel' | 'factor') => {
        const rows = await access.listSealed({ kind, afterId: null, limit: 10 }, at())
        return rows.map(({ id, ownerId, texts: sealed }) => [id, ownerId, Object.values(sealed).toSorted()])
      }
      assert.deepEqual(await texts('webhook'), [
        [first.id, workspaceId, ['w1', 'w2']],
        [second.id, workspaceId, ['w3']],
      ])
      const page = await access.listSealed({ kind: 'webhook', afterId: first.id, limit: 1 }, at())
      assert.deepEqual(
        page.map(({ id }) => id),
        [second.id],
      )
      assert.deepEqual(await texts('factor'), [[user.id, user.id, ['f1']]])
      const [ofChannel] = await access.listSealed({ kind: 'channel', afterId: null, limit: 1 }, at())
      assert.deepEqual(ofChannel?.texts, { url: 'c1', key: 'c2' })

      const replace = (
        kind: 'webhook' | 'channel' | 'factor',
        id: string,
        pairs: Readonly<Record<string, string>>,
      ) => {
        const replacements = Object.entries(pairs).map(([from, to]) => ({ id, from, to }))
        return access.replaceSealed({ kind, replacements }, at(60_000))
      }
      await replace('webhook', first.id, { w2: 'W2', gone: 'no' })
      await replace('webhook', second.id, { w1: 'no' })
      await replace('channel', channel.id, { c1: 'C1' })
      await replace('factor', user.id, { f1: 'F1' })
      assert.deepEqual(await texts('webhook'), [
        [first.id, workspaceId, ['W2', 'w1']],
        [second.id, workspaceId, ['w3']],
      ])
      assert.deepEqual(await texts('channel'), [[channel.id, workspaceId, ['C1', 'c2']]])
      assert.deepEqual(await texts('factor'), [[user.id, user.id, ['F1']]])
      const [kept] = await webhooks.listWebhooks({ within: workspaceId, webhookId: first.id }, at())
      assert.deepEqual(
        [kept?.secrets.map(({ sealed }) => sealed), kept?.updatedAt],
        [['w1', 'W2'], first.updatedAt],
      )
    },
  },
  {
    id: 'check.traceparent',
    name: 'a task keeps the trace in which it was added, through claims, edits and completion',
    async check({ storage: { tasks }, workspaceId, add, claim, at }) {
      const plain = await add({ title: 'plain' })
      assert.equal(plain.traceparent, null)
      const task = await add({ title: 'traced', priority: 'urgent', traceparent: TRACEPARENT })
      assert.equal(task.traceparent, TRACEPARENT)
      const actor = { kind: 'host', id: null } as const
      const listed = await tasks.insertTasks(
        {
          workspaceId,
          tasks: [{ ...newTask({ workspaceId, traceparent: TRACEPARENT }), follows: [] }],
          actor,
          idempotency: null,
          split: null,
        },
        at(),
      )
      assert.equal(listed.value[0]?.traceparent, TRACEPARENT)
      const edit = { kind: 'edit', change: { title: 'changed' }, actor } as const
      const target = { workspaceId, taskId: task.id }
      assert.equal((await tasks.changeTask({ target, command: edit }, at())).traceparent, TRACEPARENT)
      const claimed = await claim()
      assert.ok(claimed)
      assert.equal(claimed.id, task.id)
      assert.equal(claimed.traceparent, TRACEPARENT)
      const end = { proof: proofOf(claimed), result: '', next: null }
      assert.equal((await tasks.completeTask(end, at())).task.traceparent, TRACEPARENT)
      const read = { within: workspaceId, taskId: task.id, parts: ['task'] } as const
      assert.equal((await tasks.getTask(read, at())).task.traceparent, TRACEPARENT)
    },
  },
]
