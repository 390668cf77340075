import {
  createTaskboard,
  type Board,
  type Storage,
  type Taskboard,
  type WebhookEventType,
} from '@taskboard/core'
import { anyAgentType, type ClaimedDelivery, type NewDeliveryBounds } from '@taskboard/core/storage'
import { newTask } from '@taskboard/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createMigratedDatabase, type TestDatabase } from '@taskboard/kit/postgres/test-database'
import type { PgConnection } from '../connection/pool.js'
import { postgresStorage } from '../postgres-storage.js'

const CLAIM_MS = 120_000
const LEASE_MS = 60_000
const at = { now: null }
const ROOMY: NewDeliveryBounds = {
  limit: 100,
  perWebhook: 10,
  excludeAccountIds: [],
  excludeWebhookIds: [],
  claimMs: CLAIM_MS,
}

let database: TestDatabase
let storage: Storage<PgConnection>
let taskboard: Taskboard<PgConnection>
let board: Board<PgConnection>
let workspaceId: string
let accountId: string
let agentId: string

beforeEach(async () => {
  database = await createMigratedDatabase()
  storage = postgresStorage({ pool: database.pool, listen: false })
  taskboard = createTaskboard({ storage, secrets: { encryptionKey: Buffer.alloc(32) }, logger: false })
  const { account, workspace } = await taskboard.accounts.create({ name: 'Acme', tier: 'professional' })
  accountId = account.id
  workspaceId = workspace.id
  agentId = (await taskboard.agents.create(workspaceId, { name: 'One', type: 'bot' })).id
  board = taskboard.board(workspaceId)
})
afterEach(async () => {
  await taskboard.close()
  await database.drop()
})

/** What each commit claims from now on; one entry for each commit that was asked. */
function claiming(bounds: NewDeliveryBounds | null = ROOMY): readonly (readonly ClaimedDelivery[])[] {
  const commits: (readonly ClaimedDelivery[])[] = []
  storage.webhooks.claimNewDeliveries({
    begin: () => bounds && { bounds, end: (deliveries) => void commits.push(deliveries) },
  })
  return commits
}

async function webhook(...events: readonly WebhookEventType[]): Promise<string> {
  const input = { workspaceId, url: 'https://example.com/h', events, secrets: [], weakSecret: false }
  return (await storage.webhooks.insertWebhook({ webhook: input, idempotency: null }, at)).value.id
}

const claimDue = async () => {
  const request = { ...ROOMY, perAccount: 100 }
  return (await storage.webhooks.claimDueDeliveries(request, at)).deliveries
}

const typesOf = (claimed: readonly ClaimedDelivery[] | undefined) =>
  claimed?.map(({ delivery }) => delivery.event.type).toSorted()

describe('a commit claims the deliveries that it adds', () => {
  it('as a claim would return them, and no other claim gets them until it has ended', async () => {
    const webhookId = await webhook('task.created')
    const commits = claiming()
    const task = await board.add({ title: 'One' })
    const [[claimed] = []] = commits
    const [listed] = await storage.webhooks.listDeliveries(
      { workspaceId, webhookId, status: 'pending', limit: 10, afterId: null },
      at,
    )
    expect(claimed?.delivery).toEqual(listed)
    expect(claimed?.delivery.event.data).toMatchObject({ taskId: task.id, title: 'One' })
    const [target] = await storage.webhooks.readTargets({ webhookIds: [webhookId] }, at)
    expect(claimed?.webhook).toEqual(target)
    expect(await claimDue()).toEqual([])
    await database.pool.query('update taskboard.due_delivery set next_attempt_at = next_attempt_at - $1', [
      CLAIM_MS,
    ])
    const [again] = await claimDue()
    expect(again?.delivery).toEqual(listed)
    expect(again?.claimToken).not.toBe(claimed?.claimToken)
  })

  it('when it adds, claims, completes, and completes and claims', async () => {
    await webhook('task.created', 'task.started', 'task.completed')
    for (const title of ['One', 'Two', 'Three']) await board.add({ title })
    await claimDue()
    const commits = claiming()
    const forAgent = { workspaceId, agentId, leaseMs: LEASE_MS }
    const byType = { agentType: 'bot', leaseMs: LEASE_MS }
    const [first] = (await storage.tasks.claimTasks({ target: forAgent, limit: 1 }, at)).tasks
    expect(typesOf(commits.at(-1))).toEqual(['task.started'])
    const proofOf = (task = first) => ({
      workspaceId,
      taskId: task?.id ?? '',
      fencingToken: task?.fencingToken ?? 0,
    })
    const second = await storage.tasks.completeTask({ proof: proofOf(), result: 'done', next: byType }, at)
    expect(typesOf(commits.at(-1))).toEqual(['task.completed', 'task.started'])
    const third = await storage.tasks.completeTask(
      { proof: proofOf(second.next?.tasks[0]), result: 'done', next: forAgent },
      at,
    )
    expect(typesOf(commits.at(-1))).toEqual(['task.completed', 'task.started'])
    await storage.tasks.completeTask({ proof: proofOf(third.next?.tasks[0]), result: 'done', next: null }, at)
    expect(typesOf(commits.at(-1))).toEqual(['task.completed'])
    await Promise.all(['Four', 'Five'].map((title) => board.add({ title })))
    await storage.tasks.claimTasks({ target: { agentType: anyAgentType, leaseMs: LEASE_MS }, limit: 1 }, at)
    const ids = commits.flat().map(({ delivery }) => delivery.id)
    expect(new Set(ids).size).toBe(ids.length)
    expect(await claimDue()).toEqual([])
  })

  it('within its bounds: the rest is due', async () => {
    const [first, second, excluded] = [
      await webhook('task.created'),
      await webhook('task.created'),
      await webhook('task.created'),
    ]
    const actor = { kind: 'host', id: null } as const
    const addFour = async (bounds: NewDeliveryBounds) => {
      const commits = claiming({ ...bounds, excludeWebhookIds: [excluded] })
      const add = () =>
        storage.tasks.insertTask({ task: newTask({ workspaceId }), actor, idempotency: null }, at)
      // Concurrent ones share a commit.
      await Promise.all([add(), add(), add(), add()])
      expect(commits).toHaveLength(1)
      return commits[0] ?? []
    }
    const countsOf = (commit: readonly ClaimedDelivery[] = []) =>
      [first, second, excluded].map((id) => commit.filter((each) => each.webhook.id === id).length)
    const ofWebhooks = await addFour({ ...ROOMY, perWebhook: 2 })
    expect(countsOf(ofWebhooks)).toEqual([2, 2, 0])
    const inAll = await addFour({ ...ROOMY, limit: 3 })
    expect(inAll).toHaveLength(3)
    const due = await claimDue()
    const claimed = [...ofWebhooks, ...inAll]
    expect(new Set([...claimed, ...due].map(({ delivery }) => delivery.id)).size).toBe(24)
    claiming({ ...ROOMY, excludeAccountIds: [accountId] })
    await board.add({ title: 'Of an account that has enough' })
    expect(await claimDue()).toHaveLength(3)
  })

  it('never for a disabled webhook, nor within a transaction of the host, nor after the claimer has left', async () => {
    const webhookId = await webhook('task.created')
    const commits = claiming()
    await taskboard.transaction(async (tx) => {
      await board.add({ title: 'Of the host' }, { tx })
    })
    expect(commits).toEqual([])
    expect(await claimDue()).toHaveLength(1)
    const leave = storage.webhooks.claimNewDeliveries({ begin: () => expect.fail('it was asked') })
    leave()
    await board.add({ title: 'For the usual claim' })
    expect(await claimDue()).toHaveLength(1)
    const disabled = claiming()
    await taskboard.webhooks.update(workspaceId, webhookId, { enabled: false })
    await board.add({ title: 'For a disabled webhook' })
    expect(disabled.flat()).toEqual([])
    const skipped = { workspaceId, webhookId, status: 'skipped', limit: 10, afterId: null } as const
    expect(await storage.webhooks.listDeliveries(skipped, at)).toHaveLength(1)
  })

  it('and ends its claim without any when it fails', async () => {
    await webhook('task.created')
    const commits = claiming()
    const actor = { kind: 'host', id: null } as const
    const task = newTask({ workspaceId, assignedTo: 'agent_of_nobody' })
    await expect(storage.tasks.insertTask({ task, actor, idempotency: null }, at)).rejects.toThrow(
      'assignedTo',
    )
    await database.pool.query('alter table taskboard.due_delivery add constraint no check (false)')
    await expect(board.add({ title: 'Refused' })).rejects.toThrow('due_delivery')
    expect(commits.every((claimed) => claimed.length === 0)).toBe(true)
    expect(commits.length).toBeGreaterThan(1)
  })

  it('and their results are stored', async () => {
    const webhookId = await webhook('task.created')
    const commits = claiming()
    await board.add({ title: 'One' })
    const [[claimed] = []] = commits
    const result = {
      deliveryId: claimed?.delivery.id ?? '',
      claimToken: claimed?.claimToken ?? '',
      url: claimed?.webhook.url ?? '',
      endedMsAgo: 0,
      attempt: { durationMs: 1, status: 200, error: null, responseExcerpt: '' },
      outcome: { kind: 'succeeded' },
    } as const
    await storage.webhooks.recordDeliveryResults({ results: [result], disableAfterMs: 1 }, at)
    const all = { workspaceId, webhookId, status: null, limit: 10, afterId: null } as const
    expect(await storage.webhooks.listDeliveries(all, at)).toMatchObject([
      { id: claimed?.delivery.id, status: 'succeeded', attemptCount: 1 },
    ])
  })
})
