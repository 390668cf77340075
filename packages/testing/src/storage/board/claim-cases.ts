import assert from 'node:assert/strict'
import type { ClaimBatch } from '@taskboard/core/storage'
import { checkRandomPicks } from '../random-picks.js'
import { assertRefused, type StorageCheck } from '../storage-case.js'
import {
  AGENT_TYPE,
  DAY,
  LEASE_MS,
  MINUTE,
  PERSON,
  SECOND,
  START,
  unknownId,
  type StorageFixture,
  readTask,
  changeTask,
} from '../storage-fixture.js'

async function claimByType(
  fixture: StorageFixture,
  limit: number,
  afterMs = 0,
  agentType = AGENT_TYPE,
): Promise<ClaimBatch> {
  return fixture.storage.tasks.claimTasks(
    { target: { agentType, leaseMs: LEASE_MS }, limit },
    fixture.at(afterMs),
  )
}

/** Who gets which task. */
export const claimCases: readonly StorageCheck[] = [
  {
    id: 'claims.claim',
    name: 'a claim moves the task to DOING with a lease, a fencing token and an attempt, and emits task.started',
    async check({ storage, add, claim, get, events, agent, at }) {
      const task = await add()
      const claimed = await claim(at(SECOND))
      assert.ok(claimed !== null)
      assert.deepEqual([claimed.id, claimed.column, claimed.startedAt], [task.id, 'DOING', START + SECOND])
      const expiresAt = START + SECOND + LEASE_MS
      const lease = { agentId: agent.id, fencingToken: 1, expiresAt, durationMs: LEASE_MS }
      assert.deepEqual(claimed.lease, lease)
      assert.deepEqual(await get(task), claimed)
      const last = (await events()).at(-1)
      assert.ok(last?.type === 'task.started')
      assert.deepEqual([last.data.agentId, last.data.attempt, last.at], [agent.id, 1, START + SECOND])
      const { attempts } = await readTask(storage.tasks, task, ['attempts'], at())
      assert.deepEqual(attempts, [], 'the attempt under way is not among the earlier ones')
    },
  },
  {
    id: 'claims.nothing',
    name: 'with nothing to take a claim is empty and names no next time',
    async check(fixture) {
      const { workspaceId, agent } = fixture
      const request = { workspaceId, agentId: agent.id, leaseMs: LEASE_MS }
      const empty = { tasks: [], nextReadyInMs: null }
      assert.deepEqual(
        await fixture.storage.tasks.claimTasks({ target: request, limit: 3 }, fixture.at()),
        empty,
      )
      assert.deepEqual(await claimByType(fixture, 3), empty)
      assert.deepEqual(await fixture.events(), [])
    },
  },
  {
    id: 'claims.unknown-agent',
    name: 'a claim for an agent that the workspace does not have is NOT_FOUND',
    async check({ storage, workspaceId, addWorkspace, at }) {
      const { agent } = await addWorkspace()
      for (const agentId of [unknownId('agent'), agent.id]) {
        const request = { workspaceId, agentId, leaseMs: LEASE_MS }
        await assertRefused(storage.tasks.claimTasks({ target: request, limit: 1 }, at()), 'NOT_FOUND')
      }
    },
  },
  {
    id: 'claims.one-task',
    name: 'a claim of one task takes it before better ones, if it is ready for the agent, and takes no other',
    async check({ storage, workspaceId, agent, addAgent, add, at }) {
      const claimOne = async (taskId: string, agentId = agent.id, afterMs = 0) => {
        const target = { workspaceId, agentId, leaseMs: LEASE_MS, taskId }
        return (await storage.tasks.claimTasks({ target, limit: 1 }, at(afterMs))).tasks.map(({ id }) => id)
      }
      await add({ priority: 'urgent' })
      const low = await add({ priority: 'low' })
      assert.deepEqual(await claimOne(low.id), [low.id])
      assert.deepEqual(await claimOne(low.id), [], 'it is taken')
      const planned = await add({ notBefore: START + MINUTE })
      assert.deepEqual(await claimOne(planned.id), [])
      assert.deepEqual(await claimOne(planned.id, agent.id, 2 * MINUTE), [planned.id])
      const other = await addAgent('other')
      const typed = await add({ type: 'other' })
      const assigned = await add({ assignedTo: other.id })
      for (const { id } of [typed, assigned]) {
        assert.deepEqual(await claimOne(id), [], 'it is for the other agent')
        assert.deepEqual(await claimOne(id, other.id), [id])
      }
      assert.deepEqual(await claimOne(unknownId('task')), [])
    },
  },
  {
    id: 'claims.best-first',
    name: 'the highest priority is taken first',
    async check({ add, claim }) {
      for (const priority of ['low', 'urgent', 'medium', 'high'] as const) await add({ priority })
      const order = [await claim(), await claim(), await claim(), await claim()].map((task) => task?.priority)
      assert.deepEqual(order, ['urgent', 'high', 'medium', 'low'])
    },
  },
  {
    id: 'claims.due-far-away',
    name: 'of two tasks that are due months ahead the one that is due earlier is taken first, before one without a date',
    async check({ add, claim }) {
      const none = await add()
      const later = await add({ dueDate: START + 90 * DAY })
      const sooner = await add({ dueDate: START + 60 * DAY })
      const order = [await claim(), await claim(), await claim()].map((task) => task?.id)
      assert.deepEqual(order, [sooner.id, later.id, none.id])
    },
  },
  {
    id: 'claims.ties-by-due-date',
    name: 'equal scores go by due date, one for anyone and one for the agent alike',
    async check(fixture) {
      const { add, agent, at } = fixture
      const due = [START + 2 * DAY, START + DAY, START - DAY, START].map((dueDate) => ({ dueDate }))
      const tasks = [
        await add({ ...due[0], assignedTo: agent.id }),
        await add(due[1]),
        await add({ ...due[2], assignedTo: agent.id }),
        await add(due[3]),
      ]
      const now = at(60 * DAY)
      const order = [(await fixture.claim(now))?.id]
      const { tasks: rest } = await claimByType(fixture, 3, 60 * DAY)
      order.push(...rest.map(({ id }) => id))
      assert.deepEqual(
        order,
        tasks.toSorted((a, b) => (a.dueDate ?? 0) - (b.dueDate ?? 0)).map((task) => task.id),
      )
    },
  },
  {
    id: 'claims.ties',
    name: 'equal scores and due dates go by creation, then by id',
    async check({ add, claim, at }) {
      const old = { dueDate: START - DAY }
      const tasks = [await add(old, at(2)), await add(old, at(1)), await add(old, at(1))]
      const now = at(60 * DAY)
      const order = [await claim(now), await claim(now), await claim(now)].map((task) => task?.id)
      const expected = tasks.toSorted((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1))
      assert.deepEqual(
        order,
        expected.map((task) => task.id),
      )
    },
  },
  {
    id: 'claims.time-alone',
    name: 'time alone changes who is first, as a due date draws near',
    async check({ add, claim, storage, at }) {
      const high = await add({ priority: 'high' })
      const nearing = await add({ priority: 'low', dueDate: START + 20 * DAY })
      const first = await claim(at(1))
      assert.equal(first?.id, high.id)
      await changeTask(storage.tasks, high, { kind: 'move', to: 'TODO', actor: PERSON }, at(2))
      assert.equal((await claim(at(20 * DAY)))?.id, nearing.id)
    },
  },
  {
    id: 'claims.random',
    name: 'at random instants with random tasks and edits the claimed task is the first of a full sort',
    async check(fixture) {
      await checkRandomPicks(fixture, 1)
    },
  },
  ...[2, 3, 4].map((seed) => ({
    id: `claims.random-${seed}`,
    name: `the same with another seed (${seed})`,
    check: (fixture: StorageFixture) => checkRandomPicks(fixture, seed),
  })),
  {
    id: 'claims.assigned',
    name: 'a task that is assigned goes to that agent only, against the unassigned ones by score',
    async check({ add, claim, addAgent, agent }) {
      const second = await addAgent()
      const own = await add({ priority: 'high', assignedTo: agent.id })
      const anyones = await add({ priority: 'medium' })
      assert.equal((await claim(undefined, second))?.id, anyones.id)
      assert.equal(await claim(undefined, second), null)
      assert.equal((await claim())?.id, own.id)
    },
  },
  {
    id: 'claims.limit',
    name: 'a claim takes at most the limit, best first',
    async check({ storage, add, workspaceId, agent, at }) {
      const tasks = [await add({ priority: 'low' }), await add({ priority: 'high' }), await add()]
      const request = { workspaceId, agentId: agent.id, leaseMs: LEASE_MS }
      const batch = await storage.tasks.claimTasks({ target: request, limit: 2 }, at())
      assert.deepEqual(
        batch.tasks.map((task) => task.id),
        [tasks[1]?.id, tasks[2]?.id],
      )
    },
  },
  {
    id: 'claims.not-before',
    name: 'a task that may not begin yet is taken from that instant on, and an empty claim says how long that is',
    async check(fixture) {
      const task = await fixture.add({ notBefore: START + MINUTE })
      const { storage, workspaceId, agent } = fixture
      const request = { workspaceId, agentId: agent.id, leaseMs: LEASE_MS }
      const early = await storage.tasks.claimTasks({ target: request, limit: 1 }, fixture.at(MINUTE - 1))
      assert.deepEqual(early, { tasks: [], nextReadyInMs: 1 })
      assert.equal((await claimByType(fixture, 1, MINUTE - 1)).nextReadyInMs, 1)
      assert.equal((await fixture.claim(fixture.at(MINUTE)))?.id, task.id)
    },
  },
  {
    id: 'claims.next-ready-own',
    name: 'what others wait for is no reason to come again',
    async check(fixture) {
      const other = await fixture.addAgent('other')
      await fixture.add({ assignedTo: other.id, notBefore: START + MINUTE })
      await fixture.add({ notBefore: START + 2 * MINUTE, dependsOn: [(await fixture.addClaimed()).id] })
      assert.equal((await claimByType(fixture, 1)).nextReadyInMs, null)
      assert.equal((await claimByType(fixture, 1, 0, 'other')).nextReadyInMs, MINUTE)
    },
  },
  {
    id: 'claims.best-types',
    name: 'a claim by type takes only for stored agents of its type',
    async check(fixture) {
      await fixture.add()
      assert.deepEqual((await claimByType(fixture, 1, 0, 'other')).tasks, [])
      const other = await fixture.addAgent('other')
      const { tasks } = await claimByType(fixture, 1, 0, 'other')
      assert.equal(tasks[0]?.lease?.agentId, other.id)
    },
  },
  {
    id: 'claims.best-assigned',
    name: 'a claim by type gives an assigned task to its agent, in the order of scores',
    async check(fixture) {
      const second = await fixture.addAgent()
      const foreign = await fixture.addAgent('other')
      await fixture.add({ priority: 'urgent', assignedTo: foreign.id })
      const own = await fixture.add({ priority: 'high', assignedTo: second.id })
      const anyones = await fixture.add()
      const { tasks } = await claimByType(fixture, 5)
      assert.deepEqual(
        tasks.map((task) => task.id),
        [own.id, anyones.id],
      )
      assert.equal(tasks[0]?.lease?.agentId, second.id)
    },
  },
  {
    id: 'claims.round-robin',
    name: 'workspaces with ready tasks take turns, one task a turn, best first inside each',
    async check(fixture) {
      const others = [await fixture.addWorkspace(), await fixture.addWorkspace()]
      const workspaceIds = [fixture.workspaceId, ...others.map((each) => each.workspaceId)]
      // The first has many and better ones; it must not starve the others.
      for (let count = 0; count < 6; count++) await fixture.add({ priority: 'urgent' })
      for (const { workspaceId } of others) {
        await fixture.add({ workspaceId, priority: 'low' })
        await fixture.add({ workspaceId, priority: 'high' })
      }
      const { tasks } = await claimByType(fixture, 6)
      const rounds = [tasks.slice(0, 3), tasks.slice(3)]
      for (const round of rounds) {
        assert.deepEqual(round.map((task) => task.workspaceId).sort(), workspaceIds.toSorted())
      }
      const [first, second] = rounds.map((round) => round.map((task) => task.workspaceId))
      assert.deepEqual(second, first, 'the turns keep their order')
      for (const { workspaceId } of others) {
        const flags = tasks.filter((task) => task.workspaceId === workspaceId).map((task) => task.priority)
        assert.deepEqual(flags, ['high', 'low'])
      }
    },
  },
  {
    id: 'claims.round-robin-over-calls',
    name: 'turns continue from one call to the next',
    async check(fixture) {
      const { workspaceId } = await fixture.addWorkspace()
      for (let count = 0; count < 3; count++) {
        await fixture.add({ priority: 'urgent' })
        await fixture.add({ workspaceId, priority: 'low' })
      }
      const served: (string | undefined)[] = []
      for (let count = 0; count < 6; count++)
        served.push((await claimByType(fixture, 1)).tasks[0]?.workspaceId)
      assert.equal(served.filter((id) => id === workspaceId).length, 3)
      for (let index = 1; index < served.length; index++) assert.notEqual(served[index], served[index - 1])
    },
  },
  {
    id: 'claims.eight-claimers',
    name: 'eight claimers at once take a thousand tasks, each once',
    async check(fixture) {
      for (let count = 0; count < 1_000; count++) await fixture.add()
      const claimed: string[] = []
      const claimer = async (): Promise<void> => {
        for (;;) {
          const { tasks } = await claimByType(fixture, 5)
          if (tasks.length === 0) return
          claimed.push(...tasks.map((task) => task.id))
        }
      }
      await Promise.all(Array.from({ length: 8 }, claimer))
      assert.equal(claimed.length, 1_000)
      assert.equal(new Set(claimed).size, 1_000)
    },
  },
  {
    id: 'claims.complete-and-next',
    name: 'completing can take the next task in the same commit',
    async check(fixture) {
      const { storage, workspaceId, agent, add, addClaimed, at } = fixture
      const first = await addClaimed()
      const second = await add()
      const third = await add()
      const proof = { workspaceId, taskId: first.id, fencingToken: 1 }
      const byAgent = { workspaceId, agentId: agent.id, leaseMs: LEASE_MS }
      const completion = await storage.tasks.completeTask({ proof, result: 'one', next: byAgent }, at())
      assert.deepEqual([completion.task.column, completion.task.result], ['DONE', 'one'])
      assert.equal(completion.next?.tasks[0]?.id, second.id)
      const byType = { agentType: AGENT_TYPE, leaseMs: LEASE_MS }
      const next = await storage.tasks.completeTask(
        { proof: { ...proof, taskId: second.id }, result: 'two', next: byType },
        at(),
      )
      assert.equal(next.next?.tasks[0]?.id, third.id)
      const last = await storage.tasks.completeTask(
        { proof: { ...proof, taskId: third.id }, result: 'three', next: null },
        at(),
      )
      assert.equal(last.next, null)
    },
  },
  {
    id: 'claims.next-freed',
    name: 'the next task may be one that this very completion has freed',
    async check({ storage, add, addClaimed, agent, workspaceId, at }) {
      const first = await addClaimed()
      const dependent = await add({ dependsOn: [first.id] })
      const proof = { workspaceId, taskId: first.id, fencingToken: 1 }
      const request = { workspaceId, agentId: agent.id, leaseMs: LEASE_MS }
      const { next } = await storage.tasks.completeTask({ proof, result: 'r', next: request }, at())
      assert.equal(next?.tasks[0]?.id, dependent.id)
    },
  },
  {
    id: 'claims.rescore',
    name: 'a rescore with the bound weights changes no order',
    async check({ storage, add, claim, at }) {
      await add({ priority: 'low' })
      const best = await add({ priority: 'urgent' })
      assert.ok((await storage.tasks.rescore(at())) >= 2)
      assert.equal((await claim())?.id, best.id)
    },
  },
]
