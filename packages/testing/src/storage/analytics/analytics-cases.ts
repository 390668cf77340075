import assert from 'node:assert/strict'
import { columns, type Agent, type Task, type Reach } from '@taskboard/core'
import {
  countEvent,
  dayOf,
  type DayFigures,
  type FiguresQuery,
  type LoggedEvent,
} from '@taskboard/core/storage'
import { seededChance, type Chance } from '../chance.js'
import { assertRefused, type StorageCheck } from '../storage-case.js'
import {
  DAY,
  HOUR,
  MINUTE,
  PERSON,
  proofOf,
  SECOND,
  START,
  unknownId,
  type StorageFixture,
  changeClaimed,
  changeTask,
} from '../storage-fixture.js'

const BASELINES = { defaultMs: 30 * MINUTE, msByType: { report: 2 * HOUR } }
const FIRST_DAY = dayOf(START)
const ALL: Omit<FiguresQuery, 'reach'> = {
  workspaceId: null,
  fromDay: FIRST_DAY,
  toDay: FIRST_DAY + 10_000,
  baselines: BASELINES,
}
const NOTHING = { created: 0, completed: 0, failed: 0, timed: 0, takenMs: 0, baselineMs: 0 }

const reachOf = ({ accountId }: StorageFixture): Reach => ({ accountId, workspaceIds: 'all' })

function figuresOf(fixture: StorageFixture, query: Partial<FiguresQuery> = {}, reach = reachOf(fixture)) {
  return fixture.storage.analytics.readFigures({ reach, ...ALL, ...query }, fixture.at())
}

/** Adds a task of a type, lets the agent claim it at `startMs` and complete it at `endMs`. */
async function complete(
  fixture: StorageFixture,
  type: string | null,
  startMs: number,
  endMs: number,
): Promise<Task> {
  const claimed = await fixture.addClaimed({ type }, fixture.at(startMs))
  const held = await changeClaimed(
    fixture.storage.tasks,
    proofOf(claimed),
    { kind: 'renew', leaseMs: 10 * DAY },
    fixture.at(startMs),
  )
  return (
    await fixture.storage.tasks.completeTask(
      { proof: proofOf(held), result: 'done', next: null },
      fixture.at(endMs),
    )
  ).task
}

/** What a scan of all events gives, as `readFigures` gives it. */
function scan(events: readonly LoggedEvent[]): readonly DayFigures[] {
  const days = new Map<number, DayFigures>()
  for (const event of events) {
    const count = countEvent(event)
    if (count === null) continue
    const { day, type, ...counted } = count
    const baselineMs = counted.completed * (type === 'report' ? 2 * HOUR : 30 * MINUTE)
    const before: DayFigures = days.get(day) ?? { day, ...NOTHING }
    const added = Object.entries({ ...counted, baselineMs }).map(([name, value]) => [
      name,
      before[name as keyof DayFigures] + value,
    ])
    days.set(day, { ...before, ...Object.fromEntries(added) })
  }
  return [...days.values()].sort((a, b) => a.day - b.day)
}

const figureCases: readonly StorageCheck[] = [
  {
    id: 'analytics.figures',
    name: 'figures count what was created, completed and failed on each day, and how long that took',
    async check(fixture) {
      const { storage, at } = fixture
      await complete(fixture, 'report', 0, HOUR)
      await complete(fixture, null, 0, 10 * MINUTE)
      await complete(fixture, 'unknown-type', DAY - SECOND, DAY + SECOND)
      const failed = await fixture.addClaimed({}, at(DAY))
      await changeClaimed(
        storage.tasks,
        proofOf(failed),
        { kind: 'fail', reason: 'no', backoff: null },
        at(DAY),
      )
      const asked = await fixture.addClaimed({}, at(DAY))
      await changeClaimed(
        storage.tasks,
        proofOf(asked),
        { kind: 'hold_claimed', reason: 'needs_input', message: null },
        at(DAY),
      )
      const retried = await fixture.addClaimed({}, at(DAY))
      const backoff = { baseMs: DAY, factor: 1, maxMs: DAY }
      await changeClaimed(
        storage.tasks,
        proofOf(retried),
        { kind: 'fail', reason: 'again', backoff },
        at(DAY),
      )
      await fixture.finish(await fixture.add({}, at(3 * DAY)), at(3 * DAY))
      const expected = [
        {
          ...NOTHING,
          day: FIRST_DAY,
          created: 3,
          completed: 2,
          timed: 2,
          takenMs: 70 * MINUTE,
          baselineMs: 150 * MINUTE,
        },
        {
          day: FIRST_DAY + 1,
          created: 3,
          completed: 1,
          failed: 1,
          timed: 1,
          takenMs: 2 * SECOND,
          baselineMs: 30 * MINUTE,
        },
        { ...NOTHING, day: FIRST_DAY + 3, created: 1, completed: 1, baselineMs: 30 * MINUTE },
      ]
      assert.deepEqual(await figuresOf(fixture), expected)
      assert.ok((await storage.analytics.rollUp({ limit: 1_000 }, at())) > 0)
      assert.equal(await storage.analytics.rollUp({ limit: 1_000 }, at()), 0)
      assert.deepEqual(await figuresOf(fixture), expected)
      const oneDay = { fromDay: FIRST_DAY + 1, toDay: FIRST_DAY + 1 }
      assert.deepEqual(await figuresOf(fixture, oneDay), [expected[1]])
      assert.deepEqual(await figuresOf(fixture, { fromDay: 0, toDay: FIRST_DAY - 1 }), [])
    },
  },
  {
    id: 'analytics.reopened',
    name: 'a task that leaves DONE takes back its completion, rolled up or not, and may be completed again',
    async check(fixture) {
      const { storage, workspaceId, at } = fixture
      const task = await complete(fixture, 'report', 0, HOUR)
      const byHand = await fixture.add()
      await fixture.finish(byHand, at(HOUR))
      const move = (id: string, to: 'TODO' | 'DOING', afterMs: number) =>
        changeTask(storage.tasks, { workspaceId, id }, { kind: 'move', to, actor: PERSON }, at(afterMs))
      await move(byHand.id, 'DOING', DAY)
      const created = { ...NOTHING, day: FIRST_DAY, created: 2 }
      const one = { completed: 1, timed: 1, takenMs: HOUR, baselineMs: 2 * HOUR }
      assert.deepEqual(await figuresOf(fixture), [{ ...created, ...one }])
      await storage.analytics.rollUp({ limit: 1_000 }, at())
      assert.deepEqual(await figuresOf(fixture), [{ ...created, ...one }])
      await move(task.id, 'TODO', DAY)
      assert.deepEqual(await figuresOf(fixture), [created])
      await storage.analytics.rollUp({ limit: 1_000 }, at())
      assert.deepEqual(await figuresOf(fixture), [created])
      await fixture.finish(byHand, at(DAY + MINUTE))
      const again = { completed: 1, timed: 1, takenMs: MINUTE, baselineMs: 30 * MINUTE }
      assert.deepEqual(await figuresOf(fixture), [created, { ...NOTHING, day: FIRST_DAY + 1, ...again }])
    },
  },
  {
    id: 'analytics.deleted',
    name: 'deleting tasks changes no figure',
    async check(fixture) {
      const task = await complete(fixture, 'report', 0, HOUR)
      const before = await figuresOf(fixture)
      await fixture.storage.tasks.deleteTask(
        { workspaceId: task.workspaceId, taskId: task.id, actor: PERSON },
        fixture.at(DAY),
      )
      assert.deepEqual(await figuresOf(fixture), before)
      await fixture.storage.analytics.rollUp({ limit: 1_000 }, fixture.at())
      assert.deepEqual(await figuresOf(fixture), before)
    },
  },
  {
    id: 'analytics.reach',
    name: 'figures are those of the workspaces within reach',
    async check(fixture) {
      const { storage, accountId, workspaceId, at } = fixture
      const other = await fixture.addWorkspace()
      await fixture.add()
      await fixture.add({ workspaceId: other.workspaceId })
      await fixture.add({ workspaceId: other.workspaceId })
      await storage.analytics.rollUp({ limit: 1 }, at())
      const created = async (query?: Partial<FiguresQuery>, reach?: Reach) =>
        (await figuresOf(fixture, query, reach)).map((each) => each.created)
      assert.deepEqual(await created(), [3])
      assert.deepEqual(await created({ workspaceId }), [1])
      const bound = { accountId, workspaceIds: [other.workspaceId] }
      assert.deepEqual(await created({}, bound), [2])
      await assertRefused(created({ workspaceId }, bound), 'NOT_FOUND', 'workspaceId')
      await assertRefused(created({ workspaceId: unknownId('ws') }), 'NOT_FOUND', 'workspaceId')
      const stranger = { accountId: unknownId('acct'), workspaceIds: 'all' } as const
      assert.deepEqual(await created({}, stranger), [])
      await assertRefused(created({ workspaceId }, stranger), 'NOT_FOUND', 'workspaceId')
    },
  },
  {
    id: 'analytics.prune',
    name: 'events are pruned only when they are rolled up, and figures stay',
    async check(fixture) {
      const { storage, at } = fixture
      await complete(fixture, null, 0, HOUR)
      const before = await figuresOf(fixture)
      assert.equal(
        await storage.prune({ rows: 'events', olderThanMs: 0, limit: 10 }, { now: START + DAY }),
        0,
      )
      assert.equal(await storage.analytics.rollUp({ limit: 2 }, at()), 2)
      assert.equal(
        await storage.prune({ rows: 'events', olderThanMs: 0, limit: 10 }, { now: START + DAY }),
        2,
      )
      assert.equal(
        await storage.prune({ rows: 'events', olderThanMs: 0, limit: 10 }, { now: START + DAY }),
        0,
      )
      assert.deepEqual(await figuresOf(fixture), before)
      assert.equal(await storage.analytics.rollUp({ limit: 10 }, at()), 1)
      assert.equal(
        await storage.prune({ rows: 'events', olderThanMs: 0, limit: 10 }, { now: START + DAY }),
        1,
      )
      assert.deepEqual(await figuresOf(fixture), before)
      await fixture.add({}, at(DAY))
      assert.equal(await storage.analytics.rollUp({ limit: 10 }, at()), 1)
    },
  },
  {
    id: 'analytics.at-once',
    name: 'events are counted once, however many roll them up at the same time',
    async check(fixture) {
      const { storage, at } = fixture
      const other = await fixture.addWorkspace()
      for (let index = 0; index < 10; index++) {
        await fixture.add({}, at(index * DAY))
        await fixture.add({ workspaceId: other.workspaceId }, at(index * DAY))
      }
      const before = await figuresOf(fixture)
      let rounds = 0
      let taken: readonly number[] = [1]
      for (; taken.some((count) => count > 0) && rounds < 40; rounds++) {
        taken = await Promise.all([3, 4, 5, 2].map((limit) => storage.analytics.rollUp({ limit }, at())))
        assert.deepEqual(await figuresOf(fixture), before)
      }
      assert.ok(rounds < 40)
      assert.equal(
        await storage.prune({ rows: 'events', olderThanMs: 0, limit: 100 }, { now: START + 100 * DAY }),
        20,
      )
      assert.deepEqual(await figuresOf(fixture), before)
    },
  },
]

/** A random history: everything that can happen to tasks, with roll-ups and pruning in between. */
async function live(fixture: StorageFixture, chance: Chance, steps: number): Promise<void> {
  const { storage, at } = fixture
  const other = await fixture.addWorkspace()
  const agents: readonly Agent[] = [fixture.agent, other.agent]
  const seen = new Map<string, LoggedEvent[]>(agents.map(({ workspaceId }) => [workspaceId, []]))
  const tasks: Task[] = []
  let nowMs = 0

  /** Before they are pruned. */
  async function note(): Promise<void> {
    for (const [workspaceId, events] of seen) {
      events.push(
        ...(await storage.events.readEvents(
          { workspaceId, afterSeq: events.at(-1)?.seq ?? 0, limit: 1_000 },
          at(),
        )),
      )
    }
  }

  async function work(agent: Agent): Promise<void> {
    const claimed = await fixture.claim(at(nowMs), agent)
    if (claimed === null) return
    nowMs += chance.below(50 * SECOND)
    if (chance.below(4) > 0)
      await storage.tasks.completeTask({ proof: proofOf(claimed), result: '', next: null }, at(nowMs))
    else
      await changeClaimed(
        storage.tasks,
        proofOf(claimed),
        { kind: 'fail', reason: 'no', backoff: null },
        at(nowMs),
      )
  }

  async function meddle(): Promise<void> {
    const index = chance.below(tasks.length)
    const task = tasks[index]
    if (task === undefined) return
    if (chance.below(6) > 0) {
      await changeTask(
        storage.tasks,
        task,
        { kind: 'move', to: chance.pick(columns), actor: PERSON },
        at(nowMs),
      )
      return
    }
    await storage.tasks.deleteTask(
      { workspaceId: task.workspaceId, taskId: task.id, actor: PERSON },
      at(nowMs),
    )
    tasks.splice(index, 1)
  }

  for (let step = 0; step < steps; step++) {
    nowMs += chance.below(8 * HOUR)
    const agent = chance.pick(agents)
    const what = chance.below(10)
    if (what < 3) {
      const type = chance.pick([null, 'report', 'constructor'])
      tasks.push(await fixture.add({ workspaceId: agent.workspaceId, type }, at(nowMs)))
    } else if (what < 6) await work(agent)
    else if (what < 8) await meddle()
    else if (what === 8) await storage.analytics.rollUp({ limit: 1 + chance.below(7) }, at(nowMs))
    else {
      await note()
      await storage.prune(
        { rows: 'events', olderThanMs: 0, limit: 1 + chance.below(9) },
        { now: START + nowMs - chance.below(2 * DAY) },
      )
    }
  }
  await note()
  assert.deepEqual(await figuresOf(fixture), scan([...seen.values()].flat()))
  const [first] = seen.keys()
  assert.ok(first)
  assert.deepEqual(await figuresOf(fixture, { workspaceId: first }), scan(seen.get(first) ?? []))
}

const propertyCases: readonly StorageCheck[] = [1, 2, 3, 4].map((seed) => ({
  id: `analytics.random-${seed}`,
  name: `rolled up at random, figures equal a scan of all events there were (history ${seed})`,
  check: (fixture) => live(fixture, seededChance(seed), 120),
}))

/** Figures about tasks. */
export const analyticsCases: readonly StorageCheck[] = [...figureCases, ...propertyCases]
