import assert from 'node:assert/strict'
import { columns, type Task } from '@taskboard/core'
import { assertRefused, type StorageCheck } from '../storage-case.js'
import { newTask } from '../new-task.js'
import {
  LEASE_MS,
  MINUTE,
  PERSON,
  proofOf,
  SECOND,
  START,
  unknownId,
  readTask,
  changeClaimed,
  changeTask,
} from '../storage-fixture.js'

/** Creating tasks, and what people do with them. */
export const taskCases: readonly StorageCheck[] = [
  {
    id: 'tasks.insert-defaults',
    name: 'a new task is in TODO with nothing done to it, and reads back as it was returned',
    async check({ add, get, at }) {
      const task = await add({ title: 'né', tags: ['a', 'b'], metadata: { k: 'v', list: ['x'] } }, at(SECOND))
      assert.equal(task.column, 'TODO')
      assert.deepEqual([task.title, task.tags, task.metadata], ['né', ['a', 'b'], { k: 'v', list: ['x'] }])
      assert.deepEqual([task.createdAt, task.updatedAt], [START + SECOND, START + SECOND])
      assert.deepEqual([task.attempts, task.fencingToken, task.progress, task.openDependencies], [0, 0, 0, 0])
      const absent = [task.hold, task.lease, task.result, task.startedAt, task.completedAt]
      assert.deepEqual(absent, [null, null, null, null, null])
      assert.match(task.id, /^task_[0-9a-z]{26}$/)
      assert.deepEqual(await get(task), task)
    },
  },
  {
    id: 'tasks.insert-order',
    name: 'the metadata of a new task is returned in the order in which it is read and repeated',
    async check({ storage, workspaceId, get, at }) {
      const metadata = { zz: 'last', a: ['x'], longest: '', é: '1', B: '2', '\u{1F600}': '3', '\uFF5E': '4' }
      const task = newTask({ workspaceId, metadata })
      const idempotency = { scope: 'caller', key: 'order', fingerprint: 'f' }
      const insert = () => storage.tasks.insertTask({ task, actor: PERSON, idempotency }, at())
      const [made, repeated] = [await insert(), await insert()]
      assert.deepEqual([made.replayed, repeated.replayed], [false, true])
      const namesOf = (found: Task) => Object.keys(found.metadata)
      assert.deepEqual(namesOf(await get(made.value)), namesOf(made.value))
      assert.deepEqual(namesOf(repeated.value), namesOf(made.value))
      const { value } = await storage.tasks.insertTask({ task, actor: PERSON, idempotency: null }, at())
      assert.deepEqual(namesOf(await get(value)), namesOf(value))
    },
  },
  {
    id: 'tasks.insert-event',
    name: 'a new task emits one task.created with its data and actor',
    async check({ add, events, at, agent }) {
      const task = await add({ description: 'd', dueDate: START, assignedTo: agent.id, tags: ['t'] }, at(5))
      const [event, ...others] = await events()
      assert.equal(others.length, 0)
      assert.ok(event?.type === 'task.created')
      assert.deepEqual([event.seq, event.at, event.workspaceId], [1, START + 5, task.workspaceId])
      assert.deepEqual(event.data, {
        taskId: task.id,
        title: task.title,
        status: 'TODO',
        description: 'd',
        priority: 'medium',
        type: null,
        assignedTo: agent.id,
        dueDate: START,
        tags: ['t'],
        dependsOn: [],
        createdAt: START + 5,
        actor: PERSON,
      })
    },
  },
  {
    id: 'tasks.insert-copies',
    name: 'changing what was passed to an insert does not change the stored task',
    async check({ add, get }) {
      const tags = ['a']
      const metadata = { list: ['x'] }
      const task = await add({ tags, metadata })
      tags.push('b')
      metadata.list.push('y')
      const stored = await get(task)
      assert.deepEqual([stored.tags, stored.metadata], [['a'], { list: ['x'] }])
    },
  },
  {
    id: 'tasks.insert-unknown-workspace',
    name: 'a task for an unknown workspace is NOT_FOUND',
    check: ({ add }) => assertRefused(add({ workspaceId: unknownId('ws') }), 'NOT_FOUND'),
  },
  {
    id: 'tasks.insert-unknown-agent',
    name: 'an unknown agent in assignedTo is INVALID_FIELD, and leaves no trace',
    async check({ add, events }) {
      await assertRefused(add({ assignedTo: unknownId('agent') }), 'INVALID_FIELD', 'assignedTo')
      assert.deepEqual(await events(), [])
    },
  },
  {
    id: 'tasks.insert-foreign-agent',
    name: 'an agent of another workspace in assignedTo is INVALID_FIELD',
    async check({ add, addWorkspace }) {
      const other = await addWorkspace()
      await assertRefused(add({ assignedTo: other.agent.id }), 'INVALID_FIELD', 'assignedTo')
    },
  },
  {
    id: 'tasks.get-unknown',
    name: 'an unknown task is TASK_NOT_FOUND',
    check: ({ get, workspaceId }) =>
      assertRefused(get({ id: unknownId('task'), workspaceId }), 'TASK_NOT_FOUND'),
  },
  {
    id: 'tasks.foreign-workspace',
    name: 'a task of another workspace is TASK_NOT_FOUND for every verb that names one, and stays as it is',
    async check({ storage: { tasks }, addClaimed, addWorkspace, get, at }) {
      const task = await addClaimed()
      const { workspaceId } = await addWorkspace()
      const proof = { ...proofOf(task), workspaceId }
      const verbs = [
        readTask(tasks, { workspaceId, id: task.id }, ['task'], at()),
        readTask(tasks, { workspaceId, id: task.id }, ['attempts', 'dependencies'], at()),
        readTask(tasks, { workspaceId, id: task.id }, ['logs'], at()),
        readTask(tasks, { workspaceId, id: task.id }, ['logPage'], at()),
        readTask(tasks, { workspaceId, id: task.id }, ['outputs'], at()),
        changeClaimed(tasks, proof, { kind: 'renew', leaseMs: LEASE_MS }, at()),
        changeClaimed(tasks, proof, { kind: 'progress', progress: 50, leaseMs: LEASE_MS }, at()),
        tasks.appendToTask({ proof, log: { level: 'info', message: 'm' }, leaseMs: LEASE_MS }, at()),
        tasks.appendToTask(
          { proof, output: { type: 't', name: 'n', url: 'u', size: null }, leaseMs: LEASE_MS },
          at(),
        ),
        tasks.completeTask({ proof, result: 'r', next: null }, at()),
        changeClaimed(tasks, proof, { kind: 'fail', reason: 'r', backoff: null }, at()),
        changeClaimed(tasks, proof, { kind: 'hold_claimed', reason: 'approval', message: null }, at()),
        changeClaimed(tasks, proof, { kind: 'return_claim', reason: 'r' }, at()),
        changeTask(tasks, { workspaceId, id: task.id }, { kind: 'move', to: 'DONE', actor: PERSON }, at()),
        changeTask(
          tasks,
          { workspaceId, id: task.id },
          { kind: 'hold', reason: 'approval', message: null, actor: PERSON },
          at(),
        ),
        changeTask(tasks, { workspaceId, id: task.id }, { kind: 'release', actor: PERSON }, at()),
      ]
      await Promise.all(verbs.map((verb) => assertRefused(verb, 'TASK_NOT_FOUND')))
      assert.deepEqual(await get(task), task)
    },
  },
  {
    id: 'tasks.move-all',
    name: 'a person moves a task from any column to any other, with task.moved each time',
    async check({ storage: { tasks }, add, events, at }) {
      const task = await add()
      const path = ['DOING', 'DONE', 'DOING', 'TODO', 'DONE', 'TODO'] as const
      for (const to of path) {
        const moved = await changeTask(tasks, task, { kind: 'move', to, actor: PERSON }, at(SECOND))
        assert.equal(moved.column, to)
        assert.equal(moved.lease, null)
        assert.equal(moved.startedAt, to === 'DOING' ? START + SECOND : moved.startedAt)
        assert.equal(moved.completedAt, to === 'DONE' ? START + SECOND : null)
      }
      const moves = (await events()).filter((event) => event.type === 'task.moved')
      assert.deepEqual(
        moves.map(({ data }) => [data.from, data.to, data.actor]),
        path.map((to, index) => [path[index - 1] ?? 'TODO', to, PERSON]),
      )
    },
  },
  {
    id: 'tasks.move-same',
    name: 'a move to the same column is no event and no change',
    async check({ storage: { tasks }, add, eventTypes, at }) {
      for (const column of columns) {
        const task = await add()
        const there = await changeTask(tasks, task, { kind: 'move', to: column, actor: PERSON }, at())
        const before = await eventTypes()
        const again = await changeTask(tasks, task, { kind: 'move', to: column, actor: PERSON }, at(SECOND))
        assert.deepEqual(again, there)
        assert.deepEqual(await eventTypes(), before)
      }
    },
  },
  {
    id: 'tasks.move-same-releases',
    name: 'a move to TODO releases a hold there, with task.released',
    async check({ storage: { tasks }, add, events, at }) {
      const { workspaceId, id } = await add()
      await changeTask(
        tasks,
        { workspaceId, id },
        { kind: 'hold', reason: 'cancelled', message: null, actor: PERSON },
        at(),
      )
      const moved = await changeTask(
        tasks,
        { workspaceId, id },
        { kind: 'move', to: 'TODO', actor: PERSON },
        at(SECOND),
      )
      assert.equal(moved.hold, null)
      const last = (await events()).at(-1)
      assert.ok(last?.type === 'task.released')
      assert.deepEqual([last.data.reason, last.data.actor], ['cancelled', PERSON])
    },
  },
  {
    id: 'tasks.move-revokes',
    name: 'a move out of DOING revokes the lease and ends the attempt as revoked',
    async check({ storage: { tasks }, addClaimed, at }) {
      const task = await addClaimed()
      const moved = await changeTask(tasks, task, { kind: 'move', to: 'TODO', actor: PERSON }, at(SECOND))
      assert.equal(moved.lease, null)
      await assertRefused(
        changeClaimed(tasks, proofOf(task), { kind: 'renew', leaseMs: LEASE_MS }, at(SECOND)),
        'CONFLICT',
      )
      const { attempts } = await readTask(tasks, task, ['attempts'], at())
      assert.deepEqual(
        attempts.map(({ outcome, endedAt }) => [outcome, endedAt]),
        [['revoked', START + SECOND]],
      )
    },
  },
  {
    id: 'tasks.hold',
    name: 'a held task is in TODO under its hold, out of every claim, and emits one task.failed',
    async check({ storage: { tasks }, add, claim, eventTypes, at }) {
      const { workspaceId, id } = await add()
      const held = await changeTask(
        tasks,
        { workspaceId, id },
        { kind: 'hold', reason: 'needs_input', message: 'which one?', actor: PERSON },
        at(5),
      )
      assert.deepEqual(held.hold, { reason: 'needs_input', message: 'which one?', since: START + 5 })
      assert.equal(await claim(), null)
      await changeTask(
        tasks,
        { workspaceId, id },
        { kind: 'hold', reason: 'needs_input', message: 'still', actor: PERSON },
        at(6),
      )
      assert.deepEqual(await eventTypes(), ['task.created', 'task.failed'])
    },
  },
  {
    id: 'tasks.hold-replaced',
    name: 'a hold with another reason replaces the one that is there',
    async check({ storage: { tasks }, add, get, at }) {
      const task = await add()
      await changeTask(tasks, task, { kind: 'hold', reason: 'approval', message: null, actor: PERSON }, at())
      await changeTask(
        tasks,
        task,
        { kind: 'hold', reason: 'cancelled', message: 'no', actor: PERSON },
        at(5),
      )
      assert.deepEqual((await get(task)).hold, { reason: 'cancelled', message: 'no', since: START + 5 })
    },
  },
  {
    id: 'tasks.hold-cancelled-quiet',
    name: 'cancelling raises task.cancelled once, and no task.failed; from DOING, task.moved comes before it',
    async check({ storage: { tasks }, add, addClaimed, events, eventTypes, at }) {
      const { workspaceId, id, title } = await add()
      const cancel = (taskId: string, message: string) =>
        changeTask(
          tasks,
          { workspaceId, id: taskId },
          { kind: 'hold', reason: 'cancelled', message, actor: PERSON },
          at(),
        )
      await cancel(id, 'no')
      await cancel(id, 'no longer')
      assert.deepEqual(await eventTypes(), ['task.created', 'task.cancelled'])
      assert.deepEqual((await events()).at(-1)?.data, {
        taskId: id,
        title,
        status: 'TODO',
        message: 'no',
        actor: PERSON,
      })
      await cancel((await addClaimed()).id, 'no')
      assert.deepEqual((await eventTypes()).slice(-2), ['task.moved', 'task.cancelled'])
    },
  },
  {
    id: 'tasks.hold-doing',
    name: 'a hold on a task in DOING takes it back to TODO and ends the attempt',
    async check({ storage: { tasks }, addClaimed, at }) {
      const task = await addClaimed()
      const held = await changeTask(
        tasks,
        task,
        { kind: 'hold', reason: 'approval', message: null, actor: PERSON },
        at(),
      )
      assert.deepEqual([held.column, held.lease, held.hold?.reason], ['TODO', null, 'approval'])
      await assertRefused(
        tasks.completeTask({ proof: proofOf(task), result: 'r', next: null }, at()),
        'CONFLICT',
      )
    },
  },
  {
    id: 'tasks.hold-done',
    name: 'a hold on a task in DONE is CONFLICT and changes nothing',
    async check({ storage: { tasks }, add, finish, get, at }) {
      const task = await add()
      await finish(task)
      const before = await get(task)
      await assertRefused(
        changeTask(tasks, task, { kind: 'hold', reason: 'approval', message: null, actor: PERSON }, at()),
        'CONFLICT',
      )
      assert.deepEqual(await get(task), before)
    },
  },
  {
    id: 'tasks.release',
    name: 'a release ends the hold, with task.released, grants fresh attempts and lets agents take the task again',
    async check({ storage: { tasks }, addClaimed, claim, events, at }) {
      const task = await addClaimed()
      await changeClaimed(tasks, proofOf(task), { kind: 'fail', reason: 'cannot', backoff: null }, at())
      assert.equal(await claim(at(MINUTE)), null)
      const released = await changeTask(tasks, task, { kind: 'release', actor: PERSON }, at(MINUTE))
      assert.deepEqual([released.hold, released.attempts], [null, 0])
      const { type, data } = (await events()).at(-1) ?? {}
      const { id: taskId, title } = task
      assert.deepEqual(
        [type, data],
        ['task.released', { taskId, title, status: 'TODO', reason: 'failed', actor: PERSON }],
      )
      const again = await claim(at(MINUTE))
      assert.deepEqual([again?.id, again?.attempts, again?.fencingToken], [task.id, 1, 2])
    },
  },
  {
    id: 'tasks.release-unheld',
    name: 'releasing a task that is not held leaves it as it is',
    async check({ storage: { tasks }, add, eventTypes, at }) {
      const task = await add()
      assert.deepEqual(await changeTask(tasks, task, { kind: 'release', actor: PERSON }, at(SECOND)), task)
      assert.deepEqual(await eventTypes(), ['task.created'])
    },
  },
  {
    id: 'tasks.own-time',
    name: 'without a given time the storage uses its own',
    async check({ storage: { tasks }, workspaceId, agent }) {
      const earliest = Date.now() - MINUTE
      const { value } = await tasks.insertTask(
        { task: newTask({ workspaceId }), actor: PERSON, idempotency: null },
        { now: null },
      )
      assert.ok(value.createdAt > earliest && value.createdAt < earliest + 10 * MINUTE)
      const request = { workspaceId, agentId: agent.id, leaseMs: LEASE_MS }
      const { tasks: claimed } = await tasks.claimTasks({ target: request, limit: 1 }, { now: null })
      assert.equal(claimed[0]?.id, value.id)
      assert.ok((claimed[0]?.lease?.expiresAt ?? 0) > earliest)
    },
  },
]
