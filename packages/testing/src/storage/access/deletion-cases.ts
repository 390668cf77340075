import assert from 'node:assert/strict'
import type { Scope, Storage, User } from '@taskboard/core'
import { claim } from '../webhooks/delivery-steps.js'
import { assertRefused, type StorageCheck } from '../storage-case.js'
import { newTask } from '../new-task.js'
import { addUser, newSession } from './session-cases.js'
import {
  AGENT_TYPE,
  changeClaimed,
  HOUR,
  LEASE_MS,
  MINUTE,
  PERSON,
  proofOf,
  readTask,
  SECOND,
  START,
  unknownId,
  type StorageFixture,
} from '../storage-fixture.js'

const HASH = 'a'.repeat(64)
const KEY_HASH = 'b'.repeat(64)

/** Deletes until nothing is left; resolves to how many rows each call deleted. */
async function deleteAll(storage: Storage, of: string | null, limit = 500): Promise<readonly number[]> {
  const batches: number[] = []
  for (;;) {
    const { deleted, isOver } = await storage.access.continueDeletion(
      { of, limit, keepAudit: false },
      { now: null },
    )
    if (isOver) return batches
    batches.push(deleted)
    // What it waits for are transactions of other cases.
    if (deleted === 0) await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

/** A user with a session, and two keys, one of them of the workspace alone. */
async function addCallers({ storage: { access, sessions }, accountId, workspaceId, at }: StorageFixture) {
  const email = 'ada@deletion.example'
  const user = await access.insertUser({ accountId, email, passwordHash: 'hash', scopes: null }, at())
  const session = await sessions.insertSession(newSession(user.id, HASH, HOUR), at())
  const key = {
    accountId,
    workspaceId: null,
    defaultWorkspaceId: workspaceId,
    name: 'key',
    scopes: ['tasks:read' as const],
    prefix: 'tb_abc',
    hash: KEY_HASH,
    createdBy: null,
    expiresAt: null,
  }
  const rest = { isOfUser: false, idempotency: null }
  await access.insertApiKey({ key, ...rest }, at())
  await access.insertApiKey({ key: { ...key, workspaceId, hash: HASH }, ...rest }, at())
  return { email, user, session, key }
}

/** Tasks in every state, with all that belongs to them, an event log, a webhook with deliveries and a notification target. */
async function fill(fixture: StorageFixture) {
  const { storage, workspaceId, accountId, add, addClaimed, addWebhook, finish, agent, at } = fixture
  const webhook = await addWebhook()
  await storage.notifications.setTarget({ workspaceId, channel: 'chat', settings: {} }, at())
  const channel = { workspaceId, type: 'chat', name: 'c', config: {}, secrets: {}, events: [] }
  await storage.channels.insertChannel({ channel, idempotency: null }, at())
  const worked = await addClaimed()
  const line = { level: 'info', message: 'line' } as const
  const output = { type: 'link', name: 'n', url: 'https://example.com', size: null } as const
  await storage.tasks.appendToTask({ proof: proofOf(worked), leaseMs: null, log: line }, at())
  await storage.tasks.appendToTask({ proof: proofOf(worked), leaseMs: null, output }, at())
  const retry = { kind: 'fail', reason: 'r', retry: false, backoff: () => 0 } as const
  await changeClaimed(storage.tasks, proofOf(worked), retry as never, at()).catch(() => undefined)
  const waiting = await add({ dependsOn: [worked.id], assignedTo: agent.id })
  await finish(await add())
  const idempotency = {
    scope: JSON.stringify(['ak_1', workspaceId, 'createTask']),
    key: 'k',
    fingerprint: 'f',
  }
  const task = newTask({ workspaceId })
  const { value } = await storage.tasks.insertTask({ task, actor: PERSON, idempotency }, at())
  await storage.quotas.takeTask({ accountId, limit: 10 }, at())
  await storage.limits.take({ key: `account:${accountId}`, perHour: 10, perMinute: 10 }, at())
  await storage.analytics.rollUp({ limit: 100 }, at())
  return { webhook, tasks: [worked, waiting, value] }
}

/** An account with a task that its agent may take. */
async function addNeighbour({ storage, at }: StorageFixture) {
  const agent = { name: 'theirs', type: 'neighbour' }
  const { account, workspace } = await storage.access.insertAccount(
    { name: 'neighbour', tier: 'custom', workspaceName: 'theirs', agent },
    at(),
  )
  const { value: task } = await storage.tasks.insertTask(
    { task: newTask({ workspaceId: workspace.id }), actor: PERSON, idempotency: null },
    at(),
  )
  return { account, workspace, task }
}

/** Changes and deletions of accounts, workspaces and users. */
export const deletionCases: readonly StorageCheck[] = [
  {
    id: 'access.update',
    name: 'an account changes its name and tier, a workspace its name; what is not given stays',
    async check(fixture) {
      const { storage, accountId, workspaceId, at } = fixture
      const { access } = storage
      await addCallers(fixture)
      const [before] = await access.listAccounts({ accountId }, at())
      const named = await access.update({ accountId, change: { name: 'n' } }, at())
      assert.deepEqual(named, { ...before, name: 'n' })
      const tiered = await access.update({ accountId, change: { tier: 'custom' } }, at())
      assert.deepEqual(tiered, { ...named, tier: 'custom' })
      assert.deepEqual(await access.listAccounts({ accountId }, at()), [tiered])
      const found = await access.findPrincipal({ keyHash: KEY_HASH }, at())
      assert.equal(found?.principal.tier, 'custom')
      const [workspace] = await access.listWorkspaces({ workspaceId }, at())
      const renamed = await access.update({ workspaceId, name: 'w' }, at())
      assert.deepEqual(renamed, { ...workspace, name: 'w' })
      assert.deepEqual(await access.listWorkspaces({ accountId }, at()), [renamed])
      const none = unknownId('acct')
      await assertRefused(access.update({ accountId: none, change: { name: 'n' } }, at()), 'NOT_FOUND')
      await assertRefused(access.update({ workspaceId: unknownId('ws'), name: 'n' }, at()), 'NOT_FOUND')
    },
  },
  {
    id: 'access.delete-user',
    name: 'a deleted user has no session and no login, and the address is free again; keys of others stay',
    async check(fixture) {
      const { storage, accountId, at } = fixture
      const { access, sessions } = storage
      const { user, session, email } = await addCallers(fixture)
      const deleted = await access.deleteUser(
        { userId: user.id, keepKeys: false, mayBeLast: true },
        at(SECOND),
      )
      assert.deepEqual(deleted, { accountId, sessions: [session.id], keys: [], invitations: [] })
      assert.equal(await access.findPrincipal({ sessionId: session.id }, at(SECOND)), null)
      assert.equal(await sessions.findSignIn({ email }, at(SECOND)), null)
      assert.deepEqual(await access.listUsers({ accountId }, at(SECOND)), [])
      assert.notEqual(await access.findPrincipal({ keyHash: KEY_HASH }, at(SECOND)), null)
      const again = { userId: user.id, keepKeys: false, mayBeLast: true }
      await assertRefused(access.deleteUser(again, at(SECOND)), 'NOT_FOUND')
      const next = { accountId, email, passwordHash: 'hash', scopes: null }
      assert.notEqual((await access.insertUser(next, at(SECOND))).id, user.id)
    },
  },
  {
    id: 'access.delete-user-keys',
    name: 'the keys that a deleted user made are revoked, unless they are to be kept',
    async check(fixture) {
      const { storage, accountId, at } = fixture
      const { access } = storage
      const { user, key } = await addCallers(fixture)
      const reach = { accountId, workspaceIds: 'all' } as const
      const make = async (digit: string, createdBy: string): Promise<string> => {
        const wanted = { ...key, hash: digit.repeat(64), createdBy }
        return (await access.insertApiKey({ key: wanted, isOfUser: true, idempotency: null }, at())).id
      }
      const own = [await make('c', user.id), await make('d', user.id)]
      const [ended = ''] = own.splice(1)
      await access.revokeApiKey({ reach, keyId: ended }, at(SECOND))
      const other = await addUser(fixture, 'eve@deletion.example')
      const others = await make('e', other.id)
      assert.deepEqual(
        (await access.deleteUser({ userId: user.id, keepKeys: false, mayBeLast: true }, at(MINUTE))).keys,
        own,
      )
      const revokedAt = async (keyId: string) =>
        (await access.listApiKeys({ reach, keyId }, at(MINUTE)))[0]?.revokedAt
      assert.equal(await revokedAt(own[0] ?? ''), START + MINUTE)
      assert.equal(await revokedAt(ended), START + SECOND)
      assert.equal(await access.findPrincipal({ keyHash: 'c'.repeat(64) }, at(MINUTE)), null)
      assert.deepEqual(
        (await access.deleteUser({ userId: other.id, keepKeys: true, mayBeLast: true }, at(MINUTE))).keys,
        [],
      )
      assert.equal(await revokedAt(others), null)
    },
  },
  {
    id: 'access.delete-last-user',
    name: 'the last user who may change the account stays, also of two who are deleted at once, unless it may go',
    async check({ storage: { access }, accountId, at }) {
      const add = (email: string, scopes: readonly Scope[] | null) =>
        access.insertUser({ accountId, email, passwordHash: 'hash', scopes }, at())
      const remove = ({ id: userId }: User, mayBeLast = false) =>
        access.deleteUser({ userId, keepKeys: false, mayBeLast }, at(SECOND))
      const ada = await add('ada@deletion.example', null)
      const eve = await add('eve@deletion.example', ['account:write'])
      const viewer = await add('viewer@deletion.example', ['tasks:read'])
      const both = await Promise.allSettled([remove(ada), remove(eve)])
      assert.equal(both.filter(({ status }) => status === 'fulfilled').length, 1)
      const [owner = ada, ...others] = await access.listUsers({ accountId }, at())
      assert.deepEqual(others, [viewer])
      await assertRefused(remove(owner), 'CONFLICT')
      assert.deepEqual(await access.listUsers({ accountId }, at()), [owner, viewer])
      await remove(viewer)
      await remove(owner, true)
      assert.deepEqual(await access.listUsers({ accountId }, at()), [])
    },
  },
  {
    id: 'deletion.at-once',
    name: 'from the begin of its deletion on, nobody finds an account, and nothing of it is claimed, created or sent',
    async check(fixture) {
      const { storage, accountId, workspaceId, agent, at } = fixture
      const { access, sessions, tasks } = storage
      const { session, email, key } = await addCallers(fixture)
      await fill(fixture)
      assert.equal((await claim(fixture, 0, { limit: 1 })).deliveries.length, 1)
      await access.beginDeletion({ accountId }, at(MINUTE))
      const when = at(MINUTE)
      assert.deepEqual((await claim(fixture, 2 * MINUTE)).deliveries, [])
      assert.deepEqual(await access.listAccounts({ accountId }, when), [])
      assert.deepEqual(await access.listAccounts({ limit: 10 }, when), [])
      assert.deepEqual(await access.listWorkspaces({ accountId }, when), [])
      assert.deepEqual(await access.listWorkspaces({ workspaceId }, when), [])
      assert.deepEqual(await access.listUsers({ accountId }, when), [])
      for (const keyHash of [HASH, KEY_HASH])
        assert.equal(await access.findPrincipal({ keyHash }, when), null)
      assert.equal(await access.findPrincipal({ sessionId: session.id }, when), null)
      assert.equal(await sessions.findSignIn({ email }, when), null)
      const byType = { agentType: AGENT_TYPE, leaseMs: LEASE_MS }
      assert.deepEqual((await tasks.claimTasks({ target: byType, limit: 10 }, when)).tasks, [])
      const byAgent = { workspaceId, agentId: agent.id, leaseMs: LEASE_MS }
      assert.deepEqual((await tasks.claimTasks({ target: byAgent, limit: 10 }, when)).tasks, [])
      const insertion = { task: newTask({ workspaceId }), actor: PERSON, idempotency: null }
      await assertRefused(tasks.insertTask(insertion, when), 'NOT_FOUND')
      await assertRefused(access.insertWorkspace({ accountId, name: 'w', agent: null }, when), 'NOT_FOUND')
      const user = { accountId, email: 'b@deletion.example', passwordHash: 'hash', scopes: null }
      await assertRefused(access.insertUser(user, when), 'NOT_FOUND')
      await assertRefused(
        access.insertApiKey(
          { key: { ...key, hash: 'c'.repeat(64) }, isOfUser: false, idempotency: null },
          when,
        ),
        'NOT_FOUND',
      )
      const request = { limit: 10, claimMs: MINUTE, eventsPerTarget: 10, channels: ['chat'] }
      await storage.access.continueDeletion({ of: accountId, limit: 1, keepAudit: false }, when)
      assert.deepEqual((await storage.notifications.claimNotifications(request, when)).batches, [])
      const ofUsers = { ...request, users: { types: ['chat'], failing: false } }
      assert.deepEqual((await storage.notifications.claimNotifications(ofUsers, when)).batches, [])
      await assertRefused(access.beginDeletion({ accountId }, when), 'NOT_FOUND')
      await assertRefused(access.beginDeletion({ workspaceId }, when), 'NOT_FOUND')
    },
  },
  {
    id: 'deletion.account',
    name: 'an account is deleted in batches until nothing is left, and others keep what they have',
    async check(fixture) {
      const { storage, accountId, workspaceId, add, at } = fixture
      const neighbour = await addNeighbour(fixture)
      const { email } = await addCallers(fixture)
      const { tasks, webhook } = await fill(fixture)
      for (let n = 0; n < 20; n++) await add()
      await storage.access.beginDeletion({ accountId }, at(MINUTE))
      const batches = await deleteAll(storage, accountId, 5)
      assert.ok(batches.length > 5, `in several batches: ${batches.join(' ')}`)
      assert.ok(Math.max(...batches) < 100, `each of them small: ${batches.join(' ')}`)
      for (const task of tasks) {
        await assertRefused(readTask(storage.tasks, task, ['task'], at(MINUTE)), 'TASK_NOT_FOUND')
      }
      assert.deepEqual(await storage.events.readEvents({ workspaceId, afterSeq: 0, limit: 10 }, at()), [])
      assert.deepEqual(
        await storage.webhooks.listWebhooks({ within: workspaceId, webhookId: webhook.id }, at()),
        [],
      )
      assert.deepEqual(await storage.notifications.listTargets({ workspaceId }, at(MINUTE)), [])
      const usage = await storage.quotas.usage({ accountId }, at(MINUTE))
      assert.deepEqual([usage.tasks, usage.agents, usage.apiKeys, usage.webhooks], [0, 0, 0, 0])
      assert.equal(usage.notificationChannels, 0)
      const page = { within: workspaceId, limit: 10, afterId: null }
      assert.deepEqual(await storage.channels.listChannels(page, at(MINUTE)), [])
      assert.deepEqual(await deleteAll(storage, null), [])
      const kept = await readTask(storage.tasks, neighbour.task, ['task'], at(MINUTE))
      assert.deepEqual(kept.task, neighbour.task)
      const own = { accountId: neighbour.account.id }
      assert.deepEqual(await storage.access.listAccounts(own, at(MINUTE)), [neighbour.account])
      const user = { ...own, email, passwordHash: 'hash', scopes: null }
      assert.equal((await storage.access.insertUser(user, at(MINUTE))).email, email)
    },
  },
  {
    id: 'deletion.feed',
    name: 'a reader of the events of all workspaces loses no event of others when a workspace is deleted',
    async check(fixture) {
      const { storage, accountId, add, at } = fixture
      const start = await storage.events.feedEnd({ after: null }, at())
      await add()
      const neighbour = await addNeighbour(fixture)
      await add()
      await storage.access.beginDeletion({ accountId }, at())
      await deleteAll(storage, accountId)
      const { events, position } = await storage.events.readFeed({ position: start, limit: 1 }, at())
      assert.deepEqual(
        events.map((event) => event.workspaceId),
        [neighbour.workspace.id],
      )
      await storage.events.appendEvent(
        {
          workspaceId: neighbour.workspace.id,
          event: { type: 'agent.alert', data: { message: 'm' } } as never,
        },
        at(),
      )
      const next = await storage.events.readFeed({ position, limit: 10 }, at())
      assert.deepEqual(
        next.events.map((event) => event.type),
        ['agent.alert'],
      )
    },
  },
  {
    id: 'deletion.workspace',
    name: 'a workspace is deleted with its keys; callers with it as their default get the oldest other one',
    async check(fixture) {
      const { storage, accountId, workspaceId, addWorkspace, at } = fixture
      const { access } = storage
      await assertRefused(access.beginDeletion({ workspaceId }, at()), 'CONFLICT')
      await assertRefused(access.beginDeletion({ workspaceId: unknownId('ws') }, at()), 'NOT_FOUND')
      const other = await addWorkspace(at(SECOND))
      const { session, user } = await addCallers(fixture)
      const { tasks } = await fill(fixture)
      const kept = { task: newTask({ workspaceId: other.workspaceId }), actor: PERSON, idempotency: null }
      const { value: task } = await storage.tasks.insertTask(kept, at())
      await access.beginDeletion({ workspaceId }, at(MINUTE))
      assert.equal(await access.findPrincipal({ keyHash: HASH }, at(MINUTE)), null)
      await deleteAll(storage, workspaceId)
      assert.equal(await access.findPrincipal({ keyHash: HASH }, at(MINUTE)), null)
      for (const credential of [{ keyHash: KEY_HASH }, { sessionId: session.id }]) {
        const found = await access.findPrincipal(credential, at(MINUTE))
        assert.equal(found?.principal.defaultWorkspaceId, other.workspaceId)
      }
      for (const gone of tasks) {
        await assertRefused(readTask(storage.tasks, gone, ['task'], at(MINUTE)), 'TASK_NOT_FOUND')
      }
      assert.deepEqual((await readTask(storage.tasks, task, ['task'], at(MINUTE))).task, task)
      assert.deepEqual(
        (await access.listWorkspaces({ accountId }, at())).map(({ id }) => id),
        [other.workspaceId],
      )
      assert.deepEqual(await access.listUsers({ accountId }, at()), [user])
      await assertRefused(access.beginDeletion({ workspaceId: other.workspaceId }, at()), 'CONFLICT')
      await assertRefused(access.beginDeletion({ workspaceId }, at()), 'NOT_FOUND')
    },
  },
  {
    id: 'deletion.rollback',
    name: 'a deletion in a transaction that is rolled back changes nothing',
    async check(fixture) {
      const { storage, accountId, workspaceId, add, agent, at } = fixture
      await addCallers(fixture)
      const task = await add()
      const rolledBack = storage.transaction(async (tx) => {
        await storage.access.beginDeletion({ accountId }, at(0, tx))
        assert.deepEqual(await storage.access.listAccounts({ accountId }, at(0, tx)), [])
        throw new Error('rolled back')
      })
      await assert.rejects(rolledBack, /rolled back/)
      assert.deepEqual(await deleteAll(storage, null), [])
      assert.equal((await storage.access.listWorkspaces({ workspaceId }, at())).length, 1)
      assert.notEqual(await storage.access.findPrincipal({ keyHash: KEY_HASH }, at()), null)
      const byAgent = { workspaceId, agentId: agent.id, leaseMs: LEASE_MS }
      const claimed = await storage.tasks.claimTasks({ target: byAgent, limit: 1 }, at())
      assert.deepEqual(
        claimed.tasks.map(({ id }) => id),
        [task.id],
      )
    },
  },
  {
    id: 'deletion.taken-over',
    name: 'another process deletes what one has left, also an account that had a workspace being deleted',
    async check(fixture) {
      const { storage, accountId, workspaceId, addWorkspace, add, at } = fixture
      await addWorkspace(at(SECOND))
      await fill(fixture)
      for (let n = 0; n < 10; n++) await add()
      await storage.access.beginDeletion({ workspaceId }, at(MINUTE))
      await storage.access.continueDeletion({ of: workspaceId, limit: 3, keepAudit: false }, at(MINUTE))
      await storage.access.beginDeletion({ accountId }, at(MINUTE))
      await storage.access.continueDeletion({ of: null, limit: 3, keepAudit: false }, at(MINUTE))
      const other = (await fixture.another())?.storage ?? storage
      await deleteAll(other, null)
      assert.deepEqual(await other.events.readEvents({ workspaceId, afterSeq: 0, limit: 10 }, at()), [])
      assert.deepEqual(await deleteAll(storage, accountId), [])
    },
  },
]
