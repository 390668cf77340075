import assert from 'node:assert/strict'
import { isTaskboardError } from '@taskboard/core'
import { agentFields, isReadOnlyRefusal } from '@taskboard/core/storage'
import { newTask } from './new-task.js'
import type { StorageCheck } from './storage-case.js'
import { claim as claimDeliveries, DISABLE_AFTER_MS, record } from './webhooks/delivery-steps.js'
import { terms } from './board/schedule-cases.js'
import { use } from './usage/usage-cases.js'
import { addUser, newSession } from './access/session-cases.js'
import {
  AGENT_TYPE,
  changeClaimed,
  DAY,
  HOUR,
  LEASE_MS,
  PERSON,
  proofOf,
  readTask,
  SECOND,
  type StorageFixture,
} from './storage-fixture.js'

/** Asserts that a write is rejected because its account is read-only. */
async function assertReadOnly(work: Promise<unknown>, what: string): Promise<void> {
  await assert.rejects(
    work,
    (error) => {
      assert.ok(isReadOnlyRefusal(error), `${what}: a refusal, not ${String(error)}`)
      assert.ok(isTaskboardError(error, 'SERVICE_UNAVAILABLE') && (error.retryAfterMs ?? 0) > 0, what)
      return true
    },
    what,
  )
}

const setReadOnly = ({ storage, accountId, at }: StorageFixture, readOnly: boolean, tx?: unknown) =>
  storage.access.update({ accountId, change: { readOnly } }, at(0, tx))

/** One of each that an account can have. */
async function fill(fixture: StorageFixture) {
  const { storage, accountId, workspaceId, at, add, addWebhook, agent } = fixture
  const task = await add({ title: 'waits' })
  const claimed = await fixture.claim()
  assert.equal(claimed?.id, task.id)
  const webhook = await addWebhook()
  const { value: schedule } = await storage.schedules.insertSchedule(
    { schedule: terms(workspaceId), idempotency: null },
    at(),
  )
  const channel = { workspaceId, type: 'chat', name: 'c', config: {}, secrets: {}, events: [] }
  const { value: ofUsers } = await storage.channels.insertChannel({ channel, idempotency: null }, at())
  const user = await addUser(fixture)
  const key = {
    accountId,
    workspaceId: null,
    defaultWorkspaceId: workspaceId,
    name: 'key',
    scopes: ['tasks:read' as const],
    prefix: 'tb_abc',
    hash: 'c'.repeat(64),
    createdBy: null,
    expiresAt: null,
  }
  const made = await storage.access.insertApiKey({ key, isOfUser: false, idempotency: null }, at())
  return { task, claimed, webhook, schedule, channel: ofUsers, user, key, keyId: made.id, agent }
}

type Filled = Awaited<ReturnType<typeof fill>>

/** A write of each kind, by what it does. */
function writesOf(
  { storage, accountId, workspaceId, at, add }: StorageFixture,
  { task, claimed, webhook, schedule, channel, user, key, keyId, agent }: Filled,
): Readonly<Record<string, () => Promise<unknown>>> {
  const { access, agents, channels, comments, notifications, schedules, tasks, usage, webhooks } = storage
  const reach = { accountId, workspaceIds: 'all' } as const
  const proof = proofOf(claimed)
  const idempotency = null
  const line = { level: 'info', message: 'line' } as const
  const change = { name: 'other' }
  const newAgent = { ...agentFields.empty, workspaceId, name: 'next', type: AGENT_TYPE }
  const invited = {
    accountId,
    email: 'next@read-only.example',
    scopes: null,
    tokenHash: 'd'.repeat(64),
    createdBy: user.id,
    ttlMs: HOUR,
    most: 20,
  }
  return {
    'add a task': () => add(),
    'edit a task': () =>
      tasks.changeTask(
        {
          target: { workspaceId, taskId: task.id },
          command: { kind: 'edit', change: { title: 'other' }, actor: PERSON },
        },
        at(),
      ),
    'renew a lease': () => changeClaimed(tasks, proof, { kind: 'renew', leaseMs: null }, at(SECOND)),
    'report progress': () =>
      changeClaimed(tasks, proof, { kind: 'progress', progress: 50, leaseMs: null }, at(SECOND)),
    'append a line': () => tasks.appendToTask({ proof, leaseMs: null, log: line }, at(SECOND)),
    'complete a task': () => tasks.completeTask({ proof, result: 'r', next: null }, at(SECOND)),
    'complete and claim': () =>
      tasks.completeTask(
        { proof, result: 'r', next: { agentType: AGENT_TYPE, leaseMs: LEASE_MS } },
        at(SECOND),
      ),
    'delete a task': () => tasks.deleteTask({ workspaceId, taskId: task.id, actor: PERSON }, at()),
    'report usage': () => use({ storage, at } as StorageFixture, claimed, {}, SECOND),
    'set a budget': () =>
      usage.setBudget({ workspaceId, agentId: null, budget: { tokens: 1, costUsd: null } }, at()),
    'raise an event': () =>
      storage.events.appendEvent(
        { workspaceId, event: { type: 'agent.alert', data: { message: 'm' } } as never },
        at(),
      ),
    comment: () =>
      comments.insertComment(
        {
          target: { workspaceId, taskId: task.id },
          draft: { kind: 'comment', body: 'b', author: PERSON },
          idempotency,
        },
        at(),
      ),
    'add an agent': () => agents.insertAgent({ agent: newAgent, idempotency }, at()),
    'change an agent': () =>
      agents.updateAgent({ workspaceId, agentId: agent.id, change: { paused: false } }, at()),
    'add a webhook': () =>
      webhooks.insertWebhook(
        {
          webhook: {
            workspaceId,
            url: 'https://example.com/2',
            events: ['task.created'],
            secrets: [],
            weakSecret: false,
          },
          idempotency,
        },
        at(),
      ),
    'change a webhook': () =>
      webhooks.updateWebhook({ workspaceId, webhookId: webhook.id, change: { enabled: false } }, at()),
    'delete a webhook': () => webhooks.deleteWebhook({ workspaceId, webhookId: webhook.id }, at()),
    'add a schedule': () => schedules.insertSchedule({ schedule: terms(workspaceId), idempotency }, at()),
    'change a schedule': () =>
      schedules.updateSchedule({ workspaceId, scheduleId: schedule.id, change: { enabled: false } }, at()),
    'change a channel': () => channels.updateChannel({ workspaceId, channelId: channel.id, change }, at()),
    'delete a channel': () => channels.deleteChannel({ workspaceId, channelId: channel.id }, at()),
    'set a target': () => notifications.setTarget({ workspaceId, channel: 'mail', settings: {} }, at()),
    'rename the account': () => access.update({ accountId, change }, at()),
    'rename a workspace': () => access.update({ workspaceId, name: 'other' }, at()),
    'add a workspace': () => access.insertWorkspace({ accountId, name: 'w', agent: null }, at()),
    'add a user': () =>
      access.insertUser(
        { accountId, email: 'other@read-only.example', passwordHash: 'hash', scopes: null },
        at(),
      ),
    'change a user': () => access.setUserScopes({ accountId, userId: user.id, scopes: null }, at()),
    'delete a user': () => access.deleteUser({ userId: user.id, keepKeys: false, mayBeLast: true }, at()),
    'change a password': () => access.setPassword({ userId: user.id, passwordHash: 'next' }, at()),
    invite: () => access.insertInvitation(invited, at()),
    'add a key': () =>
      access.insertApiKey({ key: { ...key, hash: 'e'.repeat(64) }, isOfUser: false, idempotency }, at()),
    'revoke a key': () => access.revokeApiKey({ reach, keyId }, at()),
  }
}

/** Accounts that take no writes. */
export const readOnlyCases: readonly StorageCheck[] = [
  {
    id: 'read-only.refused',
    name: 'a read-only account refuses every write, and takes the same ones afterwards',
    async check(fixture) {
      const { storage, accountId, at, events } = fixture
      const filled = await fill(fixture)
      const before = await events()
      const account = await setReadOnly(fixture, true)
      assert.equal(account.readOnly, true)
      assert.deepEqual(await storage.access.listAccounts({ accountId }, at()), [account])
      const writes = writesOf(fixture, filled)
      for (const [what, write] of Object.entries(writes)) await assertReadOnly(write(), what)
      assert.deepEqual(await events(), before)
      assert.deepEqual(await setReadOnly(fixture, true), account)
      await setReadOnly(fixture, false)
      const passing = [
        'add a task',
        'append a line',
        'report usage',
        'complete a task',
        'change an agent',
        'invite',
      ]
      for (const what of passing) await writes[what]?.()
    },
  },
  {
    id: 'read-only.others',
    name: 'other accounts are not affected, also by refused calls of the same moment',
    async check(fixture) {
      const { storage, at, add } = fixture
      const { workspace } = await storage.access.insertAccount(
        { name: 'n', tier: 'custom', workspaceName: 'w', agent: { name: 'a', type: AGENT_TYPE } },
        at(),
      )
      const mine = await fixture.addClaimed()
      const theirs = newTask({ workspaceId: workspace.id })
      await storage.tasks.insertTask({ task: theirs, actor: PERSON, idempotency: null }, at())
      const target = { agentType: AGENT_TYPE, leaseMs: LEASE_MS }
      const { tasks } = await storage.tasks.claimTasks({ target, limit: 10 }, at())
      const [claimed] = tasks
      assert.ok(claimed !== undefined && claimed.workspaceId === workspace.id)
      await setReadOnly(fixture, true)
      const complete = (task: typeof mine) =>
        storage.tasks.completeTask({ proof: proofOf(task), result: 'r', next: target }, at(SECOND))
      const insert = (task: typeof theirs) =>
        storage.tasks.insertTask({ task, actor: PERSON, idempotency: null }, at())
      const results = await Promise.allSettled([
        complete(mine),
        complete(claimed),
        insert(newTask({ workspaceId: fixture.workspaceId })),
        insert(theirs),
      ])
      assert.deepEqual(
        results.map(({ status }) => status),
        ['rejected', 'fulfilled', 'rejected', 'fulfilled'],
      )
      await assertReadOnly(add(), 'add')
    },
  },
  {
    id: 'read-only.background',
    name: 'background work passes over a read-only account: claims, leases, schedules, retention; deliveries go on',
    async check(fixture) {
      const { storage, workspaceId, at, expire, get, add, finish } = fixture
      const { webhook, claimed, agent } = await fill(fixture)
      const done = await add()
      await finish(done)
      const waiting = await add()
      const paused = await fixture.addAgent()
      const pause = { workspaceId, agentId: paused.id, change: { paused: true } }
      await storage.agents.updateAgent(pause, at())
      await setReadOnly(fixture, true)

      const target = { agentType: AGENT_TYPE, leaseMs: LEASE_MS }
      assert.deepEqual((await storage.tasks.claimTasks({ target, limit: 10 }, at())).tasks, [])
      assert.equal(await fixture.claim(), null)
      assert.deepEqual(await expire(at(HOUR)), { expired: 0, nextExpiryInMs: null })
      const due = { isDue: true, limit: 10 } as const
      assert.deepEqual(await storage.schedules.listSchedules(due, at(DAY)), {
        schedules: [],
        nextDueInMs: null,
      })
      const old = { rows: 'done_tasks', olderThanMs: HOUR, limit: 10 } as const
      assert.equal(await storage.prune(old, at(DAY)), 0)
      await storage.agents.reportPresence({ workspaceId, agentId: agent.id, liveMs: SECOND }, at())
      await storage.agents.announceAgents({ limit: 10 }, at(HOUR))
      await storage.agents.reportPresence({ workspaceId, agentId: agent.id, status: 'busy' }, at())
      const [delivery] = (await claimDeliveries(fixture)).deliveries
      assert.ok(delivery)
      await record(fixture, delivery, { kind: 'gone' }, SECOND)
      const query = { within: workspaceId, webhookId: webhook.id }
      const [kept] = await storage.webhooks.listWebhooks(query, at())
      assert.ok(kept?.enabled === true && DISABLE_AFTER_MS > 0)
      assert.equal((await get(claimed)).lease?.agentId, agent.id)

      await setReadOnly(fixture, false)
      const both = await storage.agents.listAgents({ reach: null, workspaceId, limit: 10 }, at())
      const isPaused = new Map(both.map((each) => [each.id, each.paused]))
      assert.deepEqual([isPaused.get(agent.id), isPaused.get(paused.id)], [false, true])
      assert.equal((await fixture.claim(at(HOUR)))?.id, waiting.id)
      assert.equal((await expire(at(HOUR))).expired, 1)
      assert.equal(await storage.prune(old, at(DAY)), 1)
    },
  },
  {
    id: 'read-only.reads',
    name: 'a read-only account can be read, a key used, somebody log in, and a repeated request gets its answer',
    async check(fixture) {
      const { storage, workspaceId, at } = fixture
      const { task, keyId, key, user } = await fill(fixture)
      const idempotency = { scope: JSON.stringify(['ak', workspaceId, 'add']), key: 'k', fingerprint: 'f' }
      const insertion = { task: newTask({ workspaceId }), actor: PERSON, idempotency }
      const { value } = await storage.tasks.insertTask(insertion, at())
      await setReadOnly(fixture, true)
      assert.equal((await readTask(storage.tasks, task, ['task'], at())).task.id, task.id)
      assert.equal((await storage.access.findPrincipal({ keyHash: key.hash }, at()))?.principal.id, keyId)
      await storage.access.noteKeyUse({ keyId }, at())
      await storage.sessions.insertSession(newSession(user.id, 'f'.repeat(64), HOUR), at())
      assert.deepEqual(await storage.tasks.insertTask(insertion, at()), { value, replayed: true })
    },
  },
  {
    id: 'read-only.delete',
    name: 'a read-only account can be deleted, and one of its workspaces cannot',
    async check(fixture) {
      const { storage, accountId, at } = fixture
      await fill(fixture)
      const { workspaceId } = await fixture.addWorkspace()
      await setReadOnly(fixture, true)
      await assertReadOnly(storage.access.beginDeletion({ workspaceId }, at()), 'delete a workspace')
      await storage.access.beginDeletion({ accountId }, at())
      for (;;) {
        const step = { of: accountId, limit: 500, keepAudit: false }
        const { deleted, isOver } = await storage.access.continueDeletion(step, { now: null })
        if (isOver) break
        // What it waits for are transactions of other cases.
        if (deleted === 0) await new Promise((resolve) => setTimeout(resolve, 5))
      }
      assert.deepEqual(await storage.access.listAccounts({ accountId }, at()), [])
    },
  },
  {
    id: 'read-only.transaction',
    name: 'within a transaction it takes effect with the commit, and a rollback takes it back',
    async check(fixture) {
      const { storage, add, agent, workspaceId, at } = fixture
      const roll = new Error('rolled back')
      const rolledBack = storage.transaction(async (tx) => {
        await setReadOnly(fixture, true, tx)
        throw roll
      })
      await assert.rejects(rolledBack, roll)
      const task = await add()
      assert.equal((await fixture.claim())?.id, task.id)
      await storage.transaction((tx) => setReadOnly(fixture, true, tx))
      await assertReadOnly(add(), 'add a task')
      const [seen] = await storage.agents.listAgents({ reach: null, workspaceId }, at())
      assert.ok(seen?.id === agent.id && seen.paused)
    },
  },
]
