import {
  type Agent,
  columns,
  defaultScoring,
  holdReasons,
  isTaskboardError,
  priorities,
  silentLogger,
  type Storage,
  type Task,
  webhookEventTypes,
} from '@taskboard/core'
import {
  agentFields,
  type CallContext,
  createNewId,
  defaultBackoff,
  isCompletedBy,
  isReady,
  type LoggedEvent,
  scoreUnits,
  systemClock,
} from '@taskboard/core/storage'
import { memoryStorage } from '@taskboard/memory'
import { newTask } from '@taskboard/testing'
import { describe, expect, it } from 'vitest'
import { seededDice, type Dice } from './dice.js'

const HISTORIES = 2_000
const STEPS = 50
const LEASE_MS = 60_000
const PERSON = { kind: 'user', id: 'user_1' } as const

/** What the history has seen, to hold the storage's account against. */
interface Fixture {
  readonly storage: Storage
  readonly dice: Dice
  readonly workspaceId: string
  readonly agents: readonly Agent[]
  readonly at: () => CallContext
  readonly ids: string[]
  /** Every claim ever handed out, also those that were lost long ago. */
  readonly claims: { taskId: string; fencingToken: number; agentId: string }[]
  readonly completions: Map<string, number>
  staleAccepted: number
}

async function createFixture(seed: number, at: () => CallContext): Promise<Fixture> {
  const dice = seededDice(seed)
  const storage: Storage = memoryStorage()
  storage.bind({
    scoring: defaultScoring,
    newId: createNewId({ ...systemClock, now: () => at().now ?? 0 }),
    clock: systemClock,
    logLimit: 10,
    outputLimit: 10,
    logger: silentLogger,
  })
  const { workspace } = await storage.access.insertAccount(
    { name: 'a', tier: 'professional', workspaceName: 'w', agent: { name: 'one', type: 'worker' } },
    at(),
  )
  await storage.agents.insertAgent(
    {
      agent: { ...agentFields.empty, workspaceId: workspace.id, name: 'two', type: 'worker' },
      idempotency: null,
    },
    at(),
  )
  const agents = await storage.agents.listAgents({ reach: null, workspaceId: workspace.id }, at())
  await storage.webhooks.insertWebhook(
    {
      webhook: {
        workspaceId: workspace.id,
        url: 'https://example.com/',
        events: webhookEventTypes,
        secrets: [],
        weakSecret: false,
      },
      idempotency: null,
    },
    at(),
  )
  return {
    storage,
    dice,
    workspaceId: workspace.id,
    agents,
    at,
    ids: [],
    claims: [],
    completions: new Map(),
    staleAccepted: 0,
  }
}

async function everyTask(fixture: Fixture): Promise<Task[]> {
  const pages = await Promise.all(
    columns.map((column) =>
      fixture.storage.tasks.listTasks(
        { workspaceId: fixture.workspaceId, column, limit: 1_000, after: null },
        fixture.at(),
      ),
    ),
  )
  return pages.flatMap((page) => page.tasks)
}

async function addTask(fixture: Fixture): Promise<void> {
  const { dice, storage, workspaceId, agents } = fixture
  const now = fixture.at().now ?? 0
  const { value } = await storage.tasks.insertTask(
    {
      task: newTask({
        workspaceId,
        title: `task ${fixture.ids.length}`,
        priority: dice.pick(priorities),
        assignedTo: dice.chance(0.2) ? dice.pick(agents).id : null,
        dueDate: dice.chance(0.5) ? now + dice.below(30 * 86_400_000) : null,
        notBefore: dice.chance(0.2) ? now + dice.below(600_000) : null,
        dependsOn: fixture.ids.length > 0 && dice.chance(0.4) ? [dice.pick(fixture.ids)] : [],
        maxAttempts: 1 + dice.below(3),
      }),
      actor: PERSON,
      idempotency: null,
    },
    fixture.at(),
  )
  fixture.ids.push(value.id)
}

async function claimTask(fixture: Fixture): Promise<void> {
  const { storage, workspaceId } = fixture
  const agent = fixture.dice.pick(fixture.agents)
  const now = fixture.at().now ?? 0
  const expected = (await everyTask(fixture))
    .filter((task) => isReady(task, now) && (task.assignedTo === null || task.assignedTo === agent.id))
    .sort(
      (a, b) =>
        scoreUnits(b, now) - scoreUnits(a, now) ||
        (a.dueDate ?? Number.MAX_SAFE_INTEGER) - (b.dueDate ?? Number.MAX_SAFE_INTEGER) ||
        a.createdAt - b.createdAt ||
        (a.id < b.id ? -1 : 1),
    )[0]
  const batch = await storage.tasks.claimTasks(
    { target: { workspaceId, agentId: agent.id, leaseMs: LEASE_MS }, limit: 1 },
    fixture.at(),
  )
  const claimed = batch.tasks[0]
  expect(claimed?.id).toBe(expected?.id)
  if (claimed?.lease)
    fixture.claims.push({ taskId: claimed.id, fencingToken: claimed.lease.fencingToken, agentId: agent.id })
}

/** An agent writes under any claim it ever had; only a live one may succeed. */
async function agentWrites(fixture: Fixture): Promise<void> {
  if (fixture.claims.length === 0) return addTask(fixture)
  const { storage, dice, workspaceId } = fixture
  const claim = dice.pick(fixture.claims)
  const before = (
    await storage.tasks.getTask({ within: workspaceId, taskId: claim.taskId, parts: ['task'] }, fixture.at())
  ).task
  const now = fixture.at().now ?? 0
  const live = before.lease?.fencingToken === claim.fencingToken && before.lease.expiresAt > now
  const proof = { workspaceId, ...claim }
  const writes = [
    () =>
      storage.tasks.changeTask(
        { target: proof, command: { kind: 'renew', fencingToken: proof.fencingToken, leaseMs: LEASE_MS } },
        fixture.at(),
      ),
    () =>
      storage.tasks.changeTask(
        {
          target: proof,
          command: {
            kind: 'progress',
            fencingToken: proof.fencingToken,
            progress: dice.below(101),
            leaseMs: LEASE_MS,
          },
        },
        fixture.at(),
      ),
    () => storage.tasks.completeTask({ proof, result: 'result', next: null }, fixture.at()),
    () => storage.tasks.completeTask({ proof, result: 'result', next: null }, fixture.at()),
    () =>
      storage.tasks.changeTask(
        {
          target: proof,
          command: {
            kind: 'fail',
            fencingToken: proof.fencingToken,
            reason: 'reason',
            backoff: dice.chance(0.7) ? defaultBackoff : null,
          },
        },
        fixture.at(),
      ),
    () =>
      storage.tasks.changeTask(
        {
          target: proof,
          command: {
            kind: 'hold_claimed',
            fencingToken: proof.fencingToken,
            reason: dice.pick(holdReasons),
            message: null,
          },
        },
        fixture.at(),
      ),
    () =>
      storage.tasks.changeTask(
        {
          target: proof,
          command: { kind: 'return_claim', fencingToken: proof.fencingToken, reason: 'reason' },
        },
        fixture.at(),
      ),
  ]
  const choice = dice.below(writes.length)
  const isRepeat = (choice === 2 || choice === 3) && isCompletedBy(before, claim.fencingToken, 'result')
  try {
    await writes[choice]?.()
    if (isRepeat) {
      expect(
        (
          await storage.tasks.getTask(
            { within: workspaceId, taskId: claim.taskId, parts: ['task'] },
            fixture.at(),
          )
        ).task,
      ).toEqual(before)
      return
    }
    if (!live) fixture.staleAccepted++
    if (choice === 2 || choice === 3)
      fixture.completions.set(claim.taskId, (fixture.completions.get(claim.taskId) ?? 0) + 1)
  } catch (error) {
    if (!isTaskboardError(error, 'CONFLICT')) throw error
    expect(live).toBe(false)
    expect(
      (
        await storage.tasks.getTask(
          { within: workspaceId, taskId: claim.taskId, parts: ['task'] },
          fixture.at(),
        )
      ).task,
    ).toEqual(before)
  }
}

async function personActs(fixture: Fixture): Promise<void> {
  if (fixture.ids.length === 0) return addTask(fixture)
  const { storage, dice, workspaceId } = fixture
  const taskId = dice.pick(fixture.ids)
  const acts = [
    () =>
      storage.tasks.changeTask(
        { target: { workspaceId, taskId }, command: { kind: 'move', to: dice.pick(columns), actor: PERSON } },
        fixture.at(),
      ),
    () =>
      storage.tasks.changeTask(
        {
          target: { workspaceId, taskId },
          command: { kind: 'hold', reason: dice.pick(holdReasons), message: 'why', actor: PERSON },
        },
        fixture.at(),
      ),
    () =>
      storage.tasks.changeTask(
        { target: { workspaceId, taskId }, command: { kind: 'release', actor: PERSON } },
        fixture.at(),
      ),
  ]
  try {
    await dice.pick(acts)()
  } catch (error) {
    if (!isTaskboardError(error, 'CONFLICT')) throw error
  }
}

async function runHistory(seed: number): Promise<{ fixture: Fixture; events: readonly LoggedEvent[] }> {
  let now = Date.UTC(2026, 0, 1)
  const fixture = await createFixture(seed, () => ({ now }))
  const { dice, storage } = fixture
  for (let step = 0; step < STEPS; step++) {
    const roll = dice.below(10)
    if (roll < 3) await addTask(fixture)
    else if (roll < 5) await claimTask(fixture)
    else if (roll < 8) await agentWrites(fixture)
    else if (roll < 9) await personActs(fixture)
    else now += dice.pick([1, 1_000, 20_000, 90_000, 3_600_000, 5 * 86_400_000])
    if (dice.chance(0.3))
      await storage.tasks.expireLeases({ limit: 100, backoff: defaultBackoff }, fixture.at())
  }
  return {
    fixture,
    events: await storage.events.readEvents(
      { workspaceId: fixture.workspaceId, afterSeq: 0, limit: 10_000 },
      { now: null },
    ),
  }
}

async function checkTasks(fixture: Fixture): Promise<void> {
  const tasks = await everyTask(fixture)
  const byId = new Map(tasks.map((task) => [task.id, task]))
  expect([...byId.keys()].sort()).toEqual([...fixture.ids].sort())
  for (const task of tasks) {
    const open = task.dependsOn.filter((id) => byId.get(id)?.column !== 'DONE').length
    expect(task.openDependencies).toBe(open)
    expect(task.lease === null || task.column === 'DOING').toBe(true)
    expect(task.hold === null || task.column === 'TODO').toBe(true)
    const { attempts } = await fixture.storage.tasks.getTask(
      { within: fixture.workspaceId, taskId: task.id, parts: ['attempts'] },
      fixture.at(),
    )
    expect(attempts.every((attempt) => attempt.outcome !== null)).toBe(true)
  }
}

/** Replays the log: each event must follow from the one before, and report every change exactly once. */
function checkEvents(fixture: Fixture, events: readonly LoggedEvent[]): void {
  expect(events.map((event) => event.seq)).toEqual(events.map((_, index) => index + 1))
  const count = (type: string) => events.filter((event) => event.type === type)
  expect(count('task.created')).toHaveLength(fixture.ids.length)
  expect(count('task.started')).toHaveLength(fixture.claims.length)
  const completed = [...fixture.completions.values()].reduce((sum, each) => sum + each, 0)
  expect(count('task.completed')).toHaveLength(completed)
  const column = new Map<string, string>()
  for (const event of events) {
    if (event.type === 'task.created') column.set(event.data.taskId, 'TODO')
    if (event.type === 'task.started') expect(swap(column, event.data.taskId, 'DOING')).toBe('TODO')
    if (event.type === 'task.completed') expect(swap(column, event.data.taskId, 'DONE')).toBe('DOING')
    if (event.type === 'task.failed') expect(swap(column, event.data.taskId, 'TODO')).not.toBe('DONE')
    if (event.type === 'task.moved')
      expect(swap(column, event.data.taskId, event.data.to)).toBe(event.data.from)
  }
}

function swap(map: Map<string, string>, key: string, value: string): string | undefined {
  const before = map.get(key)
  map.set(key, value)
  return before
}

async function checkDeliveries(fixture: Fixture, events: readonly LoggedEvent[]): Promise<void> {
  const [webhook] = await fixture.storage.webhooks.listWebhooks({ within: fixture.workspaceId }, fixture.at())
  const deliveries = await fixture.storage.webhooks.listDeliveries(
    {
      workspaceId: fixture.workspaceId,
      webhookId: webhook?.id ?? '',
      status: null,
      limit: 1_000,
      afterId: null,
    },
    fixture.at(),
  )
  const subscribed = events.filter((event) => (webhookEventTypes as readonly string[]).includes(event.type))
  expect(deliveries.map((delivery) => delivery.event.seq).sort((a, b) => a - b)).toEqual(
    subscribed.map((event) => event.seq),
  )
}

describe(`${HISTORIES} random histories of a board`, () => {
  it(
    'lose no task, run none twice, accept no stale write, and log every change once',
    { timeout: 120_000 },
    async () => {
      let staleAccepted = 0
      let completed = 0
      for (let seed = 1; seed <= HISTORIES; seed++) {
        const { fixture, events } = await runHistory(seed)
        await checkTasks(fixture)
        checkEvents(fixture, events)
        await checkDeliveries(fixture, events)
        staleAccepted += fixture.staleAccepted
        completed += fixture.completions.size
      }
      expect(staleAccepted).toBe(0)
      expect(completed).toBeGreaterThan(HISTORIES)
    },
  )
})
