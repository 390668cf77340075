import assert from 'node:assert/strict'
import type { ActingAs, Column, Task } from '@taskboard/core'
import { ask, decide } from './approval-session.js'
import { addUser } from '../access/session-cases.js'
import { assertRefused, type StorageCheck } from '../storage-case.js'
import {
  changeTask,
  HOUR,
  MINUTE,
  PERSON,
  proofOf,
  readTask,
  SECOND,
  START,
  type StorageFixture,
} from '../storage-fixture.js'

const ADA = { kind: 'user', id: 'ada', name: 'Ada Lovelace' } as const satisfies ActingAs
const { name: _, ...PLAIN_ADA } = ADA
const DAY_0 = Math.floor(START / (24 * HOUR))

const move = ({ storage, at }: StorageFixture, task: Task, to: Column, actor: ActingAs = ADA) =>
  changeTask(storage.tasks, task, { kind: 'move', to, actor }, at())

const finish = (
  { storage, at }: StorageFixture,
  task: Task,
  { result = 'by hand', takeOver = false, afterMs = 0 } = {},
) => changeTask(storage.tasks, task, { kind: 'finish', result, takeOver, actor: ADA }, at(afterMs))

async function lastEvent(fixture: StorageFixture) {
  const { type, data } = (await fixture.events()).at(-1) ?? {}
  return { type, data }
}

/** Actions by people: who has a task without an agent, who completed it, and who decided. */
export const peopleCases: readonly StorageCheck[] = [
  {
    id: 'people.taken-by',
    name: 'a task shows who moved it to DOING or DONE; in TODO and with an agent it shows nobody',
    async check(fixture) {
      const { storage, add, get, claim, at } = fixture
      const task = await add()
      assert.equal(task.takenBy, null)
      for (const to of ['DOING', 'DONE', 'DOING', 'TODO'] as const) {
        const moved = await move(fixture, task, to)
        assert.deepEqual(moved.takenBy, to === 'TODO' ? null : ADA)
        assert.deepEqual(await get(task), moved)
        const { data } = await lastEvent(fixture)
        assert.deepEqual((data as { actor?: unknown }).actor, PLAIN_ADA)
      }
      const unnamed = await move(fixture, task, 'DOING', PERSON)
      assert.deepEqual(unnamed.takenBy, { ...PERSON, name: null })
      const held = { kind: 'hold', reason: 'cancelled', message: null, actor: ADA } as const
      assert.equal((await changeTask(storage.tasks, task, held, at())).takenBy, null)
      await changeTask(storage.tasks, task, { kind: 'release', actor: ADA }, at())
      const claimed = await claim()
      assert.deepEqual([claimed?.id, claimed?.takenBy], [task.id, null])
      const proof = proofOf(claimed as Task)
      assert.equal(
        (await storage.tasks.completeTask({ proof, result: '', next: null }, at())).task.takenBy,
        null,
      )
    },
  },
  {
    id: 'people.finish',
    name: 'a person completes a task with a result, from any column, with task.completed, and frees what waits for it',
    async check(fixture) {
      const { storage, add, get, at } = fixture
      const dependency = await add()
      const task = await add({ dependsOn: [dependency.id], title: 'by hand', type: 'report' })
      const dependent = await add({ dependsOn: [task.id] })
      const held = { kind: 'hold', reason: 'needs_input', message: null, actor: PERSON } as const
      await changeTask(storage.tasks, task, held, at())
      const done = await finish(fixture, task, { afterMs: HOUR })
      const { column, hold, result, progress, takenBy, completedAt, startedAt } = done
      assert.deepEqual(
        [column, hold, result, progress, takenBy, completedAt, startedAt],
        ['DONE', null, 'by hand', 100, ADA, START + HOUR, null],
      )
      assert.deepEqual(await get(task), done)
      const from = { taskId: task.id, title: 'by hand', status: 'DONE', result: 'by hand', type: 'report' }
      assert.deepEqual(await lastEvent(fixture), {
        type: 'task.completed',
        data: { ...from, startedAt: null, completedAt: START + HOUR, actor: PLAIN_ADA },
      })
      assert.equal((await get(dependent)).openDependencies, 0)
      const { dependencies } = await readTask(storage.tasks, dependent, ['dependencies'], at())
      assert.deepEqual(
        dependencies.map((each) => each.result),
        ['by hand'],
      )
      await move(fixture, dependency, 'DOING')
      const later = await finish(fixture, dependency, { result: '', afterMs: MINUTE })
      assert.deepEqual([later.result, later.startedAt], ['', START])
    },
  },
  {
    id: 'people.finish-repeated',
    name: 'a repeat with the result of the task in DONE changes nothing; another result is CONFLICT',
    async check(fixture) {
      const { add, addClaimed, storage, events, at } = fixture
      const byHand = await add()
      const moved = await add()
      const byAgent = await addClaimed({ priority: 'urgent' })
      const done = await finish(fixture, byHand)
      await move(fixture, moved, 'DONE')
      await storage.tasks.completeTask({ proof: proofOf(byAgent), result: 'by an agent', next: null }, at())
      const before = (await events()).length
      assert.deepEqual(await finish(fixture, byHand, { afterMs: HOUR }), done)
      for (const task of [byHand, moved, byAgent]) {
        await assertRefused(finish(fixture, task, { result: 'another', takeOver: true }), 'CONFLICT')
      }
      assert.equal((await events()).length, before)
    },
  },
  {
    id: 'people.take-over',
    name: 'a task that an agent has is completed by a person only with takeOver, which ends the attempt',
    async check(fixture) {
      const { storage, addClaimed, get, at } = fixture
      const task = await addClaimed()
      await assertRefused(finish(fixture, task), 'CONFLICT', 'takeOver')
      assert.deepEqual(await get(task), task)
      const { lease, takenBy } = await finish(fixture, task, { takeOver: true, afterMs: SECOND })
      assert.deepEqual([lease, takenBy], [null, ADA])
      const { attempts } = await readTask(storage.tasks, task, ['attempts'], at())
      assert.deepEqual(
        attempts.map(({ outcome, reason, endedAt }) => [outcome, reason, endedAt]),
        [['revoked', 'completed by a person', START + SECOND]],
      )
      assert.deepEqual(await storage.tasks.checkClaims({ proofs: [proofOf(task)] }, at()), [false])
      // With the very result of the person: the agent has not completed it.
      for (const result of ['by hand', 'by an agent']) {
        const late = storage.tasks.completeTask({ proof: proofOf(task), result, next: null }, at())
        await assertRefused(late, 'CONFLICT', 'fencingToken')
      }
      const expired = await addClaimed()
      const afterMs = HOUR
      assert.equal((await finish(fixture, expired, { afterMs })).column, 'DONE')
    },
  },
  {
    id: 'people.figures',
    name: 'a task that a person completed counts as done, with the time since it was in DOING, until it is reopened',
    async check(fixture) {
      const { storage, accountId, add, at } = fixture
      const baselines = { defaultMs: 0, msByType: {} }
      const range = { workspaceId: null, fromDay: DAY_0, toDay: DAY_0, baselines }
      const figures = async () => {
        const reach = { accountId, workspaceIds: 'all' } as const
        const [day] = await storage.analytics.readFigures({ reach, ...range }, at())
        return [day?.completed, day?.timed, day?.takenMs]
      }
      const [untimed, timed] = [await add(), await add()]
      await move(fixture, timed, 'DOING')
      await finish(fixture, untimed, { afterMs: MINUTE })
      await finish(fixture, timed, { afterMs: MINUTE })
      assert.deepEqual(await figures(), [2, 1, MINUTE])
      await storage.analytics.rollUp({ limit: 1_000 }, at())
      assert.deepEqual(await figures(), [2, 1, MINUTE])
      await move(fixture, untimed, 'TODO')
      assert.deepEqual(await figures(), [1, 1, MINUTE])
      await move(fixture, timed, 'TODO')
      assert.deepEqual(await figures(), [0, 0, 0])
    },
  },
  {
    id: 'people.decider',
    name: 'a decision keeps the name of who decided, in the approval, its event and its comment',
    async check(fixture) {
      const { storage, addClaimed, workspaceId, events, at } = fixture
      const known = await addUser(fixture, 'ada@example.com')
      const named: readonly (readonly [ActingAs, string | null])[] = [
        [ADA, 'Ada Lovelace'],
        [{ kind: 'user', id: known.id }, 'ada@example.com'],
        [{ kind: 'user', id: known.id, name: 'Countess' }, 'Countess'],
        [{ kind: 'host', id: null, name: null }, null],
      ]
      for (const [decidedBy, name] of named) {
        const task = await addClaimed({ priority: 'urgent' })
        const { approval } = await ask(fixture, task)
        const decided = await decide(fixture, approval.id, 'rejected', { decidedBy })
        const { kind, id } = decidedBy
        assert.deepEqual(decided.decidedBy, { kind, id, name })
        const query = { within: workspaceId, approvalId: approval.id, taskId: null, status: null, limit: 1 }
        const { approvals } = await storage.approvals.listApprovals({ ...query, afterId: null }, at())
        assert.deepEqual(approvals, [decided])
        const said = (await events()).slice(-2).map(({ data }) => data as Record<string, unknown>)
        assert.deepEqual(
          [said[0]?.['decidedBy'], said[1]?.['author']],
          [decided.decidedBy, decided.decidedBy],
        )
        await finish(fixture, task)
      }
    },
  },
]
