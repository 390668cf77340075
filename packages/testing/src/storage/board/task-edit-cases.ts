import assert from 'node:assert/strict'
import type { Task } from '@taskboard/core'
import type { TaskChange } from '@taskboard/core/storage'
import { assertRefused, type StorageCheck } from '../storage-case.js'
import {
  DAY,
  LEASE_MS,
  MINUTE,
  PERSON,
  proofOf,
  SECOND,
  START,
  unknownId,
  changeClaimed,
  changeTask,
  readTask,
  type StorageFixture as Fixture,
} from '../storage-fixture.js'

const logLine = { level: 'info', message: 'x' } as const
const update = ({ storage, at }: Fixture, task: Task, change: TaskChange, afterMs = SECOND): Promise<Task> =>
  changeTask(storage.tasks, task, { kind: 'edit', change, actor: PERSON }, at(afterMs))

const edits: readonly StorageCheck[] = [
  {
    id: 'edit.reassign-claimed',
    name: 'a task that is assigned to another agent while one works it returns to TODO with fresh attempts',
    async check(fixture) {
      const { storage, workspaceId, agent, get, events, at } = fixture
      const { tasks } = storage
      const other = await fixture.addAgent()
      for (const extra of [{}, { title: 'renamed', dependsOn: [] }]) {
        const task = await fixture.addClaimed({ priority: 'urgent' })
        // These keep the lease: unassigning, assigning to the agent that works it, and editing another field.
        for (const kept of [{ assignedTo: agent.id }, { title: 'other' }, { assignedTo: null }]) {
          const edited = await update(fixture, task, kept, 1)
          assert.deepEqual([edited.column, edited.lease], ['DOING', task.lease])
        }
        const taken = await update(fixture, task, { ...extra, assignedTo: other.id })
        assert.deepEqual(
          [taken.column, taken.assignedTo, taken.lease, taken.startedAt, taken.attempts, taken.updatedAt],
          ['TODO', other.id, null, null, 0, START + SECOND],
        )
        assert.deepEqual(await get(task), taken)
        await assertRefused(
          tasks.completeTask({ proof: proofOf(task), result: '', next: null }, at(SECOND)),
          'CONFLICT',
        )
        const { attempts } = await readTask(tasks, { workspaceId, id: task.id }, ['attempts'], at())
        assert.deepEqual(
          attempts.map(({ agentId, outcome }) => [agentId, outcome]),
          [[agent.id, 'revoked']],
        )
        const last = (await events()).at(-1)
        assert.ok(last?.type === 'task.moved')
        assert.deepEqual([last.data.from, last.data.to, last.data.actor], ['DOING', 'TODO', PERSON])
        assert.equal(await fixture.claim(at(SECOND)), null)
        assert.equal((await fixture.claim(at(SECOND), other))?.id, task.id)
        await fixture.finish(task, at(SECOND))
      }
      const claimed = await fixture.addClaimed()
      await assertRefused(
        update(fixture, claimed, { assignedTo: unknownId('agent') }),
        'INVALID_FIELD',
        'assignedTo',
      )
      assert.deepEqual((await get(claimed)).lease, claimed.lease)
    },
  },
  {
    id: 'edit.lowers-budget',
    name: 'an edit that may only lower the budget is refused a higher one, in tokens or dollars, and none, as a whole',
    async check(fixture) {
      const { storage, at, add, get } = fixture
      const lower = (task: Task, budget: Task['budget'], more: TaskChange = {}) => {
        const command = {
          kind: 'edit',
          change: { ...more, budget },
          actor: PERSON,
          lowersBudget: true,
        } as const
        return changeTask(storage.tasks, task, command, at(SECOND))
      }
      const task = await add({ budget: { tokens: 1_000, costUsd: null } })
      const refused = [{ tokens: 1_001, costUsd: null }, { tokens: null, costUsd: 1 }, null]
      for (const budget of refused) {
        await assertRefused(lower(task, budget, { title: 'changed', dependsOn: [] }), 'FORBIDDEN', 'budget')
        await assertRefused(lower(task, budget), 'FORBIDDEN', 'budget')
      }
      assert.deepEqual(await get(task), task)
      const lowered = { tokens: 1_000, costUsd: 1 }
      assert.deepEqual((await lower(task, lowered)).budget, lowered)
      await assertRefused(lower(task, { tokens: 500, costUsd: null }), 'FORBIDDEN', 'budget')
      const both = { tokens: 500, costUsd: 0.5 }
      assert.deepEqual((await lower(task, both, { title: 'less' })).title, 'less')
      assert.deepEqual((await get(task)).budget, both)
      // A task without a budget may get any. What the edit does not name stays.
      const free = await add()
      assert.deepEqual((await lower(free, null)).budget, null)
      assert.deepEqual((await lower(free, both)).budget, both)
      const other = { kind: 'edit', change: { title: 'x' }, actor: PERSON, lowersBudget: true } as const
      assert.deepEqual((await changeTask(storage.tasks, free, other, at())).budget, both)
      const unknown = { ...task, id: unknownId('task') }
      await assertRefused(lower(unknown, both), 'TASK_NOT_FOUND')
    },
  },
  {
    id: 'edit.fields',
    name: 'each given field is replaced, the others stay, and task.updated names those that differ',
    async check(fixture) {
      const { add, get, agent, events } = fixture
      const other = await add()
      const task = await add({ tags: ['old'], metadata: { old: 'x' }, description: 'before' })
      const change: Required<TaskChange> = {
        title: 'new',
        description: null,
        type: 'chore',
        priority: 'urgent',
        assignedTo: agent.id,
        dueDate: START + DAY,
        notBefore: START + MINUTE,
        tags: ['a', 'b'],
        metadata: { k: 'v', list: ['x', 'y'] },
        dependsOn: [other.id],
        budget: { tokens: 5, costUsd: 0.25 },
      }
      const expected = { ...task, ...change, openDependencies: 1, updatedAt: START + SECOND }
      assert.deepEqual(await update(fixture, task, change), expected)
      assert.deepEqual(await get(task), expected)
      const title = await update(fixture, task, { title: 'only this' }, 2 * SECOND)
      assert.deepEqual(title, { ...expected, title: 'only this', updatedAt: START + 2 * SECOND })
      // The same values again, in other objects and in another order of names.
      const metadata = { list: ['x', 'y'], k: 'v' }
      const same = {
        ...change,
        title: 'only this',
        metadata,
        tags: ['a', 'b'],
        dependsOn: [other.id, other.id],
      }
      await update(fixture, task, same, 3 * SECOND)
      const updates = (await events()).filter(({ type }) => type === 'task.updated')
      assert.deepEqual(
        updates.map(({ at, data }) => [at, data]),
        [
          [START + SECOND, 'new', Object.keys(change)] as const,
          [START + 2 * SECOND, 'only this', ['title']] as const,
        ].map(([at, name, fields]) => [
          at,
          { taskId: task.id, title: name, status: 'TODO', fields, actor: PERSON },
        ]),
      )
    },
  },
  {
    id: 'edit.refused-quiet',
    name: 'an edit that is refused raises no event, and one that revokes a claim raises task.updated before task.moved',
    async check(fixture) {
      const { eventTypes, addClaimed, addAgent } = fixture
      const task = await addClaimed()
      const before = await eventTypes()
      await assertRefused(update(fixture, task, { title: 'b', dependsOn: [task.id] }), 'INVALID_FIELD')
      await assertRefused(
        update(fixture, task, { title: 'b', assignedTo: unknownId('agent') }),
        'INVALID_FIELD',
      )
      assert.deepEqual(await eventTypes(), before)
      await update(fixture, task, { assignedTo: (await addAgent()).id })
      assert.deepEqual(await eventTypes(), [...before, 'task.updated', 'task.moved'])
    },
  },
  {
    id: 'edit.nothing',
    name: 'an empty change changes nothing, and an unknown or foreign task is TASK_NOT_FOUND',
    async check(fixture) {
      const task = await fixture.add()
      const { workspaceId } = await fixture.addWorkspace()
      assert.deepEqual(await update(fixture, task, {}), task)
      for (const change of [{}, { title: 'x' }, { dependsOn: [] }, { dependsOn: [unknownId('task')] }]) {
        await assertRefused(update(fixture, { ...task, id: unknownId('task') }, change), 'TASK_NOT_FOUND')
        await assertRefused(update(fixture, { ...task, workspaceId }, change), 'TASK_NOT_FOUND')
      }
      assert.deepEqual(await fixture.get(task), task)
    },
  },
  {
    id: 'edit.proto',
    name: 'metadata may have any names, those of every object too',
    async check(fixture) {
      const metadata = JSON.parse('{"__proto__":"a","constructor":["b"],"toString":"c"}') as Task['metadata']
      const added = await fixture.add({ metadata })
      const task = await fixture.add()
      await update(fixture, task, { metadata })
      for (const each of [added, task]) {
        const stored = (await fixture.get(each)).metadata
        const entries = Object.entries(stored).toSorted(([one], [other]) => (one < other ? -1 : 1))
        assert.deepEqual(entries, [
          ['__proto__', 'a'],
          ['constructor', ['b']],
          ['toString', 'c'],
        ])
      }
    },
  },
  {
    id: 'edit.copies',
    name: 'changing what was passed to an update does not change the stored task',
    async check(fixture) {
      const task = await fixture.add()
      const [tags, metadata] = [['a'], { list: ['x'] }]
      await update(fixture, task, { tags, metadata })
      tags.push('b')
      metadata.list.push('y')
      const stored = await fixture.get(task)
      assert.deepEqual([stored.tags, stored.metadata], [['a'], { list: ['x'] }])
    },
  },
  {
    id: 'edit.pickup',
    name: 'priority, due date, start and agent count for the next pickup',
    async check(fixture) {
      const { add, claim, addAgent, agent, at } = fixture
      const [first, second, third] = [await add({ priority: 'high' }), await add(), await add()]
      await update(fixture, second, { priority: 'urgent' })
      assert.equal((await claim(at(SECOND)))?.id, second.id)
      await update(fixture, third, { dueDate: START })
      await update(fixture, first, { notBefore: START + MINUTE })
      const other = await addAgent()
      await update(fixture, third, { assignedTo: other.id })
      assert.equal(await claim(at(SECOND)), null)
      assert.equal((await claim(at(SECOND), other))?.id, third.id)
      assert.equal((await claim(at(MINUTE), agent))?.id, first.id)
    },
  },
  {
    id: 'edit.agent',
    name: 'an agent that the workspace does not have is INVALID_FIELD, and changes nothing',
    async check(fixture) {
      const task = await fixture.add()
      const { agent } = await fixture.addWorkspace()
      for (const assignedTo of [unknownId('agent'), agent.id]) {
        const change = { title: 'x', assignedTo, dependsOn: [unknownId('task')] }
        await assertRefused(update(fixture, task, change), 'INVALID_FIELD', 'assignedTo')
        await assertRefused(update(fixture, task, { title: 'x', assignedTo }), 'INVALID_FIELD', 'assignedTo')
      }
      assert.deepEqual(await fixture.get(task), task)
    },
  },
  {
    id: 'edit.rollback',
    name: 'an edit and a deletion in a transaction that fails leave no trace',
    async check({ storage, add, addClaimed, get, at, claim }) {
      const worked = await addClaimed()
      await storage.tasks.appendToTask({ proof: proofOf(worked), log: logLine, leaseMs: LEASE_MS }, at())
      await changeClaimed(storage.tasks, proofOf(worked), { kind: 'fail', reason: 'no', backoff: null }, at())
      const [first, second] = [await add(), await add()]
      const before = await Promise.all([get(worked), get(first), get(second)])
      const work = storage.transaction(async (tx) => {
        const at0 = at(0, tx)
        await changeTask(
          storage.tasks,
          first,
          { kind: 'edit', change: { dependsOn: [second.id] }, actor: PERSON },
          at0,
        )
        await changeTask(
          storage.tasks,
          { workspaceId: first.workspaceId, id: second.id },
          { kind: 'edit', change: { priority: 'urgent' }, actor: PERSON },
          at0,
        )
        await storage.tasks.deleteTask(
          { workspaceId: worked.workspaceId, taskId: worked.id, actor: PERSON },
          at0,
        )
        throw new Error('undone')
      })
      await assert.rejects(work, /undone/)
      assert.deepEqual(await Promise.all([get(worked), get(first), get(second)]), before)
      assert.equal((await readTask(storage.tasks, worked, ['logs'], at())).logs.length, 1)
      const { attempts } = await readTask(storage.tasks, worked, ['attempts'], at())
      assert.equal(attempts.length, 1)
      assert.deepEqual([(await claim())?.id, (await claim())?.id], [first.id, second.id])
    },
  },
]

const dependencies: readonly StorageCheck[] = [
  {
    id: 'edit.dependencies',
    name: 'new dependencies block a task, done ones do not, and without them it is free',
    async check(fixture) {
      const { add, finish, claim, get } = fixture
      const [open, done, task] = [await add({ priority: 'low' }), await add(), await add()]
      await finish(done)
      const blocked = await update(fixture, task, { dependsOn: [open.id, done.id, open.id] })
      assert.deepEqual([blocked.dependsOn, blocked.openDependencies], [[open.id, done.id], 1])
      assert.equal((await claim())?.id, open.id)
      assert.equal(await claim(), null)
      await update(fixture, task, { dependsOn: [done.id] })
      assert.equal((await get(task)).openDependencies, 0)
      assert.equal((await claim())?.id, task.id)
    },
  },
  {
    id: 'edit.dependencies-freed',
    name: 'a dependency that was added frees the task when it is done, one that was removed does not',
    async check(fixture) {
      const { add, finish, get } = fixture
      const [old, next] = [await add(), await add()]
      const task = await add({ dependsOn: [old.id] })
      await update(fixture, task, { dependsOn: [next.id] })
      await finish(old)
      assert.equal((await get(task)).openDependencies, 1)
      await finish(next)
      assert.equal((await get(task)).openDependencies, 0)
    },
  },
  {
    id: 'edit.dependencies-unknown',
    name: 'unknown and foreign dependencies are INVALID_FIELD, and change nothing',
    async check(fixture) {
      const { add, get, addWorkspace } = fixture
      const first = await add()
      const task = await add({ dependsOn: [first.id] })
      const foreign = await add({ workspaceId: (await addWorkspace()).workspaceId })
      for (const id of [unknownId('task'), foreign.id, task.id]) {
        const change = { title: 'x', dependsOn: [first.id, id] }
        await assertRefused(update(fixture, task, change), 'INVALID_FIELD', 'dependsOn')
      }
      assert.deepEqual(await get(task), task)
    },
  },
  {
    id: 'edit.circle',
    name: 'a circle is INVALID_FIELD, however long',
    async check(fixture) {
      const first = await fixture.add()
      const second = await fixture.add({ dependsOn: [first.id] })
      const third = await fixture.add({ dependsOn: [second.id] })
      await assertRefused(update(fixture, first, { dependsOn: [third.id] }), 'INVALID_FIELD', 'dependsOn')
      await update(fixture, third, { dependsOn: [] })
      assert.deepEqual((await update(fixture, first, { dependsOn: [third.id] })).dependsOn, [third.id])
    },
  },
  {
    id: 'edit.circle-at-once',
    name: 'of edits that together would close a circle, one is refused',
    async check(fixture) {
      const tasks = await Promise.all([1, 2, 3].map(() => fixture.add()))
      const outcomes = await Promise.allSettled(
        tasks.map((task, index) => {
          const next = tasks[(index + 1) % tasks.length] as Task
          return update(fixture, task, { dependsOn: [next.id] })
        }),
      )
      assert.equal(outcomes.filter(({ status }) => status === 'rejected').length, 1)
      assert.ok(
        (await Promise.all(tasks.map((task) => fixture.get(task)))).some((t) => t.dependsOn.length === 0),
      )
    },
  },
]

/** What people change of tasks next to their place on the board. */
export const taskEditCases: readonly StorageCheck[] = [...edits, ...dependencies]
