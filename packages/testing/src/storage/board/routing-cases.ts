import assert from 'node:assert/strict'
import type { Agent, Task } from '@taskboard/core'
import { anyAgentType, type AgentChange } from '@taskboard/core/storage'
import { assertRefused, type StorageCheck } from '../storage-case.js'
import {
  AGENT_TYPE,
  changeTask,
  LEASE_MS,
  MINUTE,
  PERSON,
  proofOf,
  SECOND,
  START,
  type StorageFixture as Fixture,
} from '../storage-fixture.js'

async function claimByType({ storage, at }: Fixture, agentType: string, limit = 1, afterMs = 0) {
  const target = { agentType, leaseMs: LEASE_MS }
  return (await storage.tasks.claimTasks({ target, limit }, at(afterMs))).tasks
}

async function change({ storage, at }: Fixture, agent: Agent, changed: AgentChange): Promise<void> {
  const { workspaceId, id: agentId } = agent
  await storage.agents.updateAgent({ workspaceId, agentId, change: changed }, at())
}

const remove = ({ storage, at }: Fixture, { workspaceId, id: agentId }: Agent): Promise<void> =>
  storage.agents.deleteAgent({ workspaceId, agentId }, at())

/** Routes all that is left to route; resolves to how many that were. */
async function routeAll({ storage, at }: Fixture, limit = 100): Promise<number> {
  let sum = 0
  for (;;) {
    const { settled, hasMore } = await storage.tasks.settleTasks({ left: 'routes', limit }, at())
    sum += settled
    if (!hasMore) return sum
  }
}

const ids = (tasks: readonly (Task | null)[]) => tasks.map((task) => task?.id)

const routes: readonly StorageCheck[] = [
  {
    id: 'routes.types',
    name: 'a task with a type that an agent of its workspace has is for agents of that type alone, others are for any',
    async check(fixture) {
      const { add, claim } = fixture
      const painter = await fixture.addAgent('a painter')
      const painting = await add({ type: 'a painter', priority: 'urgent' })
      const unknown = await add({ type: 'nobody has it', priority: 'high' })
      const plain = await add({ priority: 'low' })
      assert.deepEqual(ids([await claim(), await claim(), await claim()]), [unknown.id, plain.id, undefined])
      assert.deepEqual(ids([await claim(undefined, painter)]), [painting.id])
      // Of any agent, by a claim of the other type; the best of all that it may take.
      const low = await add({ type: 'a painter', priority: 'low' })
      const high = await add({ priority: 'high' })
      assert.deepEqual(ids(await claimByType(fixture, AGENT_TYPE, 5)), [high.id])
      const next = await add({ priority: 'high' })
      const taken = await claimByType(fixture, 'a painter', 5)
      assert.deepEqual(ids(taken), [next.id, low.id])
      assert.deepEqual(new Set(taken.map(({ lease }) => lease?.agentId)), new Set([painter.id]))
    },
  },
  {
    id: 'routes.workspaces',
    name: 'the types that the agents of one workspace have route no task of another',
    async check(fixture) {
      const { add, claim, at } = fixture
      const other = await fixture.addWorkspace(at(), 'painter')
      const task = await add({ type: 'painter' })
      await routeAll(fixture)
      assert.equal((await claim())?.id, task.id)
      const painter = await fixture.addAgent('painter')
      const next = await add({ type: 'painter' })
      await remove(fixture, other.agent)
      await routeAll(fixture)
      assert.equal(await claim(), null)
      assert.equal((await claim(undefined, painter))?.id, next.id)
    },
  },
  {
    id: 'routes.assigned',
    name: 'an assigned task is for its agent, whatever its type',
    async check(fixture) {
      const { add, claim, agent } = fixture
      const painter = await fixture.addAgent('painter')
      const task = await add({ type: 'painter', assignedTo: agent.id })
      assert.equal(await claim(undefined, painter), null)
      assert.equal((await claim())?.id, task.id)
    },
  },
  {
    id: 'routes.edited',
    name: 'a task that gets another type, or loses its assignee, is for other agents from then on',
    async check(fixture) {
      const { add, claim, agent, storage, at } = fixture
      const painter = await fixture.addAgent('painter')
      const edit = (task: Task, changed: { type?: string | null; assignedTo?: string | null }) =>
        changeTask(storage.tasks, task, { kind: 'edit', change: changed, actor: PERSON }, at())
      const task = await add({ type: 'painter' })
      await edit(task, { type: null })
      assert.equal((await claim())?.id, task.id)
      const second = await add({ type: 'painter', assignedTo: agent.id })
      await edit(second, { assignedTo: null })
      assert.equal(await claim(), null)
      assert.equal((await claim(undefined, painter))?.id, second.id)
    },
  },
  {
    id: 'routes.come-and-go',
    name: 'the first agent of a type and the last one to leave change who takes what waits',
    async check(fixture) {
      const { add, claim, at } = fixture
      const task = await add({ type: 'painter' })
      const later = await add({ type: 'painter', notBefore: START + MINUTE })
      const blocker = await add({ assignedTo: (await fixture.addAgent('else')).id })
      const blocked = await add({ type: 'painter', dependsOn: [blocker.id] })
      const painter = await fixture.addAgent('painter')
      await routeAll(fixture)
      await fixture.finish(blocker)
      await fixture.freeAll()
      assert.equal(await claim(at(2 * MINUTE)), null)
      await change(fixture, painter, { type: 'sculptor' })
      await routeAll(fixture)
      assert.equal((await claim(at(SECOND)))?.id, task.id)
      await change(fixture, painter, { type: 'painter' })
      await routeAll(fixture)
      assert.equal(await claim(at(2 * MINUTE)), null)
      await remove(fixture, painter)
      await routeAll(fixture)
      const rest = [await claim(at(2 * MINUTE)), await claim(at(2 * MINUTE))]
      assert.deepEqual(new Set(ids(rest)), new Set([later.id, blocked.id]))
    },
  },
  {
    id: 'routes.second-agent',
    name: 'an agent of a type that is not the only one changes no route when it comes or leaves',
    async check(fixture) {
      const { add, claim } = fixture
      const [one, two] = [await fixture.addAgent('painter'), await fixture.addAgent('painter')]
      const task = await add({ type: 'painter' })
      await remove(fixture, one)
      await routeAll(fixture)
      assert.equal(await claim(), null)
      assert.equal((await claim(undefined, two))?.id, task.id)
    },
  },
  {
    id: 'routes.batches',
    name: 'the first hundred tasks are routed with the change of agents, and the others in bounded batches',
    async check(fixture) {
      const { claim, storage, at } = fixture
      await Promise.all(Array.from({ length: 150 }, () => fixture.add({ type: 'painter' })))
      const painter = await fixture.addAgent('painter')
      const taken = await claimByType(fixture, AGENT_TYPE, 200)
      assert.ok(taken.length <= 50, 'a hundred are out of reach at once')
      const { settled } = await storage.tasks.settleTasks({ left: 'routes', limit: 1 }, at())
      assert.ok(settled <= 1)
      await routeAll(fixture)
      assert.equal(await claim(), null)
      assert.equal((await claimByType(fixture, 'painter', 200)).length, 150 - taken.length)
      assert.equal(await claim(undefined, painter), null)
    },
  },
  {
    id: 'routes.any-type',
    name: 'a runtime for any type gives each agent the tasks of its own type',
    async check(fixture) {
      const { storage, add, at } = fixture
      await storage.agents.reportPresence({ agentTypes: [AGENT_TYPE], liveMs: 0 }, at())
      await storage.agents.reportPresence({ agentTypes: [anyAgentType], liveMs: null }, at())
      const [painter, sculptor] = [await fixture.addAgent('painter'), await fixture.addAgent('sculptor')]
      const wanted = new Map<string, string>()
      for (let count = 0; count < 4; count++) {
        wanted.set((await add({ type: 'painter' })).id, painter.id)
        wanted.set((await add({ type: 'sculptor' })).id, sculptor.id)
        wanted.set((await add({ type: AGENT_TYPE })).id, fixture.agent.id)
      }
      const taken = await claimByType(fixture, anyAgentType, 20, SECOND)
      assert.equal(taken.length, 12)
      for (const { id, lease } of taken) assert.equal(lease?.agentId, wanted.get(id))
    },
  },
]

const bounds: readonly StorageCheck[] = [
  {
    id: 'agents.paused',
    name: 'a paused agent takes nothing, and what it works goes on',
    async check(fixture) {
      const { storage, add, claim, agent, at } = fixture
      const worked = await fixture.addClaimed()
      await change(fixture, agent, { paused: true })
      const tasks = [await add(), await add({ assignedTo: agent.id }), await add({ type: AGENT_TYPE })]
      assert.equal(await claim(), null)
      assert.deepEqual(await claimByType(fixture, AGENT_TYPE, 5), [])
      const proof = proofOf(worked)
      const next = { agentType: AGENT_TYPE, leaseMs: LEASE_MS }
      const completed = await storage.tasks.completeTask({ proof, result: 'done', next }, at())
      assert.deepEqual([completed.task.column, completed.next?.tasks], ['DONE', []])
      const other = await fixture.addAgent()
      assert.equal((await claimByType(fixture, AGENT_TYPE, 5)).length, 2)
      await change(fixture, agent, { paused: false })
      assert.equal((await claim())?.id, tasks[1]?.id)
      assert.equal(await claim(undefined, other), null)
    },
  },
  {
    id: 'agents.max-concurrent',
    name: 'an agent with a bound never has more tasks under its lease, by any claim',
    async check(fixture) {
      const { storage, add, claim, agent, at } = fixture
      await change(fixture, agent, { maxConcurrent: 2 })
      for (let count = 0; count < 6; count++) await add(count % 2 === 0 ? {} : { assignedTo: agent.id })
      const taken = await claimByType(fixture, AGENT_TYPE, 5)
      assert.equal(taken.length, 2)
      assert.equal(await claim(), null)
      assert.deepEqual(await claimByType(fixture, AGENT_TYPE, 5), [])
      const [first, second] = taken as [Task, Task]
      const byType = { agentType: AGENT_TYPE, leaseMs: LEASE_MS }
      const forAgent = { workspaceId: agent.workspaceId, agentId: agent.id, leaseMs: LEASE_MS }
      for (const [task, next] of [[first, byType] as const, [second, forAgent] as const]) {
        const completion = { proof: proofOf(task), result: 'done', next }
        const completed = await storage.tasks.completeTask(completion, at())
        assert.equal(completed.next?.tasks.length, 1)
        assert.equal(await claim(), null)
      }
      await change(fixture, agent, { maxConcurrent: 3 })
      assert.equal((await claimByType(fixture, AGENT_TYPE, 5)).length, 1)
      await change(fixture, agent, { maxConcurrent: null })
      assert.equal((await claimByType(fixture, AGENT_TYPE, 5)).length, 1)
    },
  },
  {
    id: 'agents.max-concurrent-at-once',
    name: 'claims of several processes at once keep to the bound of an agent',
    async check(fixture) {
      const { add, agent } = fixture
      const another = (await fixture.another()) ?? fixture
      await change(fixture, agent, { maxConcurrent: 3 })
      for (let count = 0; count < 20; count++) await add()
      const claims = Array.from({ length: 20 }, (_, index) => {
        const by = index % 2 === 0 ? fixture : another
        return index % 3 === 0 ? claimByType(by, AGENT_TYPE) : by.claim().then((task) => (task ? [task] : []))
      })
      const taken = (await Promise.all(claims)).flat()
      assert.ok(taken.length <= 3)
      const rest = [await fixture.claim(), await fixture.claim(), await fixture.claim()]
      assert.equal(taken.length + rest.filter((task) => task !== null).length, 3)
    },
  },
  {
    id: 'agents.bounds-and-turns',
    name: 'workspaces whose agents are paused or at their bound do not keep others from their turns',
    async check(fixture) {
      const { storage, add, agent, at } = fixture
      await change(fixture, agent, { maxConcurrent: 1 })
      const others = [await fixture.addWorkspace(), await fixture.addWorkspace()] as const
      await storage.agents.updateAgent(
        { workspaceId: others[0].workspaceId, agentId: others[0].agent.id, change: { paused: true } },
        at(),
      )
      for (const workspaceId of [agent.workspaceId, ...others.map((other) => other.workspaceId)]) {
        for (let count = 0; count < 3; count++) await add({ workspaceId })
      }
      const taken: Task[] = []
      for (let count = 0; count < 8; count++) taken.push(...(await claimByType(fixture, AGENT_TYPE)))
      const per = (workspaceId: string) => taken.filter((task) => task.workspaceId === workspaceId).length
      assert.deepEqual(
        [per(agent.workspaceId), per(others[0].workspaceId), per(others[1].workspaceId)],
        [1, 0, 3],
      )
      await assertRefused(
        storage.agents.deleteAgent({ workspaceId: agent.workspaceId, agentId: agent.id }, at()),
        'CONFLICT',
      )
    },
  },
]

/** Which agents a task is for, and how many tasks an agent takes. */
export const routingCases: readonly StorageCheck[] = [...routes, ...bounds]
