import assert from 'node:assert/strict'
import type { AgentFields } from '@taskboard/core'
import { agentFields } from '@taskboard/core/storage'
import { assertRefused, type StorageCheck } from '../storage-case.js'
import {
  AGENT_TYPE,
  changeTask,
  LEASE_MS,
  MINUTE,
  PERSON,
  proofOf,
  readAgent,
  SECOND,
  START,
  unknownId,
} from '../storage-fixture.js'

/** A value for each field of an agent that can be empty. */
export const agentProfile: Omit<AgentFields, 'name' | 'type'> = {
  model: 'a-model',
  systemPrompt: 'Be brief.',
  capabilities: ['search', 'Ünïcode'],
  tools: ['web', 'mail'],
  paused: true,
  maxConcurrent: 7,
}

const profileCases: readonly StorageCheck[] = [
  {
    id: 'agents.profile',
    name: 'the profile of an agent is kept, is empty where nothing is given, and changes field by field',
    async check(fixture) {
      const { storage, workspaceId, agent, at } = fixture
      assert.deepEqual(agent, { ...agent, ...agentFields.empty })
      const input = { workspaceId, name: 'new', type: 'custom', ...agentProfile }
      const added = await storage.agents.insertAgent({ agent: input, idempotency: null }, at(SECOND))
      const { budgetSpentUntil, ...made } = added.value
      assert.equal(budgetSpentUntil, null)
      assert.deepEqual(made, {
        ...agentProfile,
        id: made.id,
        workspaceId,
        name: 'new',
        type: 'custom',
        status: 'offline',
        createdAt: START + SECOND,
      })
      assert.deepEqual(await storage.agents.listAgents({ reach: null, agentIds: [made.id] }, at()), [made])
      const changed = await storage.agents.updateAgent(
        { workspaceId, agentId: made.id, change: { model: null, tools: ['one'] } },
        at(),
      )
      assert.deepEqual(changed, { ...made, model: null, tools: ['one'] })
      const renamed = { ...agentFields.empty, name: 'other', type: 'else' }
      assert.deepEqual(
        await storage.agents.updateAgent({ workspaceId, agentId: made.id, change: renamed }, at()),
        {
          ...changed,
          ...renamed,
        },
      )
      assert.deepEqual(
        await storage.agents.updateAgent({ workspaceId, agentId: made.id, change: {} }, at()),
        {
          ...changed,
          ...renamed,
        },
      )
      const all = await storage.agents.listAgents(
        { reach: null, agentIds: [made.id, unknownId('agent'), agent.id] },
        at(),
      )
      assert.deepEqual(new Set(all.map(({ id }) => id)), new Set([made.id, agent.id]))
    },
  },
  {
    id: 'agents.idempotency',
    name: 'a repeated create returns the first agent, and another create with its key is refused',
    async check({ storage, workspaceId, at }) {
      const claim = { scope: 's', key: 'k', fingerprint: 'one' }
      const insert = (fingerprint: string) =>
        storage.agents.insertAgent(
          {
            agent: { workspaceId, name: 'new', type: 'custom', ...agentProfile },
            idempotency: { ...claim, fingerprint },
          },
          at(),
        )
      const first = await insert('one')
      assert.equal(first.replayed, false)
      assert.deepEqual(await insert('one'), { value: first.value, replayed: true })
      await assertRefused(insert('two'), 'CONFLICT')
      assert.equal((await storage.agents.listAgents({ reach: null, workspaceId }, at())).length, 2)
    },
  },
  {
    id: 'agents.update-foreign',
    name: 'an agent of another workspace is neither changed nor deleted',
    async check(fixture) {
      const { storage, agent, at } = fixture
      const other = await fixture.addWorkspace()
      const { agents } = storage
      await assertRefused(
        agents.updateAgent(
          { workspaceId: other.workspaceId, agentId: agent.id, change: { name: 'mine' } },
          at(),
        ),
        'NOT_FOUND',
      )
      await assertRefused(
        agents.deleteAgent({ workspaceId: other.workspaceId, agentId: agent.id }, at()),
        'NOT_FOUND',
      )
      await assertRefused(
        agents.updateAgent({ workspaceId: other.workspaceId, agentId: unknownId('agent'), change: {} }, at()),
        'NOT_FOUND',
      )
      assert.equal((await readAgent(agents, { reach: null, agentId: agent.id }, at())).name, 'first')
    },
  },
  {
    id: 'agents.type-change',
    name: 'an agent of another type gets that type’s work from then on',
    async check({ storage, workspaceId, agent, add, at }) {
      await storage.agents.updateAgent({ workspaceId, agentId: agent.id, change: { type: 'other' } }, at())
      const task = await add()
      const claim = (agentType: string) =>
        storage.tasks.claimTasks({ target: { agentType, leaseMs: LEASE_MS }, limit: 1 }, at())
      assert.deepEqual((await claim(AGENT_TYPE)).tasks, [])
      assert.deepEqual(
        (await claim('other')).tasks.map(({ id, lease }) => [id, lease?.agentId]),
        [[task.id, agent.id]],
      )
    },
  },
  {
    id: 'agents.any-type',
    name: 'a type is any text: agents get the work of exactly theirs, and tasks keep theirs',
    async check({ storage, workspaceId, agent, add, get, at }) {
      for (const type of [
        'Deep Research',
        "l'été → “DE”",
        '__proto__',
        'constructor',
        '%_\\',
        '🤖'.repeat(64),
      ]) {
        await storage.agents.updateAgent({ workspaceId, agentId: agent.id, change: { type } }, at())
        await storage.agents.reportPresence({ agentTypes: [type], liveMs: MINUTE }, at())
        const task = await add({ type })
        const claim = (agentType: string) =>
          storage.tasks.claimTasks({ target: { agentType, leaseMs: LEASE_MS }, limit: 1 }, at())
        assert.deepEqual((await claim(`${type} `)).tasks, [])
        const { tasks } = await claim(type)
        assert.deepEqual(
          tasks.map((claimed) => [claimed.id, claimed.type, claimed.lease?.agentId]),
          [[task.id, type, agent.id]],
        )
        assert.equal((await get(task)).type, type)
        assert.equal((await readAgent(storage.agents, { reach: null, agentId: agent.id }, at())).type, type)
      }
    },
  },
]

const deletionCases: readonly StorageCheck[] = [
  {
    id: 'agents.delete',
    name: 'a deleted agent is gone, and its tasks in DONE are unassigned, with task.updated by the system',
    async check(fixture) {
      const { storage, workspaceId, agent, at, add, get } = fixture
      const done = await add({ assignedTo: agent.id })
      await fixture.finish(done, at(SECOND))
      await storage.agents.deleteAgent({ workspaceId, agentId: agent.id }, at(MINUTE))
      assert.deepEqual(await storage.agents.listAgents({ reach: null, workspaceId }, at()), [])
      assert.deepEqual(await storage.agents.listAgents({ reach: null, agentIds: [agent.id] }, at()), [])
      const left = await get(done)
      assert.deepEqual([left.assignedTo, left.column, left.updatedAt], [null, 'DONE', START + MINUTE])
      const { type, data } = (await fixture.events()).at(-1) ?? {}
      const system = { kind: 'system', id: null }
      const expected = {
        taskId: done.id,
        title: done.title,
        status: 'DONE',
        fields: ['assignedTo'],
        actor: system,
      }
      assert.deepEqual([type, data], ['task.updated', expected])
      await assertRefused(storage.agents.deleteAgent({ workspaceId, agentId: agent.id }, at()), 'NOT_FOUND')
      await add()
      const { tasks } = await storage.tasks.claimTasks(
        { target: { agentType: AGENT_TYPE, leaseMs: LEASE_MS }, limit: 1 },
        at(),
      )
      assert.deepEqual(tasks, [])
    },
  },
  {
    id: 'agents.delete-conflict',
    name: 'an agent with a task under lease, or an open one assigned to it, is not deleted',
    async check(fixture) {
      const { storage, workspaceId, agent, at } = fixture
      const remove = () => storage.agents.deleteAgent({ workspaceId, agentId: agent.id }, at(SECOND))
      const claimed = await fixture.addClaimed()
      await assertRefused(remove(), 'CONFLICT')
      await storage.tasks.completeTask({ proof: proofOf(claimed), result: '', next: null }, at(SECOND))
      const done = await fixture.add({ assignedTo: agent.id })
      await fixture.finish(done, at(SECOND))
      const open = await fixture.add({ assignedTo: agent.id })
      await changeTask(
        storage.tasks,
        { workspaceId, id: open.id },
        { kind: 'hold', reason: 'cancelled', message: null, actor: PERSON },
        at(SECOND),
      )
      await assertRefused(remove(), 'CONFLICT')
      assert.equal((await fixture.get(done)).assignedTo, agent.id)
      await fixture.finish(open, at(SECOND))
      await remove()
    },
  },
  {
    id: 'agents.delete-at-once',
    name: 'of a concurrent deletion and assignment one fails, and no task is assigned to a deleted agent',
    async check(fixture) {
      const { storage, workspaceId, at } = fixture
      for (let round = 0; round < 8; round++) {
        const agent = await fixture.addAgent()
        const task = await fixture.add()
        const results = await Promise.allSettled([
          fixture.add({ assignedTo: agent.id }),
          storage.agents.deleteAgent({ workspaceId, agentId: agent.id }, at()),
          fixture.add({ assignedTo: agent.id }),
          changeTask(
            storage.tasks,
            { workspaceId, id: task.id },
            { kind: 'edit', change: { assignedTo: agent.id }, actor: PERSON },
            at(),
          ),
        ])
        const refusals = results.map((result) =>
          result.status === 'fulfilled' ? null : (result.reason as { readonly code?: string }).code,
        )
        const isDeleted = refusals[1] === null
        const refusal = isDeleted ? 'INVALID_FIELD' : null
        assert.deepEqual([refusals[0], refusals[2], refusals[3]], [refusal, refusal, refusal])
        if (!isDeleted) assert.equal(refusals[1], 'CONFLICT')
        assert.equal((await fixture.get(task)).assignedTo, isDeleted ? null : agent.id)
      }
    },
  },
  {
    id: 'agents.delete-rolled-back',
    name: 'a deletion is undone with its transaction',
    async check(fixture) {
      const { storage, workspaceId, agent, at } = fixture
      const done = await fixture.add({ assignedTo: agent.id })
      await fixture.finish(done)
      const undone = storage.transaction(async (tx) => {
        await storage.agents.deleteAgent({ workspaceId, agentId: agent.id }, at(0, tx))
        throw new Error('no')
      })
      await assert.rejects(undone, /no/)
      assert.equal((await readAgent(storage.agents, { reach: null, agentId: agent.id }, at())).id, agent.id)
      assert.equal((await fixture.get(done)).assignedTo, agent.id)
    },
  },
]

/** Agents with their profiles. */
export const agentCases: readonly StorageCheck[] = [...profileCases, ...deletionCases]
