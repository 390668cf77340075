import assert from 'node:assert/strict'
import { priorities, type Column, type Task } from '@taskboard/core'
import { compareTied, type TaskCursor } from '@taskboard/core/storage'
import { countTasks } from './count-tasks.js'
import { seededChance } from '../chance.js'
import type { StorageCheck } from '../storage-case.js'
import {
  byScore,
  DAY,
  HOUR,
  PERSON,
  SECOND,
  START,
  type StorageFixture,
  changeTask,
} from '../storage-fixture.js'

async function listAll(
  fixture: StorageFixture,
  column: Column,
  limit: number,
  afterMs: number,
): Promise<Task[]> {
  const found: Task[] = []
  let after: TaskCursor | null = null
  do {
    const query = { workspaceId: fixture.workspaceId, column, limit, after }
    // Later pages are requested at a later time: the cursor's instant must still apply.
    const page = await fixture.storage.tasks.listTasks(query, fixture.at(afterMs + found.length * HOUR))
    assert.equal(page.asOf, START + afterMs)
    assert.ok(page.tasks.length <= limit)
    found.push(...page.tasks)
    after = page.next
  } while (after !== null)
  return found
}

async function addMany(fixture: StorageFixture, count: number): Promise<Task[]> {
  const chance = seededChance(7)
  const tasks: Task[] = []
  for (let index = 0; index < count; index++) {
    const createdAfter = Math.floor(index / 3) * HOUR
    const dueDate = chance.below(2) === 0 ? START + chance.below(chance.pick([40, 250]) * DAY) : null
    tasks.push(await fixture.add({ priority: chance.pick(priorities), dueDate }, fixture.at(createdAfter)))
  }
  return tasks
}

const byAge = (a: Task, b: Task): number => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1)
const idsOf = (tasks: readonly Task[]): string[] => tasks.map((task) => task.id)

async function checkTodoOrder(fixture: StorageFixture, count: number, limit: number): Promise<void> {
  const tasks = await addMany(fixture, count)
  const asOf = START + 20 * DAY
  const expected = tasks.toSorted(byScore(asOf))
  assert.deepEqual(idsOf(await listAll(fixture, 'TODO', limit, 20 * DAY)), idsOf(expected))
}

/** Lists and counts of columns. */
export const listCases: readonly StorageCheck[] = [
  {
    id: 'lists.todo',
    name: 'TODO is listed by score at the instant of the first page, over all pages',
    check: (fixture) => checkTodoOrder(fixture, 40, 7),
  },
  {
    id: 'lists.todo-large',
    name: 'a TODO of more than a thousand tasks is listed in the same order',
    check: (fixture) => checkTodoOrder(fixture, 1_100, 250),
  },
  {
    id: 'lists.todo-longest-page',
    name: 'a page of a thousand tasks is full, and the next one continues from it',
    check: (fixture) => checkTodoOrder(fixture, 1_100, 1_000),
  },
  {
    id: 'lists.held-last',
    name: 'held tasks come after all others in TODO, by score like those, over all pages',
    async check(fixture) {
      const asOf = START + 20 * DAY
      const held = new Set<string>()
      const tasks = await addMany(fixture, 40)
      for (const [index, { workspaceId, id }] of tasks.entries()) {
        if (index % 3 > 0) continue
        held.add(id)
        await changeTask(
          fixture.storage.tasks,
          { workspaceId, id },
          { kind: 'hold', reason: 'approval', message: null, actor: PERSON },
          fixture.at(DAY),
        )
      }
      const expected = tasks.toSorted(
        (a, b) => Number(held.has(a.id)) - Number(held.has(b.id)) || byScore(asOf)(a, b),
      )
      for (const limit of [4, 13, 40]) {
        assert.deepEqual(idsOf(await listAll(fixture, 'TODO', limit, 20 * DAY)), idsOf(expected))
      }
      const [released] = held
      await changeTask(
        fixture.storage.tasks,
        { workspaceId: fixture.workspaceId, id: released ?? '' },
        { kind: 'release', actor: PERSON },
        fixture.at(20 * DAY),
      )
      const unheld = (await listAll(fixture, 'TODO', 7, 20 * DAY)).slice(0, 41 - held.size)
      assert.ok(unheld.every(({ hold }) => hold === null))
    },
  },
  {
    id: 'lists.ties',
    name: 'equal scores in TODO are listed by due date, none last, then by age, over all pages',
    async check(fixture) {
      const far = START + 400 * DAY
      const dueDates = [null, far + 2, far, far + 2, null, far + 1]
      const tasks: Task[] = []
      for (const [index, dueDate] of dueDates.entries())
        tasks.push(await fixture.add({ dueDate }, fixture.at(index < 3 ? SECOND : 0)))
      const expected = tasks.toSorted(
        (a, b) => Number(a.dueDate === null) - Number(b.dueDate === null) || compareTied(a, b),
      )
      for (const limit of [1, 2, 10]) {
        assert.deepEqual(idsOf(await listAll(fixture, 'TODO', limit, 40 * DAY)), idsOf(expected))
      }
    },
  },
  {
    id: 'lists.todo-moves-with-time',
    name: 'a later listing of TODO has the order of that later instant',
    async check(fixture) {
      const high = await fixture.add({ priority: 'high' })
      const nearing = await fixture.add({ priority: 'low', dueDate: START + 20 * DAY })
      const orderAt = async (afterMs: number) => idsOf(await listAll(fixture, 'TODO', 10, afterMs))
      assert.deepEqual(await orderAt(0), [high.id, nearing.id])
      assert.deepEqual(await orderAt(20 * DAY), [nearing.id, high.id])
    },
  },
  {
    id: 'lists.doing',
    name: 'DOING is listed by start, oldest first, then by age',
    async check(fixture) {
      const tasks = await addMany(fixture, 12)
      const started: Task[] = []
      for (const [index, { workspaceId, id }] of tasks.toReversed().entries()) {
        const call = fixture.at(DAY + Math.floor(index / 4) * SECOND)
        started.push(
          await changeTask(
            fixture.storage.tasks,
            { workspaceId, id },
            { kind: 'move', to: 'DOING', actor: PERSON },
            call,
          ),
        )
      }
      const expected = started.toSorted((a, b) => (a.startedAt ?? 0) - (b.startedAt ?? 0) || byAge(a, b))
      assert.deepEqual(idsOf(await listAll(fixture, 'DOING', 5, 2 * DAY)), idsOf(expected))
    },
  },
  {
    id: 'lists.done',
    name: 'DONE is listed by completion, newest first, then by age',
    async check(fixture) {
      const tasks = await addMany(fixture, 12)
      const done: Task[] = []
      for (const [index, { workspaceId, id }] of tasks.entries()) {
        const call = fixture.at(DAY + Math.floor(index / 4) * SECOND)
        done.push(
          await changeTask(
            fixture.storage.tasks,
            { workspaceId, id },
            { kind: 'move', to: 'DONE', actor: PERSON },
            call,
          ),
        )
      }
      const expected = done.toSorted((a, b) => (b.completedAt ?? 0) - (a.completedAt ?? 0) || byAge(a, b))
      assert.deepEqual(idsOf(await listAll(fixture, 'DONE', 5, 2 * DAY)), idsOf(expected))
    },
  },
  {
    id: 'lists.last-page',
    name: 'a page that ends with the last task has no next one',
    async check(fixture) {
      await addMany(fixture, 4)
      const list = (limit: number) =>
        fixture.storage.tasks.listTasks(
          { workspaceId: fixture.workspaceId, column: 'TODO', limit, after: null },
          fixture.at(DAY),
        )
      assert.equal((await list(4)).next, null)
      assert.notEqual((await list(3)).next, null)
    },
  },
  {
    id: 'lists.follow-changes',
    name: 'a listing shows what has changed since the one before',
    async check(fixture) {
      const [first, second] = await addMany(fixture, 2)
      const before = await listAll(fixture, 'TODO', 10, DAY)
      await fixture.finish(first as Task, fixture.at(DAY))
      const added = await fixture.add({ priority: 'urgent' }, fixture.at(DAY))
      assert.equal(before.length, 2)
      assert.deepEqual(idsOf(await listAll(fixture, 'TODO', 10, DAY)), [added.id, (second as Task).id])
      assert.deepEqual(idsOf(await listAll(fixture, 'DONE', 10, DAY)), [(first as Task).id])
    },
  },
  {
    id: 'lists.tenancy',
    name: 'lists have nothing of other workspaces',
    async check(fixture) {
      await fixture.add()
      const { workspaceId } = await fixture.addWorkspace()
      const query = { workspaceId, column: 'TODO', limit: 10, after: null } as const
      assert.deepEqual((await fixture.storage.tasks.listTasks(query, fixture.at())).tasks, [])
      assert.deepEqual(await countTasks(fixture.storage, workspaceId, fixture.at()), {
        TODO: 0,
        DOING: 0,
        DONE: 0,
      })
    },
  },
  {
    id: 'lists.count',
    name: 'the lists of the columns have each task once',
    async check({ storage, workspaceId, add, claim, finish, at }) {
      const tasks = [await add(), await add(), await add(), await add()]
      await finish(tasks[0] as Task)
      await claim()
      assert.deepEqual(await countTasks(storage, workspaceId, at()), { TODO: 2, DOING: 1, DONE: 1 })
    },
  },
]
