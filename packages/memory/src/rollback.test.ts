import {
  columns,
  holdReasons,
  isTaskboardError,
  priorities,
  webhookEventTypes,
  type Storage,
  type Task,
} from '@taskboard/core'
import { agentFields, defaultBackoff, type CallContext } from '@taskboard/core/storage'
import { countTasks, newTask } from '@taskboard/testing'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { memoryStorage, type MemoryTransaction } from './index.js'

const START = Date.UTC(2026, 0, 1)
const DAY_MS = 86_400_000
const LEASE_MS = 60_000
const PERSON = { kind: 'user', id: 'user_1' } as const
const CLAIM_MS = 30_000
const CLAIM = { perAccount: 500, excludeAccountIds: [], excludeWebhookIds: [], claimMs: CLAIM_MS }

interface Fixture {
  readonly storage: Storage<MemoryTransaction>
  readonly accountId: string
  readonly workspaceIds: readonly string[]
  readonly agentIds: readonly string[]
  readonly taskIds: string[]
  now: number
}

async function createFixture(): Promise<Fixture> {
  const storage = memoryStorage()
  const at = { now: START }
  const agent = { name: 'n', type: 'worker' }
  const { account, workspace } = await storage.access.insertAccount(
    { name: 'a', tier: 'professional', workspaceName: 'w', agent },
    at,
  )
  const second = await storage.access.insertWorkspace({ accountId: account.id, name: 'v', agent }, at)
  const workspaceIds = [workspace.id, second.id]
  const agentIds: string[] = []
  for (const workspaceId of workspaceIds) {
    for (const each of await storage.agents.listAgents({ reach: null, workspaceId }, at))
      agentIds.push(each.id)
    await storage.webhooks.insertWebhook(
      {
        webhook: {
          workspaceId,
          url: 'https://example.com/',
          events: webhookEventTypes,
          secrets: [],
          weakSecret: false,
        },
        idempotency: null,
      },
      at,
    )
    await storage.notifications.setTarget({ workspaceId, channel: 'mail', settings: {} }, at)
  }
  return { storage, accountId: account.id, workspaceIds, agentIds, taskIds: [], now: START }
}

/** What a step does, and three random draws for its arguments. */
const step = fc.tuple(fc.nat(17), fc.nat(1_000), fc.nat(1_000), fc.nat(1_000))
type Step = readonly [number, number, number, number]

const pick = <T>(values: readonly T[], draw: number): T => values[draw % values.length] as T

/** How long a step takes. */
const lengthOf = (draw: number): number => pick([0, 1, 1_000, 20_000, 90_000, DAY_MS, 5 * DAY_MS], draw)

async function apply(fixture: Fixture, [kind, a, b, c]: Step, tx?: MemoryTransaction): Promise<void> {
  const { storage } = fixture
  const call: CallContext<MemoryTransaction> = { now: fixture.now, tx }
  const workspace = a % 2
  const workspaceId = pick(fixture.workspaceIds, workspace)
  const taskId = fixture.taskIds.length > 0 ? pick(fixture.taskIds, b) : 'task_none'
  const task = await storage.tasks
    .getTask({ within: workspaceId, taskId, parts: ['task'] }, call)
    .then((found) => found.task)
    .catch((): Task | null => null)
  const proof = { workspaceId, taskId, fencingToken: task?.fencingToken ?? 0 }
  const steps: (() => Promise<unknown>)[] = [
    () => addTask(fixture, workspace, [a, b, c], call),
    () =>
      storage.tasks.claimTasks(
        { target: { agentType: 'worker', leaseMs: LEASE_MS }, limit: 1 + (c % 3) },
        call,
      ),
    () =>
      storage.tasks.completeTask(
        { proof, result: 'r', next: { agentType: 'worker', leaseMs: LEASE_MS } },
        call,
      ),
    () =>
      storage.tasks.changeTask(
        {
          target: proof,
          command: {
            kind: 'fail',
            fencingToken: proof.fencingToken,
            reason: 'r',
            backoff: c % 2 === 0 ? defaultBackoff : null,
          },
        },
        call,
      ),
    () =>
      storage.tasks.appendToTask({ proof, log: { level: 'info', message: `${c}` }, leaseMs: LEASE_MS }, call),
    () =>
      storage.tasks.changeTask(
        { target: { workspaceId, taskId }, command: { kind: 'move', to: pick(columns, c), actor: PERSON } },
        call,
      ),
    () =>
      storage.tasks.changeTask(
        {
          target: { workspaceId, taskId },
          command: { kind: 'finish', result: `${c}`, takeOver: c % 2 === 0, actor: PERSON },
        },
        call,
      ),
    () =>
      storage.tasks.changeTask(
        {
          target: { workspaceId, taskId },
          command: { kind: 'hold', reason: pick(holdReasons, c), message: null, actor: PERSON },
        },
        call,
      ),
    () =>
      storage.tasks.changeTask(
        { target: { workspaceId, taskId }, command: { kind: 'release', actor: PERSON } },
        call,
      ),
    () => storage.tasks.expireLeases({ limit: 3, backoff: defaultBackoff }, call),
    () =>
      storage.agents.insertAgent(
        {
          agent: { ...agentFields.empty, workspaceId, name: 'n', type: c % 2 ? 'worker' : 'other' },
          idempotency: null,
        },
        call,
      ),
    () => sendDue(fixture, c, call),
    () => notify(fixture, c, call),
    () => setEnabled(fixture, workspaceId, c % 2 === 0, call),
    () => storage.access.insertWorkspace({ accountId: fixture.accountId, name: 'x', agent: null }, call),
    () =>
      storage.agents.updateAgent(
        { workspaceId, agentId: pick(fixture.agentIds, c), change: { type: pick(['worker', 'other'], b) } },
        call,
      ),
    () => storage.agents.deleteAgent({ workspaceId, agentId: pick(fixture.agentIds, c) }, call),
    () => storage.tasks.deleteTask({ workspaceId, taskId, actor: PERSON }, call),
    () => storage.analytics.rollUp({ limit: 1 + (c % 9) }, call),
  ]
  try {
    await pick(steps, kind)()
  } catch (error) {
    if (!isTaskboardError(error)) throw error
  }
  fixture.now += lengthOf(c)
}

async function addTask(
  fixture: Fixture,
  workspace: number,
  [a, b, c]: number[],
  call: CallContext<MemoryTransaction>,
) {
  const [x, y, z] = [a ?? 0, b ?? 0, c ?? 0]
  const { value } = await fixture.storage.tasks.insertTask(
    {
      task: newTask({
        workspaceId: pick(fixture.workspaceIds, workspace),
        priority: pick(priorities, y),
        assignedTo: z % 3 === 0 ? pick(fixture.agentIds, workspace) : null,
        dueDate: y % 2 === 0 ? fixture.now + (z % 40) * DAY_MS : null,
        notBefore: z % 5 === 0 ? fixture.now + (y % 3) * DAY_MS : null,
        dependsOn: fixture.taskIds.length > 0 && x % 3 === 0 ? [pick(fixture.taskIds, z)] : [],
        maxAttempts: 1 + (z % 3),
      }),
      actor: PERSON,
      idempotency: { scope: 's', key: `${z % 7}`, fingerprint: 'f' },
    },
    call,
  )
  if (call.tx === undefined && !fixture.taskIds.includes(value.id)) fixture.taskIds.push(value.id)
}

async function sendDue(
  { storage }: Fixture,
  draw: number,
  call: CallContext<MemoryTransaction>,
): Promise<void> {
  const request = { ...CLAIM, limit: 1 + (draw % 5), perWebhook: 3 }
  const { deliveries } = await storage.webhooks.claimDueDeliveries(request, call)
  const attempt = { durationMs: 1, status: 500, error: 'e', responseExcerpt: null }
  const kinds = ['succeeded', 'failed', 'gone'] as const
  const results = deliveries.slice(1).map(({ delivery, claimToken, webhook }, index) => ({
    deliveryId: delivery.id,
    claimToken,
    url: webhook.url,
    attempt,
    endedMsAgo: 0,
    outcome: { kind: pick(kinds, draw + index) },
  }))
  await storage.webhooks.recordDeliveryResults({ results, disableAfterMs: DAY_MS }, call)
}

async function notify(
  { storage }: Fixture,
  draw: number,
  call: CallContext<MemoryTransaction>,
): Promise<void> {
  const request = { channels: ['mail'], limit: 1, eventsPerTarget: 1 + (draw % 3), claimMs: CLAIM_MS }
  const { batches } = await storage.notifications.claimNotifications(request, call)
  for (const { workspaceId, channel, claimToken, events } of draw % 2 ? batches : []) {
    const readThroughSeq = events.at(-1)?.seq ?? 0
    const result = { workspaceId, channel, claimToken, readThroughSeq, retryInMs: null }
    await storage.notifications.settleNotifications(result, call)
  }
}

async function setEnabled(
  { storage }: Fixture,
  workspaceId: string,
  enabled: boolean,
  call: CallContext<MemoryTransaction>,
) {
  for (const { id } of await storage.webhooks.listWebhooks({ within: workspaceId }, call)) {
    await storage.webhooks.updateWebhook({ workspaceId, webhookId: id, change: { enabled } }, call)
  }
}

/** Everything that can be read. */
async function observe({ storage, accountId, workspaceIds, taskIds, now }: Fixture): Promise<unknown> {
  const at = { now }
  const days = { fromDay: 0, toDay: 100_000, baselines: { defaultMs: 1, msByType: {} } }
  const reach = { accountId, workspaceIds: 'all' } as const
  const seen = await Promise.all(
    workspaceIds.flatMap((workspaceId) =>
      columns.map((column) => storage.tasks.listTasks({ workspaceId, column, limit: 500, after: null }, at)),
    ),
  )
  const boards = workspaceIds.map(async (workspaceId) => {
    const lists = columns.map((column) =>
      storage.tasks.listTasks({ workspaceId, column, limit: 500, after: null }, at),
    )
    const webhooks = await storage.webhooks.listWebhooks({ within: workspaceId }, at)
    const deliveries = webhooks.map(({ id: webhookId }) =>
      storage.webhooks.listDeliveries(
        { workspaceId, webhookId, status: null, limit: 500, afterId: null },
        at,
      ),
    )
    return {
      lists: await Promise.all(lists),
      counts: await countTasks(storage, workspaceId, at),
      webhooks,
      deliveries: await Promise.all(deliveries),
      agents: await storage.agents.listAgents({ reach: null, workspaceId }, at),
      events: await storage.events.readEvents({ workspaceId, afterSeq: 0, limit: 1_000 }, { now: null }),
      targets: await storage.notifications.listTargets({ workspaceId }, at),
    }
  })
  const tasks = taskIds.map(async (taskId) => {
    const reads = workspaceIds.map((workspaceId) =>
      Promise.all([
        storage.tasks.getTask({ within: workspaceId, taskId, parts: ['attempts', 'dependencies'] }, at),
        storage.tasks.getTask({ within: workspaceId, taskId, parts: ['logs'] }, at).then(({ logs }) => logs),
      ]).catch(() => null),
    )
    return Promise.all(reads)
  })
  return {
    boards: await Promise.all(boards),
    tasks: await Promise.all(tasks),
    agents: await storage.agents.listAgents(
      { reach: null, workspaceId: null, limit: 500, afterId: null, parts: ['work'] },
      at,
    ),
    forecasts: await storage.agents.readForecasts({ tasks: seen.flatMap((page) => page.tasks) }, at),
    figures: await storage.analytics.readFigures({ reach, workspaceId: null, ...days }, at),
    feedEnd: await storage.events.feedEnd({ after: null }, { now: null }),
    workspaces: await storage.access.listWorkspaces({ accountId }, at),
  }
}

/** What the queues would return, one after another. It is the last read of a storage. */
async function drain({ storage, now }: Fixture): Promise<unknown> {
  const later = { now: now + 40 * DAY_MS }
  const expired = await storage.tasks.expireLeases({ limit: 1_000, backoff: defaultBackoff }, { now })
  const claims = [
    await storage.tasks.claimTasks(
      { target: { agentType: 'worker', leaseMs: LEASE_MS }, limit: 500 },
      { now },
    ),
  ]
  claims.push(
    await storage.tasks.claimTasks({ target: { agentType: 'other', leaseMs: LEASE_MS }, limit: 500 }, later),
  )
  claims.push(
    await storage.tasks.claimTasks({ target: { agentType: 'worker', leaseMs: LEASE_MS }, limit: 500 }, later),
  )
  const request = { ...CLAIM, limit: 500, perWebhook: 7 }
  const sent = [
    await storage.webhooks.claimDueDeliveries(request, { now }),
    await storage.webhooks.claimDueDeliveries(request, later),
  ]
  const notified = await storage.notifications.claimNotifications(
    { channels: ['mail'], limit: 10, eventsPerTarget: 100, claimMs: CLAIM_MS },
    later,
  )
  const taken = claims.map(({ tasks, nextReadyInMs }) => [
    tasks.map(({ title, priority, fencingToken, createdAt, lease }) => [
      title,
      priority,
      fencingToken,
      createdAt,
      lease?.expiresAt,
    ]),
    nextReadyInMs,
  ])
  const due = sent.map(({ deliveries, nextDueInMs }) => [
    deliveries.map(({ delivery }) => delivery.event.seq),
    nextDueInMs,
  ])
  return {
    expired,
    taken,
    due,
    notified: [notified.batches.map(({ events }) => events.length), notified.nextDueInMs],
  }
}

class Rollback extends Error {}

async function applyAll(fixture: Fixture, steps: readonly Step[]): Promise<void> {
  for (const each of steps) await apply(fixture, each)
}

describe('a transaction that is rolled back', () => {
  const histories = fc.tuple(
    fc.array(step, { maxLength: 40 }),
    fc.array(step, { minLength: 1, maxLength: 25 }),
  )

  it('leaves every observable state as it was, also for other callers while it is open', async () => {
    await fc.assert(
      fc.asyncProperty(histories, async ([history, undone]) => {
        const fixture = await createFixture()
        await applyAll(fixture, history)
        const { now } = fixture
        // Estimates depend on the order at that time, so both reads are at the same time.
        fixture.now = undone.reduce((time, [, , , c]) => time + lengthOf(c), now)
        const before = await observe(fixture)
        fixture.now = now
        const work = fixture.storage.transaction(async (tx) => {
          for (const each of undone) await apply(fixture, each, tx)
          expect(await observe(fixture)).toEqual(before)
          throw new Rollback()
        })
        await expect(work).rejects.toBeInstanceOf(Rollback)
        expect(await observe(fixture)).toEqual(before)
      }),
      { numRuns: 150 },
    )
  })

  it('leaves the queues as in a storage where it never ran', async () => {
    await fc.assert(
      fc.asyncProperty(histories, async ([history, undone]) => {
        const [touched, untouched] = [await createFixture(), await createFixture()]
        await applyAll(touched, history)
        await applyAll(untouched, history)
        const work = touched.storage.transaction(async (tx) => {
          for (const each of undone) await apply(touched, each, tx)
          throw new Rollback()
        })
        await expect(work).rejects.toBeInstanceOf(Rollback)
        untouched.now = touched.now
        expect(await drain(touched)).toEqual(await drain(untouched))
      }),
      { numRuns: 150 },
    )
  })
})
