import {
  type Agent,
  columns,
  defaultScoring,
  holdReasons,
  isTaskboardError,
  priorities,
  type Storage,
  type Task,
  webhookEventTypes,
} from '@taskboard/core'
import {
  type At,
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
interface World {
  readonly storage: Storage
  readonly dice: Dice
  readonly workspaceId: string
  readonly agents: readonly Agent[]
  readonly at: () => At
  readonly ids: string[]
  /** Every claim ever handed out, also those that were lost long ago. */
  readonly claims: { taskId: string; fencingToken: number; agentId: string }[]
  readonly completions: Map<string, number>
  staleAccepted: number
}

async function createWorld(seed: number, at: () => At): Promise<World> {
  const dice = seededDice(seed)
  const storage: Storage = memoryStorage()
  storage.bind({
    scoring: defaultScoring,
    newId: createNewId({ ...systemClock, now: () => at().now ?? 0 }),
    clock: systemClock,
    logLimit: 10,
    outputLimit: 10,
  })
  const { workspace } = await storage.access.insertAccount(
    { name: 'a', tier: 'professional', workspaceName: 'w', agent: { name: 'one', type: 'worker' } },
    at(),
  )
  await storage.agents.insertAgent(
    { agent: { workspaceId: workspace.id, name: 'two', type: 'worker' }, idempotency: null },
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

async function everyTask(world: World): Promise<Task[]> {
  const pages = await Promise.all(
    columns.map((column) =>
      world.storage.tasks.listTasks(
        { workspaceId: world.workspaceId, column, limit: 1_000, after: null },
        world.at(),
      ),
    ),
  )
  return pages.flatMap((page) => page.tasks)
}

async function addTask(world: World): Promise<void> {
  const { dice, storage, workspaceId, agents } = world
  const now = world.at().now ?? 0
  const { value } = await storage.tasks.insertTask(
    {
      task: newTask({
        workspaceId,
        title: `task ${world.ids.length}`,
        priority: dice.pick(priorities),
        assignedTo: dice.chance(0.2) ? dice.pick(agents).id : null,
        dueDate: dice.chance(0.5) ? now + dice.below(30 * 86_400_000) : null,
        notBefore: dice.chance(0.2) ? now + dice.below(600_000) : null,
        dependsOn: world.ids.length > 0 && dice.chance(0.4) ? [dice.pick(world.ids)] : [],
        maxAttempts: 1 + dice.below(3),
      }),
      actor: PERSON,
      idempotency: null,
    },
    world.at(),
  )
  world.ids.push(value.id)
}

async function claimTask(world: World): Promise<void> {
  const { storage, workspaceId } = world
  const agent = world.dice.pick(world.agents)
  const now = world.at().now ?? 0
  const expected = (await everyTask(world))
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
    world.at(),
  )
  const claimed = batch.tasks[0]
  expect(claimed?.id).toBe(expected?.id)
  if (claimed?.lease)
    world.claims.push({ taskId: claimed.id, fencingToken: claimed.lease.fencingToken, agentId: agent.id })
}

/** An agent writes under any claim it ever had; only a live one may succeed. */
async function agentWrites(world: World): Promise<void> {
  if (world.claims.length === 0) return addTask(world)
  const { storage, dice, workspaceId } = world
  const claim = dice.pick(world.claims)
  const before = (
    await storage.tasks.getTask({ within: workspaceId, taskId: claim.taskId, parts: ['task'] }, world.at())
  ).task
  const now = world.at().now ?? 0
  const live = before.lease?.fencingToken === claim.fencingToken && before.lease.expiresAt > now
  const proof = { workspaceId, ...claim }
  const writes = [
    () =>
      storage.tasks.changeTask(
        { target: proof, command: { kind: 'renew', fencingToken: proof.fencingToken, leaseMs: LEASE_MS } },
        world.at(),
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
        world.at(),
      ),
    () => storage.tasks.completeTask({ proof, result: 'result', next: null }, world.at()),
    () => storage.tasks.completeTask({ proof, result: 'result', next: null }, world.at()),
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
        world.at(),
      ),
    () =>
      storage.tasks.changeTask(
        {
          target: proof,
          command: {
            kind: 'raise_hold',
            fencingToken: proof.fencingToken,
            reason: dice.pick(holdReasons),
            message: null,
          },
        },
        world.at(),
      ),
    () =>
      storage.tasks.changeTask(
        { target: proof, command: { kind: 'hand_back', fencingToken: proof.fencingToken, reason: 'reason' } },
        world.at(),
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
            world.at(),
          )
        ).task,
      ).toEqual(before)
      return
    }
    if (!live) world.staleAccepted++
    if (choice === 2 || choice === 3)
      world.completions.set(claim.taskId, (world.completions.get(claim.taskId) ?? 0) + 1)
  } catch (error) {
    if (!isTaskboardError(error, 'CONFLICT')) throw error
    expect(live).toBe(false)
    expect(
      (
        await storage.tasks.getTask(
          { within: workspaceId, taskId: claim.taskId, parts: ['task'] },
          world.at(),
        )
      ).task,
    ).toEqual(before)
  }
}

async function personActs(world: World): Promise<void> {
  if (world.ids.length === 0) return addTask(world)
  const { storage, dice, workspaceId } = world
  const taskId = dice.pick(world.ids)
  const acts = [
    () =>
      storage.tasks.changeTask(
        { target: { workspaceId, taskId }, command: { kind: 'move', to: dice.pick(columns), actor: PERSON } },
        world.at(),
      ),
    () =>
      storage.tasks.changeTask(
        {
          target: { workspaceId, taskId },
          command: { kind: 'hold', reason: dice.pick(holdReasons), message: 'why', actor: PERSON },
        },
        world.at(),
      ),
    () =>
      storage.tasks.changeTask({ target: { workspaceId, taskId }, command: { kind: 'release' } }, world.at()),
  ]
  try {
    await dice.pick(acts)()
  } catch (error) {
    if (!isTaskboardError(error, 'CONFLICT')) throw error
  }
}

async function runHistory(seed: number): Promise<{ world: World; events: readonly LoggedEvent[] }> {
  let now = Date.UTC(2026, 0, 1)
  const world = await createWorld(seed, () => ({ now }))
  const { dice, storage } = world
  for (let step = 0; step < STEPS; step++) {
    const roll = dice.below(10)
    if (roll < 3) await addTask(world)
    else if (roll < 5) await claimTask(world)
    else if (roll < 8) await agentWrites(world)
    else if (roll < 9) await personActs(world)
    else now += dice.pick([1, 1_000, 20_000, 90_000, 3_600_000, 5 * 86_400_000])
    if (dice.chance(0.3))
      await storage.tasks.expireLeases({ limit: 100, backoff: defaultBackoff }, world.at())
  }
  return {
    world,
    events: await storage.events.readEvents(
      { workspaceId: world.workspaceId, afterSeq: 0, limit: 10_000 },
      { now: null },
    ),
  }
}

async function checkTasks(world: World): Promise<void> {
  const tasks = await everyTask(world)
  const byId = new Map(tasks.map((task) => [task.id, task]))
  expect([...byId.keys()].sort()).toEqual([...world.ids].sort())
  for (const task of tasks) {
    const open = task.dependsOn.filter((id) => byId.get(id)?.column !== 'DONE').length
    expect(task.openDependencies).toBe(open)
    expect(task.lease === null || task.column === 'DOING').toBe(true)
    expect(task.hold === null || task.column === 'TODO').toBe(true)
    const { attempts } = await world.storage.tasks.getTask(
      { within: world.workspaceId, taskId: task.id, parts: ['attempts'] },
      world.at(),
    )
    expect(attempts.every((attempt) => attempt.outcome !== null)).toBe(true)
  }
}

/** Replays the log: each event must follow from the one before, and tell of every change exactly once. */
function checkEvents(world: World, events: readonly LoggedEvent[]): void {
  expect(events.map((event) => event.seq)).toEqual(events.map((_, index) => index + 1))
  const count = (type: string) => events.filter((event) => event.type === type)
  expect(count('task.created')).toHaveLength(world.ids.length)
  expect(count('task.started')).toHaveLength(world.claims.length)
  const completed = [...world.completions.values()].reduce((sum, each) => sum + each, 0)
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

async function checkDeliveries(world: World, events: readonly LoggedEvent[]): Promise<void> {
  const [webhook] = await world.storage.webhooks.listWebhooks({ within: world.workspaceId }, world.at())
  const deliveries = await world.storage.webhooks.listDeliveries(
    {
      workspaceId: world.workspaceId,
      webhookId: webhook?.id ?? '',
      status: null,
      limit: 1_000,
      afterId: null,
    },
    world.at(),
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
        const { world, events } = await runHistory(seed)
        await checkTasks(world)
        checkEvents(world, events)
        await checkDeliveries(world, events)
        staleAccepted += world.staleAccepted
        completed += world.completions.size
      }
      expect(staleAccepted).toBe(0)
      expect(completed).toBeGreaterThan(HISTORIES)
    },
  )
})
